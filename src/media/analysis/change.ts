import type { SmallPicture } from "./pictures.ts";

/** How one picture differs from another. In levels of 0..255 unless said. */
export type Change = {
  /** What remains of the difference once movement is taken out: mean over all blocks. */
  readonly residual: number;
  /** The same of the block that a quarter of all blocks fall below: what is not in the way of a moving thing. */
  readonly quiet: number;
  /** Share of the blocks that movement does not explain, 0..1. */
  readonly spread: number;
  /** Distance of the color histograms, 0..1. */
  readonly color: number;
  /** Difference of pixels at the same place. */
  readonly difference: number;
};

const side = 8;
const half = side / 2;
const searchReach = 6;
/** A block that differs by less is the same: nothing is looked for. */
const stillLevel = 1.5;
/** A block that differs by more is another one. */
const otherLevel = 8;

type Shift = { readonly x: number; readonly y: number };
const noShift: Shift = { x: 0, y: 0 };

/** Compares pictures of one size block by block, following movement, so that a pan or a passing car is no change. */
export function changeBetween(before: SmallPicture, after: SmallPicture): Change {
  const places = blocksOf(before, after);
  const still = places.map(({ x, y }) => blockDifference(before, after, x, y, x, y, Number.POSITIVE_INFINITY));
  const difference = mean(still);
  const camera = difference > 2 ? cameraShift(before, after) : noShift;
  const residuals = Float32Array.from(still, (each, index) =>
    each < stillLevel ? each : moved(before, after, places[index]!, camera, each),
  );
  const others = residuals.reduce((count, residual) => count + (residual > otherLevel ? 1 : 0), 0);
  return {
    residual: mean(residuals),
    quiet: residuals.toSorted()[residuals.length >> 2]!,
    spread: others / residuals.length,
    color: histogramDistance(before.histogram, after.histogram),
    difference,
  };
}

const mean = (values: ArrayLike<number>) => {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index]!;
  return sum / values.length;
};

/** The blocks of a picture, without those that lie in black bars. */
function blocksOf(before: SmallPicture, after: SmallPicture): readonly Shift[] {
  const { bars, width, height } = after;
  const [across, down] = [Math.min(bars.x, before.bars.x), Math.min(bars.y, before.bars.y)];
  const places: Shift[] = [];
  for (let y = down; y <= height - side - down; y += side) {
    for (let x = across; x <= width - side - across; x += side) places.push({ x, y });
  }
  return places;
}

/** The mean difference of the block at `x`, `y` from one in the picture before; not read on past `enough`. */
function blockDifference(
  before: SmallPicture,
  after: SmallPicture,
  x: number,
  y: number,
  wantedX: number,
  wantedY: number,
  enough: number,
): number {
  const { width, height } = after;
  const fromX = Math.min(width - side, Math.max(0, wantedX));
  const fromY = Math.min(height - side, Math.max(0, wantedY));
  const limit = enough * side * side;
  let sum = 0;
  for (let row = 0; row < side && sum < limit; row++) {
    const a = (fromY + row) * width + fromX;
    const b = (y + row) * width + x;
    for (let column = 0; column < side; column++) sum += Math.abs(before.luma[a + column]! - after.luma[b + column]!);
  }
  for (let row = 0; row < half && sum < limit; row++) {
    const a = (((fromY >> 1) + row) * width) / 2 + (fromX >> 1);
    const b = (((y >> 1) + row) * width) / 2 + (x >> 1);
    for (let column = 0; column < half; column++) {
      const blue = Math.abs(before.cb[a + column]! - after.cb[b + column]!);
      sum += 2 * (blue + Math.abs(before.cr[a + column]! - after.cr[b + column]!));
    }
  }
  return sum / (side * side);
}

/** What differs from the likest block near the same place, or near where the camera's movement takes it. */
function moved(before: SmallPicture, after: SmallPicture, { x, y }: Shift, camera: Shift, still: number): number {
  let best = still;
  let [bestX, bestY] = [x, y];
  const search = (middleX: number, middleY: number, reach: number, step: number) => {
    for (let fromY = middleY - reach; fromY <= middleY + reach; fromY += step) {
      for (let fromX = middleX - reach; fromX <= middleX + reach; fromX += step) {
        const found = blockDifference(before, after, x, y, fromX, fromY, best);
        if (found >= best) continue;
        best = found;
        bestX = fromX;
        bestY = fromY;
      }
    }
  };
  search(x, y, searchReach, 2);
  if (camera.x !== 0 || camera.y !== 0) search(x + camera.x, y + camera.y, 2, 1);
  search(bestX, bestY, 1, 1);
  return best;
}

const coarse = 4;
const coarseReach = 8;

/** The one shift that explains most of the difference, to four pixels. */
function cameraShift(before: SmallPicture, after: SmallPicture): Shift {
  let best = Number.POSITIVE_INFINITY;
  let shift = noShift;
  for (let y = -coarseReach; y <= coarseReach; y++) {
    for (let x = -coarseReach; x <= coarseReach; x++) {
      const found = coarseDifference(before, after, x, y);
      if (found >= best) continue;
      best = found;
      shift = { x: coarse * x, y: coarse * y };
    }
  }
  return shift;
}

function coarseDifference(before: SmallPicture, after: SmallPicture, byX: number, byY: number): number {
  const width = after.width / coarse;
  const height = after.height / coarse;
  const [left, right] = [Math.max(0, -byX), Math.min(width, width - byX)];
  const [top, bottom] = [Math.max(0, -byY), Math.min(height, height - byY)];
  let sum = 0;
  for (let y = top; y < bottom; y++) {
    const a = (y + byY) * width + byX;
    const b = y * width;
    for (let x = left; x < right; x++) sum += Math.abs(before.coarse[a + x]! - after.coarse[b + x]!);
  }
  return sum / ((right - left) * (bottom - top));
}

function histogramDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += Math.abs(a[index]! - b[index]!);
  return sum / 2;
}
