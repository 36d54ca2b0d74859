import type { Rgb } from "../support/media/rgb.ts";

type Size = { readonly width: number; readonly height: number };
export type InkBox = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** Pixels of one hue; 4:2:0 video blurs the edges of a color by a pixel on each side alike. */
export const isMagenta = (r: number, g: number, b: number) => r > 150 && b > 150 && g < 90;
export const isGreen = (r: number, g: number, b: number) => g > 150 && r < 110 && b < 110;

/** The smallest box around all pixels of a frame that `isInk` accepts. The right and bottom edges are exclusive. */
export function inkBox(
  frame: Rgb,
  { width, height }: Size,
  isInk: (r: number, g: number, b: number) => boolean,
): InkBox {
  const pixels = Array.from({ length: width * height }, (_, at) => at).filter((at) =>
    isInk(frame[at * 3]!, frame[at * 3 + 1]!, frame[at * 3 + 2]!),
  );
  const columns = pixels.map((at) => at % width);
  const rows = pixels.map((at) => Math.floor(at / width));
  const [left, right] = extent(columns);
  const [top, bottom] = extent(rows);
  return { left, top, right: right + 1, bottom: bottom + 1 };
}

const extent = (values: readonly number[]): [number, number] => [
  values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
];

export const centerOf = ({ left, top, right, bottom }: InkBox) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });
