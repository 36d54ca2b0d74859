import { type Change, changeBetween } from "./change.ts";
import { isRelit, type Light, lightOf, throughBlack } from "./light.ts";
import { afterglow, findCuts, isStriking, longestFault, none } from "./peaks.ts";
import type { SmallPicture } from "./pictures.ts";

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
  private readonly relit = new Set<number>();
  /** By the second of two changes: how the pictures around a mixture of both differ. */
  private readonly blends = new Map<number, Change>();

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

  /** To be asked once, after the last picture. */
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
    this.noteBlend(index, now);
  }

  private noteBlend(index: number, now: SmallPicture): void {
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
