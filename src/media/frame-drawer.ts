import { rm } from "node:fs/promises";
import type { FileStore } from "../domain/files.ts";
import type { FrameDrawer } from "../domain/frame-drawing.ts";
import { orFull } from "../domain/full-disk.ts";
import { gate, patientGate } from "../domain/gate.ts";
import type { PartCache } from "../domain/rendering.ts";
import { toSeconds } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { drawSheet, tileSize } from "./contact-sheet.ts";
import type { Ffmpeg } from "./ffmpeg.ts";
import { drawFrames, type FramesJob } from "./frame-pictures.ts";
import { picturesKey } from "./part-keys.ts";

type Studio = {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  /** Of segments, as films are rendered of them. */
  readonly parts: PartCache;
  readonly pictures: PartCache;
  /** Processes at a time. */
  readonly concurrency: number;
};

type Drawing = Pick<FramesJob, "quality" | "signal"> & { readonly owner: string };
type Wanted = Pick<FramesJob, "timeline" | "frames" | "size"> & Drawing;

/** Beside the films' own processes: whoever edits looks at frames while another film is rendered. */
export function ffmpegFrameDrawer(studio: Studio): FrameDrawer {
  const admitted = gate({ concurrency: studio.concurrency, queueLength: 32, retryAfterSeconds: 2 });
  const turn = patientGate(studio.concurrency);

  /** Makes a picture of frames, unless it was made before. */
  const made = async (wanted: Wanted, use: object, finish: (frames: readonly Uint8Array[]) => Promise<Uint8Array>) => {
    const { pictures, ffmpeg, files } = studio;
    const { signal, owner, timeline, frames, size } = wanted;
    const maker = { owner, ffmpegVersion: ffmpeg.version };
    const key = picturesKey({ timeline, frames, size }, use, maker);
    const folder = await files.jobFolder();
    const path = `${folder}/made.png`;
    try {
      if (await pictures.take(key, path)) return await Bun.file(path).bytes();
      const job = { ...studio, ...wanted, maker, folder, turn };
      const picture = await admitted(async () => finish(await drawFrames(job)), signal);
      await Bun.write(path, picture);
      await pictures.put(key, path);
      return picture;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  return {
    picture: (timeline, { frame, ...options }) =>
      // safe because one frame makes one picture
      orFull(made({ timeline, ...options, frames: [frame] }, {}, async ([picture]) => picture!)),

    contactSheet: (timeline, { columns, ...options }) => {
      const size = tileSize(timeline.canvas);
      const sheet = { columns, size, times: timesOf(timeline, options.frames) };
      return orFull(made({ timeline, ...options, size }, sheet, (tiles) => drawSheet(tiles, sheet)));
    },
  };
}

const timesOf = ({ rate }: Timeline, frames: readonly number[]): readonly string[] =>
  frames.map((frame) => clockTime(toSeconds(frame, rate)));

/** As `1:02.500`, rounded up, so that it is a time at which the frame is seen. */
function clockTime(seconds: number): string {
  const thousandths = Math.ceil(seconds * 1000 - 1e-3);
  const minutes = Math.floor(thousandths / 60_000);
  return `${minutes}:${((thousandths % 60_000) / 1000).toFixed(3).padStart(6, "0")}`;
}
