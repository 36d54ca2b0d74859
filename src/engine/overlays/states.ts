import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { ImageData, type SKRSContext2D } from "@napi-rs/canvas";
import { type Box, intersect, isEmpty, snapOutward, union } from "../drawing/box.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import type { DrawnState, Footage } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { contentLoader, type PreparedLayer } from "./content.ts";
import { prepareLayer } from "./layer.ts";

type StatesOptions = {
  /** Null on frames that show nothing. */
  readonly states: readonly (DrawnState | null)[];
  readonly canvas: Canvas;
  readonly format: "png" | "raw";
  /** Raw RGBA frames of the canvas, one for each state, that the layer is blended with. */
  readonly ground?: string | undefined;
  readonly output: string;
  readonly footage?: readonly Omit<Footage, "path">[];
  /** Also takes the key of footage as a file. */
  localPathOf(source: Pick<Source, "file">): Promise<string>;
};

/**
 * Draws the looks of a layer: one as PNG, or several as raw frames, cropped to all that they touch. Undefined if
 * nothing of them is visible.
 */
export async function drawStates(options: StatesOptions): Promise<{ readonly box: Box } | undefined> {
  const { states, canvas, format, output, localPathOf, footage = [] } = options;
  const loader = contentLoader(localPathOf, footage);
  const layers: (PreparedLayer | undefined)[] = [];
  for (const state of states) layers.push(state ? await prepareLayer(state, canvas, loader) : undefined);
  const frame = { x: 0, y: 0, ...canvas };
  const box = snapOutward(union(layers.map((layer) => (layer ? intersect(layer.bounds, frame) : emptyBox))), 2);
  if (isEmpty(box)) return undefined;

  const context = newCanvas(box.width, box.height).getContext("2d");
  const paint = (layer: PreparedLayer | undefined) => {
    context.save();
    context.translate(-box.x, -box.y);
    layer?.paint(context);
    context.restore();
  };
  if (format === "png") {
    await layers[0]?.load();
    paint(layers[0]);
    await writeFile(output, await context.canvas.encode("png"));
    return { box };
  }
  await withFiles(options, async (file, ground) => {
    for (const [index, layer] of layers.entries()) {
      context.clearRect(0, 0, box.width, box.height);
      await layer?.load();
      if (ground === undefined) paint(layer);
      else paintBlended(context, readGround(ground, index, { canvas, box }), () => paint(layer));
      writeAll(file, context.getImageData(0, 0, box.width, box.height).data);
      layer?.free();
      // frees the pixels: without a turn of the event loop each frame takes new memory, and ten times as long
      await setImmediate();
    }
  });
  return { box };
}

const emptyBox: Box = { x: 0, y: 0, width: 0, height: 0 };

async function withFiles(
  { output, ground }: StatesOptions,
  use: (output: number, ground: number | undefined) => Promise<void>,
): Promise<void> {
  const files = [openSync(output, "w"), ...(ground === undefined ? [] : [openSync(ground, "r")])];
  try {
    await use(files[0]!, files[1]);
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** Keeps of the blended result what the layer touches, so that the rest of the ground is not encoded twice. */
function paintBlended(context: SKRSContext2D, ground: ImageData, paint: () => void): void {
  const { width, height } = ground;
  paint();
  const touched = pixelsOf(context.getImageData(0, 0, width, height));
  context.putImageData(ground, 0, 0);
  paint();
  const blended = context.getImageData(0, 0, width, height);
  const pixels = pixelsOf(blended);
  for (let index = 0; index < pixels.length; index++) if (touched[index] === 0) pixels[index] = 0;
  context.putImageData(blended, 0, 0);
}

const pixelsOf = ({ data }: ImageData): Int32Array => new Int32Array(data.buffer, data.byteOffset, data.length / 4);

type Part = { readonly canvas: Canvas; readonly box: Box };

/** The part of a frame of the ground that lies below a box. */
function readGround(file: number, index: number, { canvas, box }: Part): ImageData {
  const rows = new Uint8Array(box.height * canvas.width * 4);
  const position = (index * canvas.height + box.y) * canvas.width * 4;
  for (let done = 0; done < rows.length; ) {
    const count = readSync(file, rows, done, rows.length - done, position + done);
    if (count === 0) throw new Error("The ground has too few frames.");
    done += count;
  }
  const data = new Uint8ClampedArray(box.width * box.height * 4);
  for (let row = 0; row < box.height; row++) {
    const from = (row * canvas.width + box.x) * 4;
    data.set(rows.subarray(from, from + box.width * 4), row * box.width * 4);
  }
  return new ImageData(data, box.width, box.height);
}

function writeAll(file: number, bytes: Uint8ClampedArray): void {
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let done = 0; done < view.length; ) done += writeSync(file, view, done);
}
