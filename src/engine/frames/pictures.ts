import { mkdir } from "node:fs/promises";
import { type DrawPictures, scopeOf } from "../render/prepare.ts";
import { drawFrames } from "./draw.ts";

/** Draws the pictures of exports: their files, their posters, and what their palettes are made from. */
export const drawPictures: DrawPictures = async (deps, pictures, { projectId, ...options }) => {
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
};
