import type { SmallFrame } from "../frames/small-frame.ts";
import { compareFrames, type FrameChange } from "./frame-change.ts";
import { correctFadesThroughBlack, isLightingChange, type Lighting, lightingOf, type SceneChange } from "./lighting.ts";
import { flashDecayFrames, isCandidateCut, maxFlashFrames, noChange, selectCuts } from "./select-cuts.ts";

const bufferedFrames = Math.max(...flashDecayFrames) + 2;

/** Detects the first frame of each new scene. Takes the frames one by one and buffers only the latest. */
export class CutDetector {
  /** The change of each frame from the one before, with flashes removed. */
  readonly changes: FrameChange[] = [];
  readonly lighting: Lighting[] = [];
  private readonly buffer: SmallFrame[] = [];
  /** Frames after which the video returns to the scene before. */
  private readonly returning = new Set<number>();
  /** Frames that differ from the one before only in light. */
  private readonly lightingChanges = new Set<number>();
  /** The change around a blended frame, by the index of the frame after it. */
  private readonly blends = new Map<number, FrameChange>();

  push(frame: SmallFrame): void {
    const index = this.changes.length;
    const before = this.buffer.at(-1);
    this.changes.push(before ? compareFrames(before, frame) : noChange);
    this.buffer.push(frame);
    this.lighting.push(lightingOf(frame));
    if (this.buffer.length > bufferedFrames) this.buffer.shift();
    if (isCandidateCut(this.changes[index]!)) {
      if (before && isLightingChange(before, frame)) this.lightingChanges.add(index);
      this.removeFlashes(index);
    }
    for (const distance of flashDecayFrames) this.detectReturn(index, index - distance);
  }

  /** Call once, after the last frame. */
  sceneChanges(): readonly SceneChange[] {
    for (const [index, change] of this.blends) {
      if (this.isUnchanged(index - 2) && this.isUnchanged(index + 1)) {
        this.changes[index - 1] = noChange;
        this.changes[index] = change;
      }
    }
    return correctFadesThroughBlack(selectCuts(this.changes, this.returning, this.lightingChanges), this.lighting);
  }

  private isUnchanged(index: number): boolean {
    const change = this.changes[index];
    return change === undefined || !isCandidateCut(change);
  }

  private frameAt(index: number): SmallFrame | undefined {
    return this.buffer[this.buffer.length - (this.changes.length - index)];
  }

  /** If the frame before a recent candidate resembles this one, the changes between become their overall one. */
  private removeFlashes(index: number): void {
    const frame = this.frameAt(index)!;
    for (let first = index - maxFlashFrames; first < index; first++) {
      const before = this.frameAt(first - 1);
      if (!before || !isCandidateCut(this.changes[first]!)) continue;
      const across = compareFrames(before, frame);
      if (isReturn(across, this.changes[first]!, 0.35) && isReturn(across, this.changes[index]!, 0.35)) {
        this.changes.fill(across, first, index + 1);
        return;
      }
    }
    this.detectBlend(index, frame);
  }

  private detectBlend(index: number, frame: SmallFrame): void {
    const before = this.frameAt(index - 2);
    const between = this.frameAt(index - 1);
    if (!before || !between || !isCandidateCut(this.changes[index - 1]!)) return;
    if (this.lightingChanges.has(index) || this.lightingChanges.has(index - 1)) return;
    const smallerResidual = Math.min(this.changes[index - 1]!.residual, this.changes[index]!.residual);
    if (smallerResidual < 3 || !isBlend(before, between, frame)) return;
    this.blends.set(index, compareFrames(before, frame));
  }

  private detectReturn(index: number, candidate: number): void {
    const change = this.changes[candidate];
    const before = this.frameAt(candidate - 1);
    if (!change || !before || !isCandidateCut(change)) return;
    if (isReturn(compareFrames(before, this.frameAt(index)!), change, 0.15)) this.returning.add(candidate);
  }
}

/** True if the change across several frames is much smaller than the change inside. */
const isReturn = (across: FrameChange, inside: FrameChange, share: number) =>
  across.residual < share * inside.residual &&
  across.lowerQuartileResidual <= Math.max(0.6, share * inside.lowerQuartileResidual);

/** True if a frame is a mixture of two others, as frame rate conversion makes them at a cut. */
function isBlend(before: SmallFrame, between: SmallFrame, after: SmallFrame): boolean {
  let covariance = 0;
  let variance = 0;
  for (let index = 0; index < between.luma.length; index++) {
    const step = after.luma[index]! - before.luma[index]!;
    covariance += step * (between.luma[index]! - before.luma[index]!);
    variance += step * step;
  }
  const share = covariance / variance;
  // false also for NaN, if both frames are equal
  if (!(share > 0.1 && share < 0.9)) return false;
  let deviation = 0;
  let total = 0;
  for (let index = 0; index < between.luma.length; index++) {
    const step = after.luma[index]! - before.luma[index]!;
    deviation += Math.abs(before.luma[index]! + share * step - between.luma[index]!);
    total += Math.abs(step);
  }
  return deviation < 0.08 * total;
}
