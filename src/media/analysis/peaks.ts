import type { Change } from "./change.ts";

/** Odd pictures between two that are alike: up to so many are a flash or a fault, more are a scene. */
export const longestFault = 4;

/** So many pictures later a flash has died away. */
export const afterglow = [8, 13] as const;

export const none: Change = { residual: 0, quiet: 0, spread: 0, color: 0, difference: 0 };

/** Worth a closer look: most pictures are not. */
export const isStriking = ({ quiet, spread, color }: Change) => quiet > 1 || spread > 0.3 || color > 0.08;

/** Where scenes begin, told from all changes at once: those that stand out, without what comes back or is only lit anew. */
export function findCuts(
  changes: readonly Change[],
  returning: ReadonlySet<number>,
  relit: ReadonlySet<number>,
): number[] {
  const striking = changes.flatMap((change, index) => (isStriking(change) ? [index] : []));
  const peaks = striking.filter((index) => !relit.has(index) && standsOut(changes, index, partnerOf(changes, index)));
  const real = peaks.filter((index, at) => {
    const next = peaks[at + 1] ?? Number.POSITIVE_INFINITY;
    return !returning.has(index) || next - index <= Math.max(...afterglow);
  });
  const inside = real.filter((cut) => cut >= longestFault && cut <= changes.length - longestFault);
  return apart(inside, changes);
}

/** Where a flash lies on a cut, there are two changes close together and none else nearby. */
function partnerOf(changes: readonly Change[], index: number): number | undefined {
  const reach = 2 * longestFault - 1;
  const first = Math.max(0, index - reach);
  const striking = changes
    .slice(first, index + reach + 1)
    .flatMap((change, at) => (first + at !== index && isStriking(change) ? [first + at] : []));
  const [only, ...more] = striking;
  return more.length === 0 && only !== undefined && Math.abs(only - index) < longestFault ? only : undefined;
}

/**
 * Whether a picture differs from the one before by far more than its neighbors do: also where nothing moves (another
 * take of one camera does, and a caption does not), or over much of the picture, or in its colors.
 */
function standsOut(changes: readonly Change[], index: number, partner?: number): boolean {
  const { residual, quiet, color, spread, difference } = changes[index]!;
  const most = mostNear(changes, index, partner);
  const isNew = color > 0.012 + 1.5 * most.color || difference > 1.5 * most.difference;
  const everywhere = quiet > 0.7 + 1.5 * most.quiet && residual > 2.2 + 1.8 * most.residual && isNew;
  const strongly = quiet > 0.7 + 0.3 * most.quiet && residual > 8 + 1.8 * most.residual && spread > 0.2 && isNew;
  const partly =
    quiet > 0.7 + 1.5 * most.quiet &&
    residual > 2.5 + 0.9 * most.residual &&
    spread > 0.05 + 0.5 * most.spread &&
    isNew;
  const mostly = spread > 0.35 + 1.5 * most.spread && residual > 6 + 2 * most.residual && isNew;
  const recolored = color > 0.06 + 2.5 * most.color && quiet > 1.2 && residual > 0.8 * most.residual;
  return everywhere || strongly || partly || mostly || recolored;
}

/** The most that pictures nearby change. Farther ones count only where pictures repeat, and only with their movement. */
function mostNear(changes: readonly Change[], index: number, partner?: number): Change {
  const reach = longestFault * cadence(changes, index);
  let most = none;
  for (let at = Math.max(1, index - reach); at <= Math.min(changes.length - 1, index + reach); at++) {
    const change = changes[at]!;
    if (at === index || at === partner || (Math.abs(at - index) > longestFault && change.spread > 0.3)) continue;
    most = {
      residual: Math.max(most.residual, change.residual),
      quiet: Math.max(most.quiet, change.quiet),
      spread: Math.max(most.spread, change.spread),
      color: Math.max(most.color, change.color),
      difference: Math.max(most.difference, change.difference),
    };
  }
  return most;
}

/** How many pictures apart the picture really moves: 2 where 12.5 a second were made into 25. */
function cadence(changes: readonly Change[], index: number): number {
  const first = Math.max(1, index - 25);
  const moving = changes
    .slice(first, index + 26)
    .flatMap(({ difference, spread }, at) => (difference > 0.4 && spread < 0.3 ? [at] : []));
  const gaps = moving.slice(1).map((at, before) => at - moving[before]!);
  if (gaps.length < 5) return 1;
  return Math.min(5, gaps.toSorted((a, b) => a - b)[gaps.length >> 1]!);
}

/** Of cuts closer together than a scene can be, the strongest. */
function apart(cuts: readonly number[], changes: readonly Change[]): number[] {
  const chosen: number[] = [];
  for (const cut of cuts) {
    const last = chosen.at(-1);
    if (last === undefined || cut - last >= longestFault) chosen.push(cut);
    else if (changes[cut]!.residual > changes[last]!.residual) chosen[chosen.length - 1] = cut;
  }
  return chosen;
}
