import type { ExportProgress } from "./jobs.ts";

const reportIntervalMs = 500;

/** Throttles progress reports: never two at a time, and at least `reportIntervalMs` apart. Failed reports are ignored. */
export function progressReporter(send: (progress: ExportProgress) => Promise<unknown>) {
  let latest: ExportProgress = { framesDone: 0, framesRendered: 0 };
  let sending: Promise<unknown> = Promise.resolve();
  let isThrottled = false;
  const throttle = () => {
    setTimeout(() => {
      isThrottled = false;
    }, reportIntervalMs);
  };
  return {
    report(progress: ExportProgress): void {
      latest = progress;
      if (isThrottled) return;
      isThrottled = true;
      sending = send(latest).catch(() => {});
      void sending.then(throttle);
    },
    /** Waits for the report in progress and returns the latest progress, which may not have been reported. */
    async finish(): Promise<ExportProgress> {
      await sending;
      return latest;
    },
  };
}
