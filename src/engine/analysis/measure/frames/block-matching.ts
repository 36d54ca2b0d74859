import type { SmallFrame } from "./small-frame.ts";

const blockSide = 8;
const chromaSide = blockSide / 2;
const searchRange = 6;

/** A position or a displacement, in pixels. */
type Vector = { readonly x: number; readonly y: number };
export const noMotion: Vector = { x: 0, y: 0 };

/** The top-left corners of all blocks outside black bars. */
export function blockPositions(before: SmallFrame, after: SmallFrame): readonly Vector[] {
  const { bars, width, height } = after;
  const left = Math.min(bars.x, before.bars.x);
  const top = Math.min(bars.y, before.bars.y);
  const positions: Vector[] = [];
  for (let y = top; y <= height - blockSide - top; y += blockSide) {
    for (let x = left; x <= width - blockSide - left; x += blockSide) positions.push({ x, y });
  }
  return positions;
}

/**
 * The mean difference between the block at `x`, `y` and the one at `fromX`, `fromY` in the frame before. Stops early
 * once the result is certain to exceed `limit`. Plain numbers instead of vectors, because this is the innermost loop.
 */
export function blockDifference(
  before: SmallFrame,
  after: SmallFrame,
  x: number,
  y: number,
  fromX: number,
  fromY: number,
  limit: number,
): number {
  const { width, height } = after;
  const startX = Math.min(width - blockSide, Math.max(0, fromX));
  const startY = Math.min(height - blockSide, Math.max(0, fromY));
  const maxSum = limit * blockSide * blockSide;
  let sum = 0;
  for (let row = 0; row < blockSide && sum < maxSum; row++) {
    const a = (startY + row) * width + startX;
    const b = (y + row) * width + x;
    for (let column = 0; column < blockSide; column++) {
      sum += Math.abs(before.luma[a + column]! - after.luma[b + column]!);
    }
  }
  for (let row = 0; row < chromaSide && sum < maxSum; row++) {
    const a = (((startY >> 1) + row) * width) / 2 + (startX >> 1);
    const b = (((y >> 1) + row) * width) / 2 + (x >> 1);
    for (let column = 0; column < chromaSide; column++) {
      const blue = Math.abs(before.cb[a + column]! - after.cb[b + column]!);
      sum += 2 * (blue + Math.abs(before.cr[a + column]! - after.cr[b + column]!));
    }
  }
  return sum / (blockSide * blockSide);
}

/** The difference from the best matching block near the same position, or near the one that camera motion predicts. */
export function compensatedResidual(
  before: SmallFrame,
  after: SmallFrame,
  { x, y }: Vector,
  cameraMotion: Vector,
  still: number,
): number {
  let best = still;
  let bestX = x;
  let bestY = y;
  const search = (centerX: number, centerY: number, range: number, step: number) => {
    for (let fromY = centerY - range; fromY <= centerY + range; fromY += step) {
      for (let fromX = centerX - range; fromX <= centerX + range; fromX += step) {
        const found = blockDifference(before, after, x, y, fromX, fromY, best);
        if (found >= best) continue;
        best = found;
        bestX = fromX;
        bestY = fromY;
      }
    }
  };
  search(x, y, searchRange, 2);
  if (cameraMotion.x !== 0 || cameraMotion.y !== 0) search(x + cameraMotion.x, y + cameraMotion.y, 2, 1);
  search(bestX, bestY, 1, 1);
  return best;
}

/** Pixels per coarse pixel. */
const coarseScale = 4;
const coarseRange = 8;

/** The displacement of the whole frame that explains most of the difference, in steps of four pixels. */
export function estimateCameraMotion(before: SmallFrame, after: SmallFrame): Vector {
  let best = Number.POSITIVE_INFINITY;
  let motion = noMotion;
  for (let y = -coarseRange; y <= coarseRange; y++) {
    for (let x = -coarseRange; x <= coarseRange; x++) {
      const found = coarseDifference(before, after, x, y);
      if (found >= best) continue;
      best = found;
      motion = { x: coarseScale * x, y: coarseScale * y };
    }
  }
  return motion;
}

function coarseDifference(before: SmallFrame, after: SmallFrame, byX: number, byY: number): number {
  const width = after.width / coarseScale;
  const height = after.height / coarseScale;
  const left = Math.max(0, -byX);
  const right = Math.min(width, width - byX);
  const top = Math.max(0, -byY);
  const bottom = Math.min(height, height - byY);
  let sum = 0;
  for (let y = top; y < bottom; y++) {
    const a = (y + byY) * width + byX;
    const b = y * width;
    for (let x = left; x < right; x++) sum += Math.abs(before.coarse[a + x]! - after.coarse[b + x]!);
  }
  return sum / ((right - left) * (bottom - top));
}
