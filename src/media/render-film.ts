import { availableParallelism } from "node:os";
import {
  type Command,
  compileMux,
  compileSegment,
  compileSound,
  type Encoding,
  type Files,
  listSegments,
  type SoundPlan,
} from "../compiler/compile.ts";
import type { DrawnOverlay } from "../compiler/layers.ts";
import type { ExportProgress } from "../domain/export-jobs.ts";
import type { Quality } from "../domain/export-schema.ts";
import type { PartCache } from "../domain/rendering.ts";
import { cutSegments } from "../timeline/segments.ts";
import { type FrameRange, framesIn } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Ffmpeg, RunOptions } from "./ffmpeg.ts";
import { type Maker, segmentAlias, segmentKey, soundKey } from "./part-keys.ts";
import { type Task, together } from "./render-together.ts";

/** One film with all that it needs in its folder. */
export type Job = {
  readonly timeline: Timeline;
  readonly folder: string;
  readonly files: Files;
  readonly overlays: readonly DrawnOverlay[];
  readonly quality: Quality;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
  /** Runs a command in its turn: other films wait for the same machine. */
  readonly run: (command: Command, options: RunOptions) => ReturnType<Ffmpeg["run"]>;
  /** Processes of this film at a time. */
  readonly concurrency: number;
  readonly cache: PartCache;
  readonly maker: Maker;
};

/** A part of the picture, and the file that it is rendered to. */
type SegmentFile = { readonly range: FrameRange; readonly path: string; readonly frames: number };

/** Renders picture and sound apart, joins them and answers the film's path. */
export async function renderFilm(job: Job): Promise<string> {
  const { timeline, folder, signal, concurrency } = job;
  const ranges = cutSegments(timeline.track, timeline.rate);
  const segments = ranges.map((range, index) => ({
    range,
    path: `${folder}/segment-${index}.mp4`,
    frames: framesIn(range),
  }));
  const sound = compileSound(job, folder);
  await together([renderSound(job, sound), ...renderPicture(job, segments)], signal, concurrency);
  return await join(job, segments, sound);
}

/** Slower presets find the same quality in fewer bytes. */
const encodings: Readonly<Record<Quality, Omit<Encoding, "threads">>> = {
  draft: { preset: "ultrafast", crf: 26 },
  standard: { preset: "veryfast", crf: 23 },
  high: { preset: "slower", crf: 19 },
};

/** How each of so many segments is encoded. */
export const encodingOf = (quality: Quality, segments: number): Encoding => ({
  ...encodings[quality],
  threads: segments > 1 ? 1 : availableParallelism(),
});

function renderPicture(job: Job, segments: readonly SegmentFile[]): readonly Task<void>[] {
  const encoding = encodingOf(job.quality, segments.length);
  const report = sumOver(segments.length, job.onProgress);
  return segments.map(({ range, path, frames }, index) => async (signal) => {
    const segment = { ...job, range, encoding };
    const onFrame = (done: number) => report(index, { framesDone: done, framesRendered: done });
    const key = segmentKey(segment, job.maker);
    const isNew = await takenOrMade(job.cache, { key, path }, async () => {
      const command = compileSegment(segment, path);
      requireFrames(await job.run(command, { folder: job.folder, signal, onFrame }), frames);
      await Bun.write(`${path}.key`, key);
      await job.cache.put(segmentAlias(segment, job.maker), `${path}.key`);
    });
    report(index, { framesDone: frames, framesRendered: isNew ? frames : 0 });
  });
}

const renderSound =
  (job: Job, { groups, mix }: SoundPlan): Task<void> =>
  async (signal) => {
    await takenOrMade(job.cache, { key: soundKey(job, job.maker), path: mix.output }, async () => {
      for (const { command } of [...groups, mix]) await job.run(command, { folder: job.folder, signal });
    });
  };

type Part = { readonly key: string; readonly path: string };

/** Only what changed is rendered again. Answers whether it was. */
async function takenOrMade(cache: PartCache, { key, path }: Part, make: () => Promise<void>): Promise<boolean> {
  if (await cache.take(key, path)) return false;
  await make();
  await cache.put(key, path);
  return true;
}

async function join({ run, folder, timeline, signal }: Job, segments: readonly SegmentFile[], sound: SoundPlan) {
  const [segmentList, film] = [`${folder}/segments.txt`, `${folder}/film.mp4`];
  await Bun.write(segmentList, listSegments(segments, timeline.rate));
  const mux = compileMux({ segmentList, sound: sound.mix.output }, film);
  requireFrames(await run(mux, { folder, signal }), timeline.track.frames);
  return film;
}

export function requireFrames({ frames }: { readonly frames: number }, expected: number): void {
  if (frames !== expected) throw new Error(`${frames} frames were rendered instead of ${expected}.`);
}

/** Adds up what several parts report of themselves. */
function sumOver(parts: number, report: (sum: ExportProgress) => void = () => {}) {
  const known = new Array<ExportProgress>(parts).fill({ framesDone: 0, framesRendered: 0 });
  const sum = (frames: keyof ExportProgress) => known.reduce((all, each) => all + each[frames], 0);
  return (part: number, progress: ExportProgress) => {
    known[part] = progress;
    report({ framesDone: sum("framesDone"), framesRendered: sum("framesRendered") });
  };
}
