import { closeSync, openSync, writeSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { type Box, intersect, isEmpty, snapOutward, union } from "../drawing/box.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import type { DrawnState } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { contentLoader } from "./content.ts";
import { prepareLayer } from "./layer.ts";

type StatesOptions = {
  /** Null on frames that show nothing. */
  readonly states: readonly (DrawnState | null)[];
  readonly canvas: Canvas;
  readonly format: "png" | "raw";
  readonly output: string;
  localPathOf(source: Source): Promise<string>;
};

/**
 * Draws the looks of a layer: one as PNG, or several as raw frames, cropped to all that they touch. Undefined if
 * nothing of them is visible.
 */
export async function drawStates({
  states,
  canvas,
  format,
  output,
  localPathOf,
}: StatesOptions): Promise<{ readonly box: Box } | undefined> {
  const loader = contentLoader(localPathOf);
  const layers = [];
  for (const state of states) layers.push(state ? await prepareLayer(state, canvas, loader) : undefined);
  const frame = { x: 0, y: 0, ...canvas };
  const box = snapOutward(union(layers.map((layer) => (layer ? intersect(layer.bounds, frame) : emptyBox))), 2);
  if (isEmpty(box)) return undefined;

  const context = newCanvas(box.width, box.height).getContext("2d");
  const file = format === "raw" ? openSync(output, "w") : undefined;
  try {
    for (const layer of layers) {
      context.clearRect(0, 0, box.width, box.height);
      context.save();
      context.translate(-box.x, -box.y);
      layer?.paint(context);
      context.restore();
      if (file === undefined) await writeFile(output, await context.canvas.encode("png"));
      else writeAll(file, context.getImageData(0, 0, box.width, box.height).data);
      // frees the pixels: without a turn of the event loop each frame takes new memory, and ten times as long
      await setImmediate();
    }
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return { box };
}

const emptyBox: Box = { x: 0, y: 0, width: 0, height: 0 };

function writeAll(file: number, bytes: Uint8ClampedArray): void {
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let done = 0; done < view.length; ) done += writeSync(file, view, done);
}
