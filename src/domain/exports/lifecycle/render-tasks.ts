import type { RenderTasks } from "../../../engine/ports.ts";
import type { JobLease } from "./jobs.ts";

/** An attempt with unclaimed encode tasks. */
export type OpenAttempt = JobLease & { readonly userId: string };

export type RenderTaskStore = {
  of(lease: JobLease): RenderTasks;
  /** Resolves when an attempt has offered tasks, or after a few seconds, in which a holder of one may have died. */
  untilOffered(signal: AbortSignal): Promise<void>;
  /** Attempts in progress, those with the most unclaimed tasks first. */
  findOpen(): Promise<readonly OpenAttempt[]>;
};
