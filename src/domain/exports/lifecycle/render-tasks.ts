import type { JobLease } from "./jobs.ts";

/** Adjacent segments of an export that one process renders together, for all of its videos. */
export type RenderTask = {
  /** The first and the last segment, counted from 0. */
  readonly first: number;
  readonly last: number;
  /** Identifies the bytes of its segments: equal in all processes that would render the same. */
  readonly content: string;
};

export type NumberedTask = RenderTask & { readonly number: number };

/** The runs of one attempt of an export, for one of the processes that render them. */
export type RenderTasks = {
  /** In place of the runs of earlier attempts, numbered from 0. False if the attempt has lost its export. */
  publish(runs: readonly RenderTask[]): Promise<boolean>;
  /** The first run that no process has; undefined if there is none. A claim holds until this process dies, or `release`. */
  claim(): Promise<NumberedTask | undefined>;
  /** Records that a run is in the render cache. */
  finish(number: number): Promise<void>;
  /**
   * Yields the numbers of all runs that others have finished, at once and again after others have finished or released
   * some; at the latest after a few seconds, in which one of them may have died. Ends when `signal` aborts.
   */
  finishedByOthers(signal: AbortSignal): AsyncIterable<readonly number[]>;
  /** Gives unfinished runs back. Call it, or `remove`, when this process takes no more part. */
  release(): Promise<void>;
  remove(): Promise<void>;
};

/** An attempt with runs that no process has. */
export type OpenAttempt = JobLease & { readonly userId: string };

export type RenderTaskStore = {
  of(lease: JobLease): RenderTasks;
  /** Resolves when an attempt has offered runs, or after a few seconds, in which a holder of one may have died. */
  untilOffered(signal: AbortSignal): Promise<void>;
  /** Attempts in progress, those with the most unclaimed runs first. */
  findOpen(): Promise<readonly OpenAttempt[]>;
};
