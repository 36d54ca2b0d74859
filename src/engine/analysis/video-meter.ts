import { withJobFolder } from "../../platform/files.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import { compileMeasure, readLoudness } from "../compiler/sound/mastering.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import type { FileStore, PictureQuality, VideoMeter } from "../ports.ts";
import { measureQuality } from "./measure/sandboxed.ts";
import { measureFrames } from "./measure-frames.ts";

type VideoMeterOptions = {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder">;
  /** Default: a budget of this meter's own. */
  readonly cpu?: Pick<CpuBudget, "exports">;
};

/** The quality of a sound alone. */
const noPicture: PictureQuality = {
  flashes: { perSecond: 0 },
  redFlashes: { perSecond: 0 },
  black: [],
  frozen: [],
  grounds: [],
};

/** An hour of video decodes in a few minutes. */
const budgetMilliseconds = 3_600_000;

export const ffmpegVideoMeter = ({ ffmpeg, files, cpu = cpuBudget() }: VideoMeterOptions): VideoMeter => ({
  measure: ({ regions, ...video }, options) =>
    withJobFolder(files.jobFolder, async (folder) => {
      const { signal } = options;
      const measureAll = () =>
        measureFrames(ffmpeg, video, (frames, run) => measureQuality(frames, { ...run, regions }), {
          ...{ folder, signal, budgetMilliseconds, takesPart: false },
        });
      const quality = video.facts.kind === "audio" ? noPicture : await cpu.exports(measureAll, options);
      if (!video.facts.hasSound) return quality;
      const report = `${folder}/loudness.txt`;
      await cpu.exports(() => ffmpeg.run(compileMeasure(video.path, report), { folder, signal }), options);
      return { ...quality, loudness: readLoudness(await Bun.file(report).text()) };
    }),
});
