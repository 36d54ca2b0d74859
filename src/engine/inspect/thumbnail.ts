import { resolve } from "node:path";
import { withJobFolder } from "../../platform/files.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { readOutput } from "../sandbox/task-files.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import { type MediaFacts, pictureEnd } from "../timeline/source.ts";
import { extractFrame, type SampleTools } from "./sample.ts";

type InspectedFile = { readonly path: string; readonly facts: MediaFacts };

type ThumbnailTools = SampleTools & { readonly canvas: TaskPool };

const maxSide = 480;

/** Tried in this order, as shares of the duration: videos often open with black or a title. The start always exists. */
const positions = [0.1, 0.5, 0] as const;

/** WebP needs less than this only for almost empty frames. */
const minBytesPerPixel = 0.02;

/** A WebP thumbnail of an image or a video; undefined for files without a video track. */
export async function createThumbnail(
  tools: ThumbnailTools,
  { path, facts }: InspectedFile,
  options: TaskOptions,
): Promise<Uint8Array | undefined> {
  if (facts.kind !== "image" && facts.kind !== "video") return undefined;
  const thumbnailOf = facts.kind === "image" ? imageThumbnail : videoThumbnail;
  const file = { path: resolve(path), facts };
  return await withJobFolder(tools.makeFolder, (folder) => thumbnailOf(tools, file, { ...options, folder }));
}

type ThumbnailOptions = TaskOptions & { readonly folder: string };

async function imageThumbnail(
  { canvas }: ThumbnailTools,
  { path }: InspectedFile,
  { folder, ...options }: ThumbnailOptions,
) {
  const output = `${folder}/thumbnail.webp`;
  await canvas.run("drawThumbnail", { path, output, maxSide, ignoresColorChunks: false }, options);
  return await readOutput(output);
}

async function videoThumbnail(
  { canvas, ffmpeg }: ThumbnailTools,
  { path, facts }: InspectedFile,
  { folder, ...options }: ThumbnailOptions,
) {
  const end = pictureEnd(facts) ?? 0;
  const size = scaledSize(maxSide, facts);
  const output = `${folder}/thumbnail.webp`;
  let best: Uint8Array | undefined;
  for (const position of positions) {
    const seconds = end * position;
    const frame = await extractFrame(ffmpeg, path, { facts, seconds, size, folder });
    if (!frame) continue;
    await canvas.run("drawThumbnail", { path: frame, output, maxSide, ignoresColorChunks: true }, options);
    const thumbnail = await readOutput(output);
    if (thumbnail.length > (best?.length ?? 0)) best = thumbnail;
    if (thumbnail.length > minBytesPerPixel * size.width * size.height) return thumbnail;
  }
  return best;
}

function scaledSize(side: number, { width = side, height = side }: MediaFacts) {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
