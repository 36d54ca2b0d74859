/** Shorter scenes are not seen, only noticed. */
const minimumSeconds = 0.5;

const toCents = (seconds: number): number => Math.round(seconds * 100);

/** Seconds as people write them: the sum of many hundredths is seldom one of them in binary. */
export const inHundredths = (seconds: number): number => toCents(seconds) / 100;

/**
 * The lengths of scenes that follow each other from 0 to `totalSeconds`, in hundredths of a second. Each boundary is
 * rounded once, so no error adds up; what the total has beyond hundredths goes to the last scene.
 */
export function lengthsBetween(endsSeconds: readonly number[], totalSeconds: number): readonly number[] {
  const count = endsSeconds.length;
  if (totalSeconds < count / 100) return evenLengths(count, totalSeconds);
  const totalCents = Math.floor(totalSeconds * 100 + 1e-6);
  const marks = [0];
  for (const [index, end] of endsSeconds.entries()) {
    const left = count - 1 - index;
    const wanted = left === 0 ? totalCents : toCents(end);
    // every scene keeps one hundredth at least, those that are still to come too
    marks.push(Math.min(Math.max(wanted, marks[index]! + 1), totalCents - left));
  }
  const lengths = marks.slice(1).map((mark, index) => (mark - marks[index]!) / 100);
  return withRest(lengths, totalSeconds);
}

/** Lengths in the proportion of `weights` that sum up to `totalSeconds`, none under half a second where there is room. */
export function lengthsInProportion(weights: readonly number[], totalSeconds: number): readonly number[] {
  const least = Math.min(minimumSeconds, totalSeconds / weights.length);
  const shares = sharesAbove(weights.map(usableWeight), totalSeconds, least);
  let end = 0;
  const ends = shares.map((share) => {
    end += share;
    return end;
  });
  return lengthsBetween(ends, totalSeconds);
}

// past this, products with other weights are infinite
const usableWeight = (weight: number): number => (weight > 0 ? Math.min(weight, 1e6) : 1e-3);

/** Who would get less than the least gets that; the others share what is left. */
function sharesAbove(weights: readonly number[], total: number, least: number): readonly number[] {
  const held = new Set<number>();
  for (;;) {
    const free = total - held.size * least;
    const weight = weights.reduce((sum, one, index) => (held.has(index) ? sum : sum + one), 0);
    const share = (index: number) => (weights[index]! / weight) * free;
    const short = weights.flatMap((_, index) => (!held.has(index) && share(index) < least ? [index] : []));
    if (short.length === 0) return weights.map((_, index) => (held.has(index) ? least : share(index)));
    for (const index of short) held.add(index);
    if (held.size === weights.length) return weights.map(() => total / weights.length);
  }
}

const evenLengths = (count: number, totalSeconds: number): readonly number[] =>
  withRest(
    Array.from({ length: count }, () => totalSeconds / count),
    totalSeconds,
  );

/** The last length is what the others leave of the total, to the microsecond where that says enough. */
function withRest(lengths: readonly number[], totalSeconds: number): readonly number[] {
  const before = lengths.slice(0, -1).reduce((sum, length) => sum + length, 0);
  const exact = totalSeconds - before;
  const rest = Math.round(exact * 1e6) / 1e6;
  return [...lengths.slice(0, -1), rest > 0 ? rest : exact];
}
