import { SingleBar } from "cli-progress";
import type { ExportJob } from "../index.ts";
import type { Output } from "./output.ts";

/** Finer than a percent, because a bar moves in eighths of a character. */
const steps = 1000;

type Progress = {
  /** `part` is from 0 to 1; `note` names the current step. */
  update(part: number, note: string): void;
  /** Removes the bar. */
  end(): void;
};

/** A bar on stderr; nothing without a terminal or with JSON output. */
export function progressBar(output: Output, label: string): Progress {
  if (output.isJson || !process.stderr.isTTY) return { update: () => {}, end: () => {} };
  const bar = new SingleBar({
    stream: process.stderr,
    format: `${label} {bar} {percentage}% {note}`,
    barCompleteChar: "━",
    barIncompleteChar: "─",
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    // Ctrl-C is handled in one place, in main.ts
    gracefulExit: false,
  });
  bar.start(steps, 0, { note: "" });
  return {
    update: (part, note) => bar.update(Math.floor(part * steps), { note }),
    end: () => bar.stop(),
  };
}

/** The current stage of an export, and the remaining time. */
export function stageNote(job: ExportJob): string {
  const { stage, etaSeconds }: { readonly stage?: string | undefined; readonly etaSeconds?: number | undefined } = job;
  const remaining = etaSeconds === undefined ? "" : `, ${durationText(etaSeconds)} left`;
  return `${stage ?? job.status}${remaining}`;
}

const durationText = (seconds: number) => (seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

export function sizeText(bytes: number): string {
  const [unit, size] =
    bytes < 1e6 ? (["kB", 1e3] as const) : bytes < 1e9 ? (["MB", 1e6] as const) : (["GB", 1e9] as const);
  return `${(bytes / size).toFixed(1)} ${unit}`;
}
