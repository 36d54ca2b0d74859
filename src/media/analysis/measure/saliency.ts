import { blockDifference } from "./block-matching.ts";
import type { SmallFrame } from "./small-frame.ts";

const blockSide = 8;
const blockStep = 4;
const searchRange = 12;

/** How much each block of a frame attracts the eye, summed over its columns and over its rows. */
export type Saliency = { readonly columns: Float32Array; readonly rows: Float32Array };

/** Blocks overlap by half. */
const blockCount = (length: number): number => (length - blockSide) / blockStep + 1;

/** The middle of a block, as a fraction of the frame's side. */
export const blockMiddle = (index: number, length: number): number => (index * blockStep + blockSide / 2) / length;

/** What moves against the background, which the camera may move itself. */
export function motionSaliency(before: SmallFrame, after: SmallFrame): Saliency {
  const camera = estimatePan(before, after);
  const values = mapBlocks(after, (x, y) => {
    let best = Number.POSITIVE_INFINITY;
    for (let byY = -1; byY <= 1; byY++) {
      for (let byX = -1; byX <= 1; byX++) {
        const difference = blockDifference(before, after, x, y, x + camera.x + byX, y + camera.y + byY, best);
        best = Math.min(best, difference);
      }
    }
    return best;
  });
  return profileOf(
    values.map((value) => Math.min(maxMotion, value)),
    after,
    noiseOfMotion,
  );
}

const maxMotion = 24;
const noiseOfMotion = 2;

/** What stands out of the frame by its colors and its edges. */
export function detailSaliency(frame: SmallFrame): Saliency {
  const { width, height, luma, cb, cr } = frame;
  const edges = mapBlocks(frame, (x, y) => {
    let sum = 0;
    for (let row = y; row < Math.min(y + blockSide, height - 1); row++) {
      for (let column = x; column < Math.min(x + blockSide, width - 1); column++) {
        const at = row * width + column;
        sum += Math.abs(luma[at + 1]! - luma[at]!) + Math.abs(luma[at + width]! - luma[at]!);
      }
    }
    return Math.min(maxEdges, sum / blockSide ** 2);
  });
  const levels = mapBlocks(frame, (x, y) => meanOf(luma, width, x, y, blockSide));
  const blues = mapBlocks(frame, (x, y) => meanOf(cb, width / 2, x / 2, y / 2, blockSide / 2));
  const reds = mapBlocks(frame, (x, y) => meanOf(cr, width / 2, x / 2, y / 2, blockSide / 2));
  const [level, blue, red] = [levels, blues, reds].map(medianOf) as [number, number, number];
  const colors = levels.map((value, index) =>
    Math.min(
      maxColor,
      Math.abs(value - level) / 2 + 2 * (Math.abs(blues[index]! - blue) + Math.abs(reds[index]! - red)),
    ),
  );
  const edgeProfile = excessOf(edges, 1);
  const colorProfile = excessOf(colors, 4);
  return sumUp(
    edgeProfile.map((value, index) => value / maxEdges + colorProfile[index]! / maxColor),
    frame,
  );
}

const maxEdges = 30;
const maxColor = 80;

const meanOf = (plane: Uint8Array, width: number, x: number, y: number, side: number): number => {
  let sum = 0;
  for (let row = y; row < y + side; row++) {
    for (let column = x; column < x + side; column++) sum += plane[row * width + column]!;
  }
  return sum / side ** 2;
};

const profileOf = (values: Float32Array, frame: SmallFrame, noise: number): Saliency =>
  sumUp(excessOf(values, noise), frame);

/** By how much values exceed those of most blocks. */
function excessOf(values: Float32Array, noise: number): Float32Array {
  const usual = 1.2 * medianOf(values) + noise;
  return values.map((value) => Math.max(0, value - usual));
}

const medianOf = (values: Float32Array): number => values.toSorted()[values.length >> 1]!;

function mapBlocks({ width, height }: SmallFrame, map: (x: number, y: number) => number): Float32Array {
  const columns = blockCount(width);
  return Float32Array.from({ length: columns * blockCount(height) }, (_, index) =>
    map((index % columns) * blockStep, Math.floor(index / columns) * blockStep),
  );
}

function sumUp(values: Float32Array, { width, height }: SmallFrame): Saliency {
  const columns = new Float32Array(blockCount(width));
  const rows = new Float32Array(blockCount(height));
  for (const [index, value] of values.entries()) {
    columns[index % columns.length]! += value;
    rows[Math.floor(index / columns.length)]! += value;
  }
  return { columns, rows };
}

/** The displacement of the background. Differences are capped, so that what moves before it counts little. */
function estimatePan(before: SmallFrame, after: SmallFrame) {
  let best = { x: 0, y: 0, difference: panDifference(before, after, 0, 0) };
  const search = (centerX: number, centerY: number, range: number, step: number) => {
    for (let y = centerY - range; y <= centerY + range; y += step) {
      for (let x = centerX - range; x <= centerX + range; x += step) {
        const difference = panDifference(before, after, x, y);
        if (difference < best.difference - 1e-3) best = { x, y, difference };
      }
    }
  };
  search(0, 0, searchRange, 3);
  search(best.x, best.y, 2, 1);
  return best;
}

const maxPanDifference = 16;

function panDifference(before: SmallFrame, after: SmallFrame, byX: number, byY: number): number {
  const { width, height } = after;
  let sum = 0;
  let count = 0;
  for (let y = searchRange; y < height - searchRange; y += 3) {
    const a = (y + byY) * width + byX;
    const b = y * width;
    for (let x = searchRange; x < width - searchRange; x += 3) {
      sum += Math.min(maxPanDifference, Math.abs(before.luma[a + x]! - after.luma[b + x]!));
      count++;
    }
  }
  return sum / count;
}
