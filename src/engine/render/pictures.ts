import { frameAt } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { PictureOptions, RendererDeps } from "./prepare.ts";

type Picture = { readonly at: number; readonly format: "png" | "jpg"; readonly isTransparent: boolean };

/** Draws one frame as a file of its own; the last one after the end. Returns its path. */
export async function drawPicture(
  deps: RendererDeps,
  timeline: Timeline,
  { at, format, isTransparent }: Picture,
  options: PictureOptions,
): Promise<string> {
  const { owner, signal, folder } = options;
  const { rate, track, canvas: size } = timeline;
  const frames = [Math.min(frameAt(at, rate), track.frames - 1)];
  const [path] = await deps.drawPictures(deps, { timeline, frames, size, isTransparent }, options);
  if (format === "png") return path!; // safe because one frame was wanted
  const output = `${folder}/picture.jpg`;
  await deps.canvas.run("convertToJpeg", { path: path!, output }, { owner, signal, bitmaps: 1 });
  return output;
}
