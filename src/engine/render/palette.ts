import { link, mkdir } from "node:fs/promises";
import { basename } from "node:path";
import { compilePalette } from "../compiler/formats.ts";
import { paletteKey } from "./cache-keys.ts";
import type { RenderJob } from "./job.ts";
import type { RendererDeps } from "./prepare.ts";
import { drawPictures, type PictureOptions } from "./still-picture.ts";

/** More frames hardly change the palette. */
const maxFrames = 16;
const longestSide = 480;

/** Finds the palette of a GIF, by frames of its first video. */
export async function withPalette(
  deps: RendererDeps,
  job: RenderJob,
  options: Omit<PictureOptions, "folder">,
): Promise<RenderJob> {
  if (job.encoding.codec !== "gif") return job;
  const { folder, scope, cache, output } = job;
  const { timeline } = job.videos[0];
  const { canvas, track } = timeline;
  const parts = Math.min(maxFrames, track.frames);
  const frames = Array.from({ length: parts }, (_, index) => Math.floor(((index + 0.5) * track.frames) / parts));
  const scale = Math.min(1, longestSide / Math.max(canvas.width, canvas.height));
  const size = { width: evenSide(canvas.width * scale), height: evenSide(canvas.height * scale) };
  const { isTransparent } = output;
  const key = paletteKey({ timeline, frames, size, isTransparent }, scope);
  const name = `palette-${basename(key)}.png`;
  const path = `${folder}/${name}`;
  if (!(await cache.linkTo(key, path))) {
    const drawing = `${folder}/palette`;
    const pictures = { timeline, frames, size, isTransparent, isFromSources: true };
    const paths = await drawPictures(deps, pictures, { ...options, folder: drawing });
    const numbered = `${drawing}/numbered`;
    await mkdir(numbered);
    for (const [index, picture] of paths.entries()) await link(picture, `${numbered}/${index}.png`);
    const pattern = `${numbered.replaceAll("%", "%%")}/%d.png`;
    await job.run(compilePalette(pattern, path), { folder, signal: job.signal });
    await cache.put([{ key, path }]);
  }
  return { ...job, encoding: { ...job.encoding, palette: name } };
}

const evenSide = (length: number) => Math.max(2, 2 * Math.round(length / 2));
