import type { JobLease } from "./jobs.ts";

/** Adjacent segments of an export that one process renders together, for all of its videos. */
export type SegmentRun = {
  /** The first and the last segment, counted from 0. */
  readonly first: number;
  readonly last: number;
  /** Identifies the bytes of its segments: equal in all processes that would render the same. */
  readonly content: string;
};

export type NumberedRun = SegmentRun & { readonly number: number };

/** The runs of one attempt of an export, for one of the processes that render them. */
export type SharedRuns = {
  /**
   * Offers the runs to all processes, numbered from 0, in place of those of earlier attempts. False if the attempt has
   * lost its export.
   */
  publish(runs: readonly SegmentRun[]): Promise<boolean>;
  /** The first run that no process has; undefined if there is none. A claim expires unless it is renewed. */
  claim(): Promise<NumberedRun | undefined>;
  /** Records that a run is in the render cache. */
  finish(number: number): Promise<void>;
  /** Renews all claims of this process. Returns the numbers of the runs that others have finished. */
  renew(): Promise<readonly number[]>;
  /** Gives unfinished runs back. */
  release(): Promise<void>;
  /** Removes all runs of the export. */
  remove(): Promise<void>;
};

/** An attempt with runs that no process has. */
export type OpenAttempt = JobLease & { readonly userId: string };

export type RunStore = {
  of(lease: JobLease): SharedRuns;
  /** Resolves when an attempt has offered runs, or after a few seconds, in which a claim may have expired. */
  untilOffered(signal: AbortSignal): Promise<void>;
  /** Attempts in progress, those with the most unclaimed runs first. */
  findOpen(): Promise<readonly OpenAttempt[]>;
};

/** How often a process renews its claims: a few times before they expire. */
export const renewClaimsEveryMs = 1_000;
export const claimMs = 10_000;
