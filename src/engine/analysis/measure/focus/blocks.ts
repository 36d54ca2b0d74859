import type { SmallFrame } from "../frames/small-frame.ts";

export const blockSide = 8;
/** Blocks overlap by half. */
const blockStep = 4;

/** The middle of a block, as a fraction of the frame's side. */
export const blockMiddle = (index: number, length: number): number => (index * blockStep + blockSide / 2) / length;

/** The number of blocks in a row and in a column of a frame. */
export const blockGrid = ({ width, height }: Pick<SmallFrame, "width" | "height">) => ({
  columns: (width - blockSide) / blockStep + 1,
  rows: (height - blockSide) / blockStep + 1,
});

export function mapBlocks(frame: SmallFrame, map: (left: number, top: number) => number): Float32Array {
  const { columns, rows } = blockGrid(frame);
  return Float32Array.from({ length: columns * rows }, (_, index) =>
    map((index % columns) * blockStep, Math.floor(index / columns) * blockStep),
  );
}

export function meanOf(plane: Uint8Array, width: number, left: number, top: number, side: number): number {
  let sum = 0;
  for (let row = top; row < top + side; row++) {
    for (let column = left; column < left + side; column++) sum += plane[row * width + column]!;
  }
  return sum / side ** 2;
}

/** The mean difference of neighbors in a block. */
export function edgesIn({ luma, width, height }: SmallFrame, left: number, top: number): number {
  let sum = 0;
  for (let row = top; row < Math.min(top + blockSide, height - 1); row++) {
    for (let column = left; column < Math.min(left + blockSide, width - 1); column++) {
      const at = row * width + column;
      sum += Math.abs(luma[at + 1]! - luma[at]!) + Math.abs(luma[at + width]! - luma[at]!);
    }
  }
  return sum / blockSide ** 2;
}

/** The excess of values over those of most blocks. */
export function excessOf(values: Float32Array, noise: number): Float32Array {
  const usual = 1.2 * medianOf(values) + noise;
  return values.map((value) => Math.max(0, value - usual));
}

export const medianOf = (values: Float32Array): number => values.toSorted()[values.length >> 1]!;

export const totalOf = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0);
