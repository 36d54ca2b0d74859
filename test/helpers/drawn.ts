import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { DrawnOverlay } from "../../src/compiler/picture/layers.ts";
import { drawOverlays } from "../../src/media/overlays/overlays.ts";
import type { Color, ImagePicture, Overlay, TextStyle } from "../../src/timeline/overlay.ts";

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

/** A text in the middle of the canvas, for two seconds. */
export const textOverlay = (text: string, style: Partial<TextStyle> = {}, rest: Partial<Overlay> = {}): Overlay => ({
  ...still,
  range: { start: 0, end: 60 },
  picture: { kind: "text", text, style: { ...plain, ...style }, anchor: { at: "center", x: 160, y: 120 } },
  ...rest,
});

export const imageOverlay = (
  path: string,
  box: ImagePicture["box"],
  { fit = "stretch", ...rest }: Partial<Overlay> & { fit?: ImagePicture["fit"] } = {},
): Overlay => ({
  ...still,
  range: { start: 0, end: 60 },
  picture: {
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

/** A folder that is gone after `use`. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "drawn-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The pixels of a picture, as laid over an otherwise clear canvas. */
export class Pixels {
  constructor(
    readonly data: Uint8ClampedArray,
    readonly width: number,
  ) {}

  at = (x: number, y: number): number[] => [
    ...this.data.subarray(4 * (y * this.width + x), 4 * (y * this.width + x) + 4),
  ];

  /** The sum of all alpha, in whole pixels. */
  get ink(): number {
    return this.alphas().reduce((sum, { alpha }) => sum + alpha, 0) / 255;
  }

  /** The middle of the ink's bounds, in pixels from the top-left corner. */
  get middle(): { x: number; y: number } {
    const [xs, ys] = [this.alphas().map(({ x }) => x), this.alphas().map(({ y }) => y)];
    const middle = (values: number[]) => (Math.min(...values) + Math.max(...values) + 1) / 2;
    return { x: middle(xs), y: middle(ys) };
  }

  /** How wide and high the ink is. */
  get size(): { width: number; height: number } {
    const [xs, ys] = [this.alphas().map(({ x }) => x), this.alphas().map(({ y }) => y)];
    const length = (values: number[]) => Math.max(...values) - Math.min(...values) + 1;
    return { width: length(xs), height: length(ys) };
  }

  private alphas(): { x: number; y: number; alpha: number }[] {
    const found: { x: number; y: number; alpha: number }[] = [];
    for (let index = 0; index < this.data.length / 4; index++) {
      const alpha = this.data[4 * index + 3]!;
      if (alpha > 0) found.push({ x: index % this.width, y: Math.floor(index / this.width), alpha });
    }
    return found;
  }
}

export type Shown = DrawnOverlay & { readonly frames: readonly Pixels[]; readonly held: Pixels };

/** Draws overlays and reads every picture back. */
export const show = (...overlays: Overlay[]): Promise<Shown[]> =>
  inFolder(async (folder) => {
    const rate = { num: 30, den: 1 };
    const drawn = await drawOverlays(overlays, { canvas, rate, folder, openFile: async ({ file }) => file });
    return await Promise.all(drawn.map(readBack));
  });

/** The held picture of one overlay. */
export async function showOne(overlay: Overlay): Promise<Pixels> {
  const [shown] = await show(overlay);
  if (!shown) throw new Error("The overlay was left out.");
  return shown.held;
}

async function readBack(overlay: DrawnOverlay): Promise<Shown> {
  const count = overlay.intro + 1 + overlay.outro;
  const frames = await Promise.all(Array.from({ length: count }, (_, index) => readPicture(overlay, index)));
  return { ...overlay, frames, held: frames[overlay.intro]! };
}

async function readPicture({ pattern, box }: DrawnOverlay, index: number): Promise<Pixels> {
  const context = createCanvas(canvas.width, canvas.height).getContext("2d");
  context.drawImage(await loadImage(pattern.replace("%d", `${index}`)), box.x, box.y);
  return new Pixels(context.getImageData(0, 0, canvas.width, canvas.height).data, canvas.width);
}
