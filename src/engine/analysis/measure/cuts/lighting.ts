import type { MeasuredTransition } from "../../../ports.ts";
import type { SmallFrame } from "../frames/small-frame.ts";

/** Mean luma of a frame and mean absolute deviation from it, in levels of 16..235. */
export type Lighting = { readonly level: number; readonly contrast: number };

export function lightingOf({ coarse }: SmallFrame): Lighting {
  const level = coarse.reduce((sum, each) => sum + each, 0) / coarse.length;
  const contrast = coarse.reduce((sum, each) => sum + Math.abs(each - level), 0) / coarse.length;
  return { level, contrast };
}

/** Frames below this contrast have one level. */
const flatBelow = 1.5;

/** True if two frames show the same scene in other light: a linear fit maps the levels of one to those of the other. */
export function isLightingChange(before: SmallFrame, after: SmallFrame): boolean {
  const a = lightingOf(before);
  const b = lightingOf(after);
  if (a.contrast < flatBelow || b.contrast < flatBelow) return false;
  const gain = fittedGain(before, after, a.level, b.level);
  const tolerance = Math.min(10, Math.max(3, 0.6 * Math.min(a.contrast, b.contrast)));
  let outliers = 0;
  let difference = 0;
  let residual = 0;
  for (let index = 0; index < before.coarse.length; index++) {
    const from = before.coarse[index]!;
    const to = after.coarse[index]!;
    const deviation = Math.abs(to - b.level - gain * (from - a.level));
    if (deviation > tolerance) outliers++;
    residual += deviation;
    difference += Math.abs(to - from);
  }
  return gain > 0.2 && outliers < 0.01 * before.coarse.length && residual < 0.35 * difference;
}

/** The slope of the least-squares fit. */
function fittedGain(before: SmallFrame, after: SmallFrame, levelBefore: number, levelAfter: number): number {
  let covariance = 0;
  let variance = 0;
  for (let index = 0; index < before.coarse.length; index++) {
    const offset = before.coarse[index]! - levelBefore;
    covariance += offset * (after.coarse[index]! - levelAfter);
    variance += offset * offset;
  }
  return covariance / variance;
}

const blackLevel = 16;
const maxFadeFrames = 30;

/** The first frame of a new scene, and the transition to it from the scene before. */
export type SceneChange = { readonly frame: number; readonly transition: MeasuredTransition };

/**
 * Corrects cuts at fades through black: a fade out and in changes the scene once, in the middle of the black, and not
 * where the fades end. If only one side fades, the cut is at the other side.
 */
export function correctFadesThroughBlack(
  cuts: readonly number[],
  lighting: readonly Lighting[],
): readonly SceneChange[] {
  const corrected = new Map<number, MeasuredTransition>(cuts.map((cut) => [cut, "cut"]));
  for (const { start, end } of blackRuns(lighting)) {
    const fadesOut = isFade(lighting, start - 1, -1, corrected);
    const fadesIn = isFade(lighting, end, 1, corrected);
    if (fadesOut) removeNear(corrected, start);
    if (fadesIn) removeNear(corrected, end);
    if (!fadesOut || !fadesIn) continue;
    const inBlack = [...corrected.keys()].filter((frame) => frame >= start && frame <= end);
    const middle = Math.round((start + end) / 2);
    for (const frame of inBlack.length > 0 ? inBlack : [middle]) corrected.set(frame, "fade");
  }
  return [...corrected].map(([frame, transition]) => ({ frame, transition })).sort((a, b) => a.frame - b.frame);
}

function removeNear(cuts: Map<number, unknown>, frame: number): void {
  for (const cut of [frame - 1, frame, frame + 1]) cuts.delete(cut);
}

/** Half-open ranges of black frames. */
function blackRuns(lighting: readonly Lighting[]): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  for (const [index, { level, contrast }] of lighting.entries()) {
    if (level > blackLevel + 3 || contrast > flatBelow) continue;
    const last = runs.at(-1);
    if (last?.end === index) last.end++;
    else runs.push({ start: index, end: index + 1 });
  }
  return runs;
}

/** True if the frames get steadily brighter from frame `from` in the direction of `step`, away from the black. */
function isFade(
  lighting: readonly Lighting[],
  from: number,
  step: 1 | -1,
  cuts: ReadonlyMap<number, unknown>,
): boolean {
  const first = lighting[from];
  if (!first) return false;
  let highest = first.level;
  for (let count = 1; count <= maxFadeFrames; count++) {
    const index = from + step * count;
    const current = lighting[index];
    if (!current || current.level < highest - 1 || cuts.has(step > 0 ? index : index + 1)) break;
    highest = Math.max(highest, current.level);
  }
  return highest - blackLevel > 12 && first.level - blackLevel < 0.45 * (highest - blackLevel);
}
