import { mkdir } from "node:fs/promises";
import type { Quality } from "../ports.ts";
import { frameAt } from "../timeline/time.ts";
import type { Canvas, Timeline } from "../timeline/timeline.ts";
import { drawFrames } from "./draw-frames.ts";
import { type RendererDeps, scopeOf } from "./prepare.ts";

export type PicturesJob = {
  readonly timeline: Timeline;
  /** In ascending order. */
  readonly frames: readonly number[];
  readonly size: Canvas;
  readonly isTransparent?: boolean;
  readonly isFromSources?: boolean;
};

export type PictureOptions = {
  /** Does not exist yet. */
  readonly folder: string;
  readonly quality: Quality;
  readonly owner: string;
  readonly projectId: string;
  readonly signal: AbortSignal;
};

/** Draws frames as a frame request does. Returns the paths of PNG files. */
export async function drawPictures(
  deps: RendererDeps,
  pictures: PicturesJob,
  { projectId, ...options }: PictureOptions,
): Promise<readonly string[]> {
  const { ffmpeg, files, cache, imageCache = cache, limit, canvas, proxies } = deps;
  await mkdir(options.folder, { recursive: true });
  const drawn = await drawFrames({
    ...{ ffmpeg, files, limit, canvas, proxies, segmentCache: cache, frameCache: imageCache },
    segmentDecoder: async () => ffmpeg,
    ...pictures,
    ...options,
    scope: await scopeOf(deps, projectId),
  });
  return drawn.map(({ path }) => path);
}

/** The frame of a timeline at a time; the last one after its end. */
export const frameOf = ({ rate, track }: Timeline, seconds: number): number =>
  Math.min(frameAt(seconds, rate), track.frames - 1);

export type Picture = { readonly at: number; readonly format: "png" | "jpg"; readonly isTransparent: boolean };

/** Draws one frame as a file of its own. Returns its path. */
export async function drawPicture(
  deps: RendererDeps,
  timeline: Timeline,
  { at, format, isTransparent }: Picture,
  options: PictureOptions,
): Promise<string> {
  const { owner, signal, folder } = options;
  const frames = [frameOf(timeline, at)];
  const [path] = await drawPictures(deps, { timeline, frames, size: timeline.canvas, isTransparent }, options);
  if (format === "png") return path!; // safe because one frame was wanted
  const output = `${folder}/picture.jpg`;
  await deps.canvas.run("convertToJpeg", { path: path!, output }, { owner, signal, bitmaps: 1 });
  return output;
}
