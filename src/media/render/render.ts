import { availableParallelism } from "node:os";
import {
  type Command,
  compileMux,
  compileSegments,
  compileSound,
  type Encoding,
  type Files,
  listSegments,
  type Segment,
  type SoundPlan,
} from "../../compiler/compile.ts";
import type { DrawnOverlay } from "../../compiler/picture/layers.ts";
import type { ExportProgress } from "../../domain/exports/jobs.ts";
import type { RenderCache } from "../../domain/exports/renderer.ts";
import type { Quality } from "../../domain/exports/schema.ts";
import { cutSegments } from "../../timeline/segments.ts";
import { type FrameRange, framesIn } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Ffmpeg, RunOptions } from "../ffmpeg/ffmpeg.ts";
import { type Maker, segmentAlias, segmentKey, soundKey } from "./cache-keys.ts";
import { master } from "./loudness.ts";
import { type Task, together } from "./run-all.ts";
import { takeOrMake, type UnderWay } from "./single-flight.ts";

/** One film with all that it needs. */
export type Film = {
  readonly timeline: Timeline;
  /** Takes its parts and itself. */
  readonly folder: string;
  readonly files: Files;
  readonly overlays: readonly DrawnOverlay[];
};

/** Films of one edit, cut at the same frames and with the same sound. */
export type Job = {
  readonly films: readonly [Film, ...Film[]];
  readonly folder: string;
  readonly quality: Quality;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
  /** Runs a command in its turn: other films wait for the same machine. */
  readonly run: (command: Command, options: RunOptions) => ReturnType<Ffmpeg["run"]>;
  /** Processes of this film at a time. */
  readonly concurrency: number;
  readonly cache: RenderCache;
  readonly maker: Maker;
  /** What this and other films are rendering now: of two equal parts one is rendered. */
  readonly underWay: UnderWay;
};

/** A part of the picture, and the name of the file that each film renders it to. */
type Cut = { readonly range: FrameRange; readonly name: string };

/** Renders picture and sound apart, joins them and answers the films' paths. */
export async function renderFilms(job: Job): Promise<readonly string[]> {
  const { films, folder, signal, concurrency } = job;
  const [{ timeline, files }] = films;
  const cuts = cutSegments(timeline.track, timeline.rate).map((range, index) => ({
    range,
    name: `segment-${index}.mp4`,
  }));
  const sound = compileSound({ timeline, files }, folder);
  await together([renderSound(job, sound), ...renderPicture(job, cuts)], signal, concurrency);
  return await Promise.all(films.map((film) => join(job, film, cuts, sound)));
}

/** Slower presets find the same quality in fewer bytes. Ultrafast takes longer than superfast on the bundled ffmpeg. */
const encodings: Readonly<Record<Quality, Omit<Encoding, "threads">>> = {
  draft: { preset: "superfast", crf: 26 },
  standard: { preset: "veryfast", crf: 23 },
  high: { preset: "slower", crf: 19 },
};

/** How each of so many segments is encoded. */
export const encodingOf = (quality: Quality, segments: number): Encoding => ({
  ...encodings[quality],
  threads: segments > 1 ? 1 : availableParallelism(),
});

function renderPicture(job: Job, cuts: readonly Cut[]): readonly Task<void>[] {
  const { cache, maker, underWay } = job;
  const encoding = encodingOf(job.quality, cuts.length);
  const report = sumOver(cuts.length, job.onProgress);
  return cuts.map(({ range, name }, index) => async (signal) => {
    const parts = job.films.map((film): PictureFile => {
      const segment = { ...film, range, encoding };
      return { segment, key: segmentKey(segment, maker), output: `${film.folder}/${name}` };
    });
    const take = ({ key, output }: PictureFile) => cache.take(key, output);
    const frames = framesIn(range);
    let rendered = 0;
    const onFrame = (done: number) => {
      const framesRendered = done * rendered;
      report(index, { framesDone: (parts.length - rendered) * frames + framesRendered, framesRendered });
    };
    const make = async (missing: readonly PictureFile[]) => {
      rendered = missing.length;
      await renderParts(job, missing, { signal, onFrame });
    };
    await takeOrMake(parts, underWay, { take, make }, signal);
    for (const part of parts) await keepAlias(job, part);
    onFrame(frames);
  });
}

type PictureFile = { readonly segment: Segment; readonly key: string; readonly output: string };

type Watch = Pick<RunOptions, "signal" | "onFrame">;

async function renderParts({ run, folder, cache }: Job, parts: readonly PictureFile[], watch: Watch) {
  const rendered = await run(compileSegments(parts), { folder, ...watch });
  for (const { segment, key, output } of parts) {
    requireFrames(rendered, framesIn(segment.range));
    await cache.put(key, output);
  }
}

/** Nobody takes an alias, so it gets older than its segment, and may go before it. */
async function keepAlias({ cache, maker }: Job, { segment, key, output }: PictureFile): Promise<void> {
  const alias = segmentAlias(segment, maker);
  const known = await cache.read(alias);
  if (known && new TextDecoder().decode(known) === key) return;
  await Bun.write(`${output}.key`, key);
  await cache.put(alias, `${output}.key`);
}

const renderSound =
  ({ films: [film], cache, maker, underWay, run, folder }: Job, { groups, mix, output }: SoundPlan): Task<void> =>
  async (signal) => {
    const { timeline } = film;
    const key = soundKey(film, maker);
    const take = () => cache.take(key, output);
    const make = async () => {
      const inTurn = (command: Command) => run(command, { folder, signal });
      for (const { command } of [...groups, mix]) await inTurn(command);
      if (timeline.sound.isNormalized) await master({ mix: mix.output, output, timeline, folder, run: inTurn });
      await cache.put(key, output);
    };
    await takeOrMake([{ key }], underWay, { take, make }, signal);
  };

async function join({ run, signal }: Job, { timeline, folder }: Film, cuts: readonly Cut[], sound: SoundPlan) {
  const [segmentList, path] = [`${folder}/segments.txt`, `${folder}/film.mp4`];
  const segments = cuts.map(({ range, name }) => ({ path: `${folder}/${name}`, frames: framesIn(range) }));
  await Bun.write(segmentList, listSegments(segments, timeline.rate));
  const mux = compileMux({ segmentList, sound: sound.output }, path);
  requireFrames(await run(mux, { folder, signal }), timeline.track.frames);
  return path;
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
