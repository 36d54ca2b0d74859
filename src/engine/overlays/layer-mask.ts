import type { Canvas as Bitmap, SKRSContext2D } from "@napi-rs/canvas";
import type { Box } from "../drawing/box.ts";
import { channelOf, maskByDrawing, maskByShape } from "../drawing/mask.ts";
import { freeDrawn, newCanvas } from "../drawing/new-canvas.ts";
import type { Mask } from "../timeline/motion.ts";
import type { DrawnState } from "../timeline/overlay.ts";
import type { Canvas } from "../timeline/timeline.ts";
import type { ContentLoader, PreparedLayer, PrepareLayer } from "./content.ts";

/** A mask whose picture or layer is loaded, and the space that it lies in. */
export type LoadedMask = {
  readonly space: "layer" | "frame";
  /** Keeps the masked pixels of a context whose transform is that of the space; `box` is the layer's. */
  apply(context: SKRSContext2D, box: Box): void;
} & Partial<Pick<PreparedLayer, "load" | "free">>;

type LoadOptions = { readonly frame: Canvas; readonly loader: ContentLoader; readonly prepare: PrepareLayer };

export async function loadMask(mask: Mask<DrawnState>, { frame, loader, prepare }: LoadOptions): Promise<LoadedMask> {
  if (mask.kind === "image") {
    const image = await loader.image(mask.source);
    const { width, height } = image;
    const drawn = newCanvas(width, height);
    drawn.getContext("2d").drawImage(image, 0, 0);
    const channel = channelOf(drawn, mask.by);
    return {
      space: "layer",
      apply: (context, box) =>
        maskByDrawing(context, mask, (target) => {
          target.imageSmoothingQuality = "high";
          target.drawImage(channel, box.x, box.y, box.width, box.height);
        }),
    };
  }
  if (mask.kind === "layer") {
    const layer = await prepare(mask.layer, frame, loader);
    const paint = (target: SKRSContext2D) => layer?.paint(target);
    return {
      space: "frame",
      load: async () => layer?.load(),
      free: () => layer?.free(),
      apply: (context) => maskByDrawing(context, mask, (target) => paintChannel(target, mask.by, paint)),
    };
  }
  return { space: "layer", apply: (context, box) => maskByShape(context, mask, box) };
}

function paintChannel(target: SKRSContext2D, by: "alpha" | "luma", paint: (target: SKRSContext2D) => void): void {
  if (by === "alpha") {
    paint(target);
    return;
  }
  const layer = newCanvas(target.canvas.width, target.canvas.height).getContext("2d");
  layer.setTransform(target.getTransform());
  paint(layer);
  const channel: Bitmap = channelOf(layer.canvas, by);
  target.save();
  target.resetTransform();
  target.drawImage(channel, 0, 0);
  target.restore();
  for (const drawn of new Set([layer.canvas, channel])) freeDrawn(drawn, target);
}
