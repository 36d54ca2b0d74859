import { availableParallelism } from "node:os";

type BatchOptions = {
  readonly maxFrames: number;
  /** Frames of one group are decoded together for less than apart. */
  readonly groupOf: (frame: number) => unknown;
};

/** Splits frames, in ascending order, into batches for all cores. A group stays in one batch if it is not too large. */
export function splitFrames(
  frames: readonly number[],
  { maxFrames, groupOf }: BatchOptions,
  cores = availableParallelism(),
): readonly (readonly number[])[] {
  const evenSize = Math.min(maxFrames, Math.ceil(frames.length / cores));
  const batches: number[][] = [];
  for (const [index, frame] of frames.entries()) {
    const batch = batches.at(-1);
    const isNewGroup = index > 0 && groupOf(frame) !== groupOf(frames[index - 1]!);
    const isFull = !batch || batch.length >= maxFrames || (isNewGroup && batch.length >= evenSize);
    if (isFull) batches.push([frame]);
    else batch.push(frame);
  }
  return batches;
}
