/** Determines when a waiting job runs. */
export type Turn = {
  /** Jobs of one group share its concurrency: a user id. */
  readonly group: string;
  /** Unfinished jobs of the group in this queue; counted if absent. */
  readonly unfinished?: number;
};

const minute = 60_000;

/**
 * The job with the highest priority runs first, the older of two equals. Each unfinished job of the group weighs as
 * much as a minute of waiting: a group's first job passes the backlogs of others, and no backlog waits for ever.
 */
export const priorityOf = (unfinished: number, now: number): number => -(Math.floor(now / minute) + unfinished);
