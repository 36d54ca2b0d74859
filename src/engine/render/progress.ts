import type { ExportProgress } from "../ports.ts";

/** `frames` are those of all videos, `cachedFrames` those that were there before. */
type Extent = { readonly runs: number; readonly frames: number; readonly cachedFrames: number };

/**
 * Adds up the progress of several runs and the frames that were cached before. A frame counts once its picture and its
 * sound are rendered, so that neither is forgotten in the time that is left.
 */
export function sumProgress({ runs, frames, cachedFrames }: Extent, send: (sum: ExportProgress) => void = () => {}) {
  const latest = new Array<ExportProgress>(runs).fill({ framesDone: 0, framesRendered: 0 });
  const sum = (field: keyof ExportProgress) => latest.reduce((total, progress) => total + progress[field], 0);
  /** Of the sound. Until it is measured, the pictures count alone, unless all of them were there before. */
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
