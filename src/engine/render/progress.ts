import type { ExportProgress } from "../ports.ts";

/** `frames` counts the frames of all videos, `cachedFrames` those cached before. */
type Extent = { readonly tasks: number; readonly frames: number; readonly cachedFrames: number };

/**
 * Sums the progress of several tasks and the frames that were cached before. A frame counts once its picture and its
 * sound are rendered, so that the estimated time covers both.
 */
export function sumProgress({ tasks, frames, cachedFrames }: Extent, send: (sum: ExportProgress) => void = () => {}) {
  const latest = new Array<ExportProgress>(tasks).fill({ framesDone: 0, framesRendered: 0 });
  const sum = (field: keyof ExportProgress) => latest.reduce((total, progress) => total + progress[field], 0);
  /** The finished share of the sound. Until it is known, only pictures count, unless all of them were cached. */
  let share = cachedFrames === frames ? 0 : 1;
  const reportAll = () => {
    const withSound = Math.floor(frames * share);
    const framesDone = Math.min(cachedFrames + sum("framesDone"), withSound);
    const waiting = cachedFrames + sum("framesDone") - framesDone;
    send({ framesDone, framesRendered: Math.max(0, sum("framesRendered") - waiting) });
  };
  if (cachedFrames > 0) reportAll();
  return {
    report(index: number, progress: ExportProgress): void {
      latest[index] = progress;
      reportAll();
    },
    reportSound(done: number): void {
      share = done;
      reportAll();
    },
  };
}
