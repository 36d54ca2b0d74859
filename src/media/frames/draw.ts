import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { Command } from "../../compiler/compile.ts";
import { compileFrames, compilePictures, type Pictures } from "../../compiler/frames.ts";
import type { RenderCache } from "../../domain/exports/renderer.ts";
import type { Quality } from "../../domain/exports/schema.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import type { ConcurrencyLimit } from "../../platform/concurrency-limit.ts";
import { cutSegments } from "../../timeline/segments.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRange, intersection, isInside } from "../../timeline/time.ts";
import type { Canvas, Timeline } from "../../timeline/timeline.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { encodePng } from "../images/png.ts";
import { drawOverlays } from "../overlays/overlays.ts";
import { type Maker, segmentAlias, stillKey } from "../render/cache-keys.ts";
import { blameSource } from "../render/diagnose.ts";
import { encodingOf, requireFrames } from "../render/render.ts";
import { together } from "../render/run-all.ts";
import { gatherSources, prepareStillAt, type Stills } from "../render/sources.ts";
import { extractPictures } from "./h264-extract.ts";

/** Some frames to draw, and what is needed for it. */
export type FramesJob = {
  readonly timeline: Timeline;
  /** In order. */
  readonly frames: readonly number[];
  readonly size: Canvas;
  readonly quality: Quality;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  /** Of segments that were rendered for films. */
  readonly parts: RenderCache;
  /** Of pictures. */
  readonly pictures: RenderCache;
  readonly maker: Maker;
  /** Processes go through it. */
  readonly turn: ConcurrencyLimit;
};

/** Somebody looks at the screen for it, and nobody at a film. */
const limits = { niceness: 5 };

/** Frames of one segment that are drawn together. */
type Batch = { readonly range: FrameRange; readonly frames: readonly number[]; readonly folder: string };

/** Draws frames as PNG. Those of one segment come from it when it is rendered already, else from its sources. */
export async function drawFrames(job: FramesJob): Promise<readonly Uint8Array[]> {
  const ranges = cutSegments(job.timeline.track, job.timeline.rate);
  const batches = ranges.flatMap((range) => batchesIn(job, range));
  const tasks = batches.map((batch, index) => async (signal: AbortSignal) => {
    const folder = `${job.folder}/${index}`;
    await mkdir(folder);
    return await drawBatch({ ...job, signal }, { ...batch, folder }, ranges.length);
  });
  return (await together(tasks, job.signal, availableParallelism())).flat();
}

/** Every frame of a process opens its overlays anew. */
const most = { frames: 16, overlays: 100 };

function batchesIn({ timeline, frames }: FramesJob, range: FrameRange): Omit<Batch, "folder">[] {
  const wanted = frames.filter((frame) => isInside(frame, range));
  const overlays = timeline.overlays.filter((overlay) => intersection(overlay.range, range)).length;
  const size = Math.max(1, Math.min(most.frames, Math.floor(most.overlays / Math.max(1, overlays))));
  return Array.from({ length: Math.ceil(wanted.length / size) }, (_, index) => ({
    range,
    frames: wanted.slice(index * size, (index + 1) * size),
  }));
}

async function drawBatch(job: FramesJob, batch: Batch, segments: number): Promise<readonly Uint8Array[]> {
  const { ffmpeg, signal, size, turn } = job;
  const { folder, frames } = batch;
  const output = `${folder}/pixels.raw`;
  const run = async (command: Command) =>
    requireFrames(await turn(() => ffmpeg.run(command, { folder, signal, limits }), signal), frames.length);

  const rendered = await fromSegment(job, batch, segments, output);
  if (rendered) await run(rendered);
  else {
    const drawn = await fromSources(job, batch);
    await run(compileFrames({ ...drawn, size, threads: availableParallelism() }, output)).catch(async (error) => {
      signal.throwIfAborted();
      throw await blameSource(error, ffmpeg, drawn);
    });
  }
  const pixels = await Bun.file(output).bytes();
  const each = pixels.length / frames.length;
  return await Promise.all(
    frames.map((_, index) => encodePng(pixels.subarray(index * each, (index + 1) * each), size)),
  );
}

/** Reads the finished pictures of a segment that is rendered already. */
async function fromSegment(job: FramesJob, { range, frames, folder }: Batch, segments: number, output: string) {
  const { timeline, quality, maker, parts, size } = job;
  const path = `${folder}/segment.mp4`;
  const encoding = encodingOf(quality, segments);
  const key = await parts.read(segmentAlias({ timeline, range, encoding }, maker));
  if (!key || !(await parts.take(new TextDecoder().decode(key), path))) return undefined;
  const stream = `${folder}/segment.h264`;
  const wanted = frames.map((frame) => frame - range.start);
  const pictures = await extractPictures(path, wanted, stream);
  return compilePictures(
    { path: stream, pictures, rate: timeline.rate, size, threads: availableParallelism() },
    output,
  );
}

type Drawn = Omit<Pictures, "size" | "threads">;

async function fromSources(job: FramesJob, { frames, folder }: Batch): Promise<Drawn> {
  const { files: store, signal } = job;
  const timeline = seenOn(job.timeline, frames);
  const { canvas, rate } = timeline;
  const gathered = await gatherSources([timeline], store, folder, keptStills(job));
  // safe because one timeline was given
  const files = gathered[0]!;
  const openFile = (source: Source) => store.localPath(source.file);
  const overlays = await drawOverlays(timeline.overlays, { canvas, rate, folder, openFile, signal, frames });
  return { timeline, frames, overlays, files };
}

/** What of a film is seen on some frames, and nothing that is heard. */
function seenOn(timeline: Timeline, frames: readonly number[]): Timeline {
  const isSeen = ({ range }: { readonly range: FrameRange }) => frames.some((frame) => isInside(frame, range));
  const track = { ...timeline.track, spans: timeline.track.spans.filter(isSeen) };
  return { ...timeline, track, overlays: timeline.overlays.filter(isSeen), sound: { pieces: [] } };
}

/** To prepare a large photo takes longer than all the rest. */
const keptStills =
  ({ pictures, maker }: FramesJob): Stills =>
  async (source, from, still) => {
    const key = stillKey(source.hash, still.stillSide, maker);
    if (await pictures.take(key, still.path)) return;
    await prepareStillAt(source, from, still);
    await pictures.put(key, still.path);
  };
