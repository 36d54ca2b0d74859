import { sum } from "../../platform/values.ts";

/** Viewers cannot follow shorter scenes. */
const minSceneSeconds = 0.5;

const toCents = (seconds: number): number => Math.round(seconds * 100);

/** Rounds to two decimals, also sums of hundredths, which binary floats seldom hold exactly. */
export const roundToHundredths = (seconds: number): number => toCents(seconds) / 100;

/**
 * The durations of consecutive scenes from 0 to `totalSeconds`, in hundredths of a second. Each scene end is rounded
 * once, so rounding errors do not add up. The last scene takes the fraction of the total beyond hundredths.
 */
export function durationsBetween(endsSeconds: readonly number[], totalSeconds: number): readonly number[] {
  const count = endsSeconds.length;
  if (totalSeconds < count / 100) return equalDurations(count, totalSeconds);
  const totalCents = Math.floor(totalSeconds * 100 + 1e-6);
  const marks = [0];
  for (const [index, end] of endsSeconds.entries()) {
    const following = count - 1 - index;
    const wanted = following === 0 ? totalCents : toCents(end);
    // leaves at least one hundredth for this scene and for each following one
    marks.push(Math.min(Math.max(wanted, marks[index]! + 1), totalCents - following));
  }
  const durations = marks.slice(1).map((mark, index) => (mark - marks[index]!) / 100);
  return withExactTotal(durations, totalSeconds);
}

/** Durations proportional to `weights` with the sum `totalSeconds`, each at least half a second if they fit. */
export function proportionalDurations(weights: readonly number[], totalSeconds: number): readonly number[] {
  const min = Math.min(minSceneSeconds, totalSeconds / weights.length);
  const shares = sharesWithMinimum(weights.map(usableWeight), totalSeconds, min);
  let end = 0;
  const ends = shares.map((share) => {
    end += share;
    return end;
  });
  return durationsBetween(ends, totalSeconds);
}

// larger weights make products with other weights infinite
const usableWeight = (weight: number): number => (weight > 0 ? Math.min(weight, 1e6) : 1e-3);

/** Raises shares below `min` to `min`; the other weights share the rest of `total` proportionally. */
function sharesWithMinimum(weights: readonly number[], total: number, min: number): readonly number[] {
  const raised = new Set<number>();
  for (;;) {
    const rest = total - raised.size * min;
    const weightSum = weights.reduce((sum, weight, index) => (raised.has(index) ? sum : sum + weight), 0);
    const share = (index: number) => (weights[index]! / weightSum) * rest;
    const tooSmall = weights.flatMap((_, index) => (!raised.has(index) && share(index) < min ? [index] : []));
    if (tooSmall.length === 0) return weights.map((_, index) => (raised.has(index) ? min : share(index)));
    for (const index of tooSmall) raised.add(index);
    if (raised.size === weights.length) return weights.map(() => total / weights.length);
  }
}

const equalDurations = (count: number, totalSeconds: number): readonly number[] =>
  withExactTotal(Array<number>(count).fill(totalSeconds / count), totalSeconds);

/** Sets the last duration to the rest of the total, rounded to microseconds unless that makes it zero. */
function withExactTotal(durations: readonly number[], totalSeconds: number): readonly number[] {
  const before = sum(durations.slice(0, -1));
  const exact = totalSeconds - before;
  const rest = Math.round(exact * 1e6) / 1e6;
  return [...durations.slice(0, -1), rest > 0 ? rest : exact];
}
