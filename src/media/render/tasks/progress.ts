import type { ExportProgress } from "../../../domain/exports/jobs.ts";

/** Adds up the progress of several runs, and the frames that were cached before. */
export function sumProgress(runCount: number, cachedFrames: number, report: (sum: ExportProgress) => void = () => {}) {
  const latest = new Array<ExportProgress>(runCount).fill({ framesDone: 0, framesRendered: 0 });
  const sum = (field: keyof ExportProgress) => latest.reduce((total, progress) => total + progress[field], 0);
  const reportAll = () =>
    report({ framesDone: cachedFrames + sum("framesDone"), framesRendered: sum("framesRendered") });
  if (cachedFrames > 0) reportAll();
  return (index: number, progress: ExportProgress) => {
    latest[index] = progress;
    reportAll();
  };
}
