import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import {
  type Command,
  compileMux,
  compileSegment,
  compileSound,
  type Encoding,
  type Files,
} from "../compiler/compile.ts";
import type { DrawnOverlay } from "../compiler/layers.ts";
import type { Quality } from "../domain/export-schema.ts";
import type { RenderedFilm, Renderer } from "../domain/exports.ts";
import type { FileStore } from "../domain/files.ts";
import { type Gate, gate } from "../domain/gate.ts";
import { cutSegments } from "../timeline/segments.ts";
import type { Source } from "../timeline/source.ts";
import { type FrameRange, framesIn } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Ffmpeg, RunOptions } from "./ffmpeg.ts";
import { drawOverlays } from "./overlays.ts";
import { blameSource } from "./render-failure.ts";
import { gatherSources, playedSources } from "./render-sources.ts";
import { type Task, together } from "./render-together.ts";

type Studio = {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  /** Processes at a time, over all films together. */
  readonly concurrency: number;
  readonly process: Gate;
};

type Options = Parameters<Renderer["render"]>[1];

/** One film on its way. */
type Job = {
  readonly timeline: Timeline;
  readonly folder: string;
  readonly files: Files;
  readonly overlays: readonly DrawnOverlay[];
  readonly options: Options;
};

export function ffmpegRenderer(options: Omit<Studio, "process">): Renderer {
  const { concurrency } = options;
  const process = gate({ concurrency, queueLength: Number.POSITIVE_INFINITY, retryAfterSeconds: 0 });
  const studio = { ...options, process };
  return { render: (timeline, options) => render(studio, timeline, options) };
}

async function render(studio: Studio, timeline: Timeline, options: Options): Promise<RenderedFilm> {
  const folder = await studio.files.jobFolder();
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const path = await makeFilm(studio, await prepare(studio, timeline, folder, options));
    return { path, sizeBytes: Bun.file(path).size, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function prepare({ files }: Studio, timeline: Timeline, folder: string, options: Options): Promise<Job> {
  const { canvas, rate, overlays } = timeline;
  const { signal } = options;
  const openFile = (source: Source) => files.localPath(source.file);
  const gathered = await gatherSources(timeline, files, folder);
  signal.throwIfAborted();
  const drawn = await drawOverlays(overlays, { canvas, rate, folder, openFile, signal });
  signal.throwIfAborted();
  return { timeline, folder, files: gathered, overlays: drawn, options };
}

async function makeFilm(studio: Studio, job: Job): Promise<string> {
  const { timeline, folder, options } = job;
  const ranges = cutSegments(timeline.track, timeline.rate);
  const encoding = { ...encodings[options.quality], threads: ranges.length > 1 ? 1 : availableParallelism() };
  const reportFrames = sumOver(ranges.length, options.onProgress);
  const parts: Task<string>[] = ranges.map((range, index) => (signal) => {
    const onFrame = (frames: number) => reportFrames(index, frames);
    return renderSegment(studio, job, { range, output: `${folder}/segment-${index}.mp4`, encoding, signal, onFrame });
  });
  const sound: Task<string> = (signal) => renderSound(studio, job, signal);
  try {
    const [soundPath, ...segments] = await together([sound, ...parts], options.signal, studio.concurrency);
    return await join(studio, job, segments, soundPath!);
  } catch (error) {
    options.signal.throwIfAborted();
    throw await blameSource(error, studio.ffmpeg, playedFiles(job));
  }
}

/** Slower presets find the same quality in fewer bytes; the difference shows in time alone. */
const encodings: Readonly<Record<Quality, Omit<Encoding, "threads">>> = {
  draft: { preset: "superfast", crf: 28 },
  standard: { preset: "veryfast", crf: 23 },
  high: { preset: "faster", crf: 18 },
};

type SegmentJob = {
  readonly range: FrameRange;
  readonly output: string;
  readonly encoding: Encoding;
  readonly signal: AbortSignal;
  readonly onFrame: (frames: number) => void;
};

async function renderSegment(studio: Studio, job: Job, segment: SegmentJob): Promise<string> {
  const { range, output, encoding, signal, onFrame } = segment;
  const { timeline, overlays, files, folder } = job;
  const command = compileSegment({ timeline, range, overlays, files, encoding }, output);
  const { frames } = await runOne(studio, command, { folder, signal, onFrame });
  requireFrames(frames, framesIn(range));
  return output;
}

async function renderSound(studio: Studio, { timeline, files, folder }: Job, signal: AbortSignal): Promise<string> {
  const { groups, mix } = compileSound({ timeline, files }, folder);
  for (const { command } of groups) await runOne(studio, command, { folder, signal });
  await runOne(studio, mix.command, { folder, signal });
  return mix.output;
}

async function join(studio: Studio, job: Job, segments: readonly string[], sound: string): Promise<string> {
  const { folder, timeline, options } = job;
  const [segmentList, output] = [`${folder}/segments.txt`, `${folder}/film.mp4`];
  await Bun.write(segmentList, segments.map((path) => `file '${basename(path)}'\n`).join(""));
  const { frames } = await runOne(studio, compileMux({ segmentList, sound }, output), {
    folder,
    signal: options.signal,
  });
  requireFrames(frames, timeline.track.frames);
  return output;
}

const runOne = ({ process, ffmpeg }: Studio, command: Command, options: RunOptions) =>
  process(() => ffmpeg.run(command, options));

function requireFrames(frames: number, expected: number): void {
  if (frames !== expected) throw new Error(`${frames} frames were rendered instead of ${expected}.`);
}

const playedFiles = ({ timeline, files }: Job) =>
  playedSources(timeline).map((source) => ({ source, path: files.pathOf(source) }));

/** Adds up what several parts report of themselves. */
function sumOver(parts: number, report: (sum: number) => void = () => {}) {
  const done = new Array<number>(parts).fill(0);
  return (part: number, frames: number) => {
    done[part] = frames;
    report(done.reduce((sum, each) => sum + each, 0));
  };
}
