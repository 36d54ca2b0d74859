/** What decides when a waiting job runs. */
export type Turn = {
  /** Jobs of one group share its concurrency: a user id. */
  readonly group: string;
  /** Jobs of the group in this queue that have not ended; counted if it is left out. */
  readonly unfinished?: number;
};

const minute = 60_000;

/**
 * The job with the highest priority runs first, the older one of two equals. Each unfinished job of the group weighs
 * as much as a minute of waiting: the first job of a group passes the backlogs of others, and no backlog waits forever.
 */
export const priorityOf = (unfinished: number, now: number): number => -(Math.floor(now / minute) + unfinished);
