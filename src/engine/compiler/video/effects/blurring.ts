import { type FrameRate, framesIn } from "../../../timeline/time.ts";
import { blurWhile } from "../../filters/color.ts";
import { evenSize, type Size, scale } from "../../filters/geometry.ts";
import type { Video } from "../../graph/graph.ts";
import { drawRuns, runsOf, whileIn } from "./runs.ts";

/** Less is invisible. */
const leastSigma = 0.4;

/** The strength of neighboring steps: each step is a filter with a buffer of its own. */
const stepFactor = 1.15;

/** Rounds the strength of a blur to its step; 0 for none. */
export const blurStep = (sigma: number): number =>
  sigma < leastSigma ? 0 : leastSigma * stepFactor ** Math.round(Math.log(sigma / leastSigma) / Math.log(stepFactor));

/** Strong blurs are drawn at a fraction of the size: the same style for a fraction of the work. */
const fullSizeSigma = 3;

const divisorFor = (sigma: number): number => {
  if (sigma === 0) return 0;
  return 2 ** Math.max(0, Math.floor(Math.log2(sigma / fullSizeSigma)) + 1);
};

/** Blurs each frame by a standard deviation of its own, in pixels. Frames without a blur stay as they are. */
export function blurFrames(video: Video, sigmas: readonly number[], size: Size, rate: FrameRate): Video {
  const steps = sigmas.map(blurStep);
  if (steps.every((step) => step === 0)) return video;
  return drawRuns(video, runsOf(steps.map(divisorFor)), rate, (part, { range, kind: divisor }) => {
    if (divisor === 0) return part;
    const own = steps.slice(range.start, range.end);
    const small = { width: evenSize(size.width / divisor), height: evenSize(size.height / divisor) };
    const scaled = divisor === 1 ? part : scale(part, small);
    const blurred = runsOf(own).reduce(
      (below, run) =>
        blurWhile(below, run.kind / divisor, framesIn(run.range) === own.length ? {} : whileIn(run.range)),
      scaled,
    );
    return divisor === 1 ? blurred : scale(blurred, size);
  });
}
