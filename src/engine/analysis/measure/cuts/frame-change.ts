import {
  blockDifference,
  blockPositions,
  compensatedResidual,
  estimateCameraMotion,
  noMotion,
} from "../frames/block-matching.ts";
import type { SmallFrame } from "../frames/small-frame.ts";

/** The difference of a frame from the one before, in levels of 0..255 unless noted. */
export type FrameChange = {
  /** Mean difference of all blocks after motion compensation. */
  readonly residual: number;
  /** Lower quartile of the blocks' residuals: low if a moving object hides only part of an unchanged scene. */
  readonly lowerQuartileResidual: number;
  /** Share of the blocks that motion does not explain, 0..1. */
  readonly changedShare: number;
  /** Distance of the color histograms, 0..1. */
  readonly histogramDistance: number;
  /** Mean difference of all blocks without motion compensation. */
  readonly difference: number;
};

/** Blocks below this difference count as unchanged and need no motion search. */
const stillBelow = 1.5;
/** Blocks above this residual count as changed. */
const changedAbove = 8;
/** Camera motion is estimated only above this difference. */
const cameraMotionAbove = 2;

/** Compares two frames of one size by block matching, so that pans and moving objects count as little change. */
export function compareFrames(before: SmallFrame, after: SmallFrame): FrameChange {
  const blocks = blockPositions(before, after);
  const differences = blocks.map(({ x, y }) => blockDifference(before, after, x, y, x, y, Number.POSITIVE_INFINITY));
  const difference = mean(differences);
  const cameraMotion = difference > cameraMotionAbove ? estimateCameraMotion(before, after) : noMotion;
  const residuals = Float32Array.from(differences, (still, index) =>
    still < stillBelow ? still : compensatedResidual(before, after, blocks[index]!, cameraMotion, still),
  );
  const changed = residuals.reduce((count, residual) => count + (residual > changedAbove ? 1 : 0), 0);
  return {
    residual: mean(residuals),
    lowerQuartileResidual: residuals.toSorted()[residuals.length >> 2]!,
    changedShare: changed / residuals.length,
    histogramDistance: histogramDistance(before.histogram, after.histogram),
    difference,
  };
}

const mean = (values: ArrayLike<number>) => {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index]!;
  return sum / values.length;
};

function histogramDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += Math.abs(a[index]! - b[index]!);
  return sum / 2;
}
