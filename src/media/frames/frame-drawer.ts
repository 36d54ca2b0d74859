import { rm } from "node:fs/promises";
import type { FrameRenderer } from "../../domain/exports/frames.ts";
import type { RenderCache } from "../../domain/exports/renderer.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { type ConcurrencyLimit, concurrencyLimit, patientGate } from "../../platform/concurrency-limit.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import { toSeconds } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { pictureKey } from "../render/cache-keys.ts";
import { drawSheet, tileSize } from "./contact-sheet.ts";
import { drawFrames, type FramesJob } from "./draw.ts";

type Studio = {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  /** Of segments, as films are rendered of them. */
  readonly parts: RenderCache;
  readonly pictures: RenderCache;
  /** Processes at a time. */
  readonly concurrency: number;
};

type Drawing = Pick<FramesJob, "quality" | "signal"> & { readonly owner: string };
type Wanted = Pick<FramesJob, "timeline" | "frames" | "size"> & Drawing;

/** Beside the films' own processes: whoever edits looks at frames while another film is rendered. */
export function ffmpegFrameDrawer(studio: Studio): FrameRenderer {
  const admitted = concurrencyLimit({ concurrency: studio.concurrency, queueLength: 32, retryAfterSeconds: 2 });
  const turn = patientGate(studio.concurrency);

  const drawn = async (wanted: Wanted): Promise<readonly Uint8Array[]> => {
    const folder = await studio.files.jobFolder();
    try {
      const maker = { owner: wanted.owner, ffmpegVersion: studio.ffmpeg.version };
      return await orKept({ ...studio, ...wanted, maker, folder, turn }, admitted);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  return {
    frame: (timeline, { frame, ...options }) =>
      // safe because one frame makes one picture
      mapDiskFull(drawn({ timeline, ...options, frames: [frame] }).then(([picture]) => picture!)),

    contactSheet: (timeline, { columns, ...options }) => {
      const size = tileSize(timeline.canvas);
      const sheet = { columns, size, times: timesOf(timeline, options.frames) };
      return mapDiskFull(drawn({ timeline, ...options, size }).then((tiles) => drawSheet(tiles, sheet)));
    },
  };
}

/** Draws frames, but for those that were drawn before and still look so. */
async function orKept(job: FramesJob, admitted: ConcurrencyLimit): Promise<readonly Uint8Array[]> {
  const { frames, timeline, size, maker, pictures, folder, signal } = job;
  const known = new Map<number, Uint8Array>();
  const places = frames.map((frame) => ({
    frame,
    key: pictureKey({ timeline, frame, size }, maker),
    path: `${folder}/frame-${frame}.png`,
  }));
  const missing: typeof places = [];
  for (const place of places) {
    if (await pictures.take(place.key, place.path)) known.set(place.frame, await Bun.file(place.path).bytes());
    else missing.push(place);
  }
  if (missing.length > 0) {
    const wanted = { ...job, frames: missing.map(({ frame }) => frame) };
    const drawn = await admitted(() => drawFrames(wanted), signal);
    for (const [index, { frame, key, path }] of missing.entries()) {
      const picture = drawn[index]!; // safe because every frame makes one picture
      known.set(frame, picture);
      await Bun.write(path, picture);
      await pictures.put(key, path);
    }
  }
  return frames.map((frame) => known.get(frame)!); // safe because each was kept or drawn
}

const timesOf = ({ rate }: Timeline, frames: readonly number[]): readonly string[] =>
  frames.map((frame) => clockTime(toSeconds(frame, rate)));

/** As `1:02.500`, rounded up, so that it is a time at which the frame is seen. */
function clockTime(seconds: number): string {
  const thousandths = Math.ceil(seconds * 1000 - 1e-3);
  const minutes = Math.floor(thousandths / 60_000);
  return `${minutes}:${((thousandths % 60_000) / 1000).toFixed(3).padStart(6, "0")}`;
}
