import { copyFile } from "node:fs/promises";
import { compileFilm, compileMp3, segmentList } from "../compiler/formats.ts";
import { requireFrames } from "../ffmpeg/run.ts";
import { formatTable } from "../timeline/format.ts";
import { framesIn } from "../timeline/time.ts";
import { joinGifs } from "./gif.ts";
import type { RenderJob, SegmentFile, Video } from "./job.ts";
import { soundFileOf } from "./sound.ts";

/** Makes a finished file of another format than MP4 from a job's segments and its sound. Returns its path. */
export async function finishFilm(job: RenderJob, video: Video, segments: readonly SegmentFile[]): Promise<string> {
  const { folder } = video;
  const { format, isTransparent } = job.output;
  const output = `${folder}/film.${formatTable[format].extension}`;
  const { rate, track } = video.timeline;
  if (format === "gif") {
    const files = segments.map(({ range, name }) => ({ path: `${folder}/${name}`, frames: framesIn(range) }));
    await joinGifs(files, output, { frameDelay: Math.round((100 * rate.den) / rate.num), isTransparent });
  }
  const sound = soundFileOf(job);
  const options = { folder, signal: job.signal };
  if (format === "wav") await copyFile(sound, output);
  if (format === "mp3") await job.run(compileMp3(sound, output), options);
  if (format === "webm" || format === "mov") {
    const list = `${folder}/segments.txt`;
    await Bun.write(list, segmentList(segments, rate));
    const film = { list, sound, rate, segments: segments.length, hasAlpha: isTransparent };
    requireFrames(await job.run(compileFilm(format, film, output), options), track.frames);
  }
  return output;
}
