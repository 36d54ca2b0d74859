import { type Change, changeBetween } from "./film-change.ts";
import { isRelit, type Light, lightOf, throughBlack } from "./film-light.ts";
import type { SmallPicture } from "./film-pictures.ts";

/** Odd pictures between two that are alike: up to so many are a flash or a fault, more are a scene. */
const longestFault = 4;
/** So many pictures later a flash has died away. */
const afterglow = [8, 13] as const;
const kept = Math.max(...afterglow) + 2;

/** Finds the first picture of each new scene in pictures that come one after the other. */
export class CutFinder {
  /** How each picture differs from the one before; pictures that only interrupt are left out. */
  readonly changes: Change[] = [];
  readonly lights: Light[] = [];
  private readonly recent: SmallPicture[] = [];
  /** Pictures after which the film comes back to what it showed before. */
  private readonly returning = new Set<number>();
  /** Pictures that differ from the one before by their light alone. */
  private readonly blends = new Map<number, Change>();
  private readonly relit = new Set<number>();

  push(picture: SmallPicture): void {
    const index = this.changes.length;
    const before = this.recent.at(-1);
    this.changes.push(before ? changeBetween(before, picture) : none);
    this.recent.push(picture);
    this.lights.push(lightOf(picture));
    if (this.recent.length > kept) this.recent.shift();
    if (isStriking(this.changes[index]!)) {
      if (before && isRelit(before, picture)) this.relit.add(index);
      this.mend(index);
    }
    for (const later of afterglow) this.lookBack(index, index - later);
  }

  cuts(): number[] {
    for (const [index, change] of this.blends) {
      if (this.isCalm(index - 2) && this.isCalm(index + 1)) {
        this.changes[index - 1] = none;
        this.changes[index] = change;
      }
    }
    return throughBlack(findCuts(this.changes, this.returning, this.relit), this.lights);
  }

  private isCalm(index: number): boolean {
    const change = this.changes[index];
    return change === undefined || !isStriking(change);
  }

  private at(index: number): SmallPicture | undefined {
    return this.recent[this.recent.length - (this.changes.length - index)];
  }

  /** Takes flashes, faults and blends of two pictures out of the row of changes. */
  private mend(index: number): void {
    const now = this.at(index)!;
    for (let first = index - longestFault; first < index; first++) {
      const before = this.at(first - 1);
      if (!before || !isStriking(this.changes[first]!)) continue;
      const across = changeBetween(before, now);
      if (isReturn(across, this.changes[first]!, 0.35) && isReturn(across, this.changes[index]!, 0.35)) {
        this.changes.fill(across, first, index + 1);
        return;
      }
    }
    const [earlier, between] = [this.at(index - 2), this.at(index - 1)];
    if (!earlier || !between || !isStriking(this.changes[index - 1]!)) return;
    if (this.relit.has(index) || this.relit.has(index - 1)) return;
    const [half, other] = [this.changes[index - 1]!, this.changes[index]!];
    if (Math.min(half.residual, other.residual) < 3 || !isBlend(earlier, between, now)) return;
    this.blends.set(index, changeBetween(earlier, now));
  }

  private lookBack(index: number, from: number): void {
    const change = this.changes[from];
    const before = this.at(from - 1);
    if (!change || !before || !isStriking(change)) return;
    if (isReturn(changeBetween(before, this.at(index)!), change, 0.15)) this.returning.add(from);
  }
}

const none: Change = { residual: 0, quiet: 0, spread: 0, color: 0, difference: 0 };

const isStriking = ({ quiet, spread, color }: Change) => quiet > 1 || spread > 0.3 || color > 0.08;

const isReturn = (across: Change, change: Change, share: number) =>
  across.residual < share * change.residual && across.quiet <= Math.max(0.6, share * change.quiet);

/** Whether a picture mixes two others, as where frame rates were converted. */
function isBlend(before: SmallPicture, between: SmallPicture, after: SmallPicture): boolean {
  let [along, whole] = [0, 0];
  for (let index = 0; index < between.luma.length; index++) {
    const step = after.luma[index]! - before.luma[index]!;
    along += step * (between.luma[index]! - before.luma[index]!);
    whole += step * step;
  }
  const share = along / whole;
  if (!(share > 0.1 && share < 0.9)) return false;
  let [bend, total] = [0, 0];
  for (let index = 0; index < between.luma.length; index++) {
    const step = after.luma[index]! - before.luma[index]!;
    bend += Math.abs(before.luma[index]! + share * step - between.luma[index]!);
    total += Math.abs(step);
  }
  return bend < 0.08 * total;
}

function findCuts(changes: readonly Change[], returning: ReadonlySet<number>, relit: ReadonlySet<number>): number[] {
  const striking = changes.flatMap((change, index) => (isStriking(change) ? [index] : []));
  const peaks = striking.filter((index) => !relit.has(index) && standsOut(changes, index, partnerOf(striking, index)));
  const real = peaks.filter((index, at) => {
    const next = peaks[at + 1] ?? Number.POSITIVE_INFINITY;
    return !returning.has(index) || next - index <= Math.max(...afterglow);
  });
  const inside = real.filter((cut) => cut >= longestFault && cut <= changes.length - longestFault);
  return apart(inside, changes);
}

/** Where a flash lies on a cut, there are two changes close together and none else nearby. */
function partnerOf(striking: readonly number[], index: number): number | undefined {
  const [only, ...more] = striking.filter((other) => other !== index && Math.abs(other - index) < 2 * longestFault);
  return more.length === 0 && only !== undefined && Math.abs(only - index) < longestFault ? only : undefined;
}

/** Whether a picture differs from the one before by far more than its neighbors do. */
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
