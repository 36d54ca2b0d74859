import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCanvas, ImageData, loadImage } from "@napi-rs/canvas";
import { bitmapAt, type DrawnOverlay } from "../../../src/engine/compiler/video/overlays.ts";
import { drawOverlay } from "../../../src/engine/overlays/draw.ts";
import { byteBudget, type OverlayDrawer } from "../../../src/engine/overlays/files.ts";
import { segmentOverlays } from "../../../src/engine/overlays/overlays.ts";
import { type Pieces, piecesOf } from "../../../src/engine/overlays/pieces.ts";
import { drawStates } from "../../../src/engine/overlays/states.ts";
import type { ImageContent, Overlay, TextStyle } from "../../../src/engine/timeline/overlay.ts";
import type { Color } from "../../../src/platform/colors.ts";

export const white: Color = { red: 255, green: 255, blue: 255, alpha: 1 };
export const red: Color = { red: 255, green: 0, blue: 0, alpha: 1 };
export const canvas = { width: 320, height: 240 };

const still = { opacity: 1, rotationDegrees: 0, animateIn: "none", animateOut: "none" } as const;

const plain: TextStyle = {
  fontSize: 40,
  fontColor: white,
  fontWeight: 400,
  align: "center",
  lineHeight: 1.2,
  letterSpacing: 0,
};

/** A text at the center of the canvas, for two seconds. */
export const textOverlay = (text: string, style: Partial<TextStyle> = {}, rest: Partial<Overlay> = {}): Overlay => ({
  ...still,
  range: { start: 0, end: 60 },
  content: { kind: "text", text, style: { ...plain, ...style }, anchor: { at: "center", x: 160, y: 120 } },
  ...rest,
});

export const imageOverlay = (
  path: string,
  box: ImageContent["box"],
  { fit = "stretch", ...rest }: Partial<Overlay> & { fit?: ImageContent["fit"] } = {},
): Overlay => ({
  ...still,
  range: { start: 0, end: 60 },
  content: {
    kind: "image",
    source: {
      file: path,
      hash: path,
      facts: { kind: "image", container: "png", mimeType: "image/png", extension: "png" },
    },
    box,
    fit,
  },
  ...rest,
});

/** Removes the folder after `use`. */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "drawn-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The pixels of a drawn frame on an otherwise transparent canvas. */
export class Pixels {
  constructor(
    readonly data: Uint8ClampedArray,
    readonly width: number,
  ) {}

  at = (x: number, y: number): number[] => [
    ...this.data.subarray(4 * (y * this.width + x), 4 * (y * this.width + x) + 4),
  ];

  /** The sum of all alpha values, in opaque pixels. */
  get ink(): number {
    let sum = 0;
    for (let index = 3; index < this.data.length; index += 4) sum += this.data[index]!;
    return sum / 255;
  }

  /** The center of the bounding box, in pixels from the top-left corner. */
  get center(): { x: number; y: number } {
    const { left, right, top, bottom } = this.bounds();
    return { x: (left + right) / 2, y: (top + bottom) / 2 };
  }

  /** The size of the bounding box. */
  get size(): { width: number; height: number } {
    const { left, right, top, bottom } = this.bounds();
    return { width: right - left, height: bottom - top };
  }

  private bounds(): { left: number; right: number; top: number; bottom: number } {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let index = 0; index < this.data.length / 4; index++) {
      if (this.data[4 * index + 3] === 0) continue;
      const [x, y] = [index % this.width, Math.floor(index / this.width)];
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + 1);
    }
    return { left, right, top, bottom };
  }
}

/** `settled` is the bitmap in the middle of the range. */
export type DrawnPixels = DrawnOverlay & { readonly frames: readonly Pixels[]; readonly settled: Pixels };

/** Draws in this process. The key of a source is its path. */
export const drawHere: OverlayDrawer = {
  pathOf: ({ file }) => file,
  overlay: (overlay, bitmaps) => drawOverlay(overlay, { ...bitmaps, localPathOf }),
  states: (states, to) => drawStates({ ...to, states: states.map((state) => state ?? null), localPathOf }),
};

const localPathOf = async ({ file }: { readonly file: string }) => file;

/** The pieces of overlays on a timeline without clips. */
export const piecesFor = (overlays: readonly Overlay[]): Pieces => {
  const frames = Math.max(0, ...overlays.map(({ range }) => range.end));
  const gap = { kind: "gap", range: { start: 0, end: frames } } as const;
  return piecesOf({ overlays, canvas, rate: { num: 30, den: 1 }, track: { frames, spans: frames > 0 ? [gap] : [] } });
};

export const renderFootage = () => Promise.reject(new Error("No video is shown."));

export const renderGround = () => Promise.reject(new Error("Nothing is blended."));

const wholeVideo = { start: 0, end: 1_000_000 };

/** Draws all bitmaps of overlays. */
export function drawInto(folder: string, overlays: readonly Overlay[], signal = new AbortController().signal) {
  const options = { canvas, rate: { num: 30, den: 1 }, textEngine: "", folder, budget: byteBudget(), draw: drawHere };
  return segmentOverlays(piecesFor(overlays), [wholeVideo], options).draw(wholeVideo, {
    signal,
    renderGround,
    renderFootage,
  });
}

/** Draws overlays and reads all their frames back. */
export const drawAll = (...overlays: Overlay[]): Promise<DrawnPixels[]> =>
  withTemporaryFolder(async (folder) => {
    const drawn = await drawInto(folder, overlays);
    return await Promise.all(drawn.map(readBack));
  });

/** Draws one overlay and returns its settled frame. */
export async function drawOne(overlay: Overlay): Promise<Pixels> {
  const [drawn] = await drawAll(overlay);
  if (!drawn) throw new Error("The overlay was not drawn.");
  return drawn.settled;
}

async function readBack(overlay: DrawnOverlay): Promise<DrawnPixels> {
  const { range, starts } = overlay;
  const frames = await Promise.all(starts.map((_, index) => readFrame(overlay, index)));
  return { ...overlay, frames, settled: frames[bitmapAt(overlay, Math.floor((range.start + range.end) / 2))]! };
}

async function readFrame({ files, box }: DrawnOverlay, index: number): Promise<Pixels> {
  const context = createCanvas(canvas.width, canvas.height).getContext("2d");
  if (files.kind === "numbered") {
    context.drawImage(await loadImage(files.pattern.replace("%d", `${index}`)), box.x, box.y);
  } else {
    const bytes = box.width * box.height * 4;
    const frame = Bun.file(files.path).slice(index * bytes, (index + 1) * bytes);
    const pixels = new Uint8ClampedArray(await frame.arrayBuffer());
    context.putImageData(new ImageData(pixels, box.width, box.height), box.x, box.y);
  }
  return new Pixels(context.getImageData(0, 0, canvas.width, canvas.height).data, canvas.width);
}
