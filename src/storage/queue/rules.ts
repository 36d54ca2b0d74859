export type QueueName = "exports" | "batchExports" | "films" | "batches" | "renders" | "webhooks" | "deliveries";

export type QueueRules = {
  /** Concurrent jobs in this process. */
  readonly concurrency: number;
  /** Concurrent jobs of one group, over all processes. */
  readonly concurrencyPerGroup: number;
  /** Enforces `concurrencyPerGroup` exactly, for a few queries per job. Otherwise joint fetches may exceed it. */
  readonly hasSlots: boolean;
  /** Workers are notified of new jobs. Jobs that become due or whose process died are polled at this interval. */
  readonly pollingSeconds: number;
  /** How long a busy process leaves a new job to idle processes. */
  readonly yieldMs: number;
  /** A job that runs longer counts as failed. */
  readonly timeoutSeconds: number;
  readonly retries: RetryPolicy;
};

export type AllQueueRules = Readonly<Record<QueueName, QueueRules>>;

/** The delay doubles with each retry, up to `maxDelaySeconds`; a delay of zero stays zero. */
type RetryPolicy = {
  readonly limit: number;
  readonly delaySeconds: number;
  readonly maxDelaySeconds: number;
};

/** How long ended jobs are kept: the rows of exports and webhooks are the record. */
const deleteAfterSeconds = 3600;

/** Sent with each job, because an existing queue keeps the options that it was created with. */
export const jobOptions = ({ timeoutSeconds, retries: { limit, delaySeconds, maxDelaySeconds } }: QueueRules) => ({
  expireInSeconds: timeoutSeconds,
  deleteAfterSeconds,
  retryLimit: limit,
  retryDelay: delaySeconds,
  ...(delaySeconds > 0 && { retryBackoff: true, retryDelayMax: maxDelaySeconds }),
});

const exports: QueueRules = {
  // exports share the ffmpeg processes of the machine, so a few long ones do not delay a short one
  concurrency: 16,
  concurrencyPerGroup: 2,
  hasSlots: true,
  pollingSeconds: 2,
  yieldMs: 100,
  // enough for the longest video on a slow machine
  timeoutSeconds: 23 * 3600,
  // practically unlimited: the domain limits the attempts of an export
  retries: { limit: 10_000, delaySeconds: 0, maxDelaySeconds: 0 },
};

export const queueRules: AllQueueRules = {
  exports,
  // separate from other exports, which thus always find a free worker; a batch limits its own
  batchExports: { ...exports, concurrency: 8, concurrencyPerGroup: 8, hasSlots: false },
  films: {
    // a film mostly waits for providers, and for its export
    concurrency: 32,
    concurrencyPerGroup: 8,
    hasSlots: false,
    pollingSeconds: 5,
    yieldMs: 0,
    timeoutSeconds: 23 * 3600,
    // practically unlimited: the film decides when to wait for its owner
    retries: { limit: 10_000, delaySeconds: 1, maxDelaySeconds: 30 },
  },
  batches: {
    // a batch validates its table, then mostly waits for its films, possibly for days: few delay others
    concurrency: 64,
    concurrencyPerGroup: 8,
    hasSlots: false,
    pollingSeconds: 5,
    yieldMs: 0,
    timeoutSeconds: 23 * 3600,
    // practically unlimited: the batch decides when to wait for its owner
    retries: { limit: 10_000, delaySeconds: 1, maxDelaySeconds: 30 },
  },
  renders: {
    // an import mostly waits for the servers of its files
    concurrency: 8,
    concurrencyPerGroup: 4,
    hasSlots: false,
    pollingSeconds: 5,
    yieldMs: 0,
    timeoutSeconds: 3600,
    // practically unlimited: the render gives up by itself
    retries: { limit: 10_000, delaySeconds: 1, maxDelaySeconds: 30 },
  },
  webhooks: {
    concurrency: 8,
    concurrencyPerGroup: 2,
    hasSlots: false,
    pollingSeconds: 5,
    yieldMs: 0,
    timeoutSeconds: 60,
    // enough for more than a day; the domain gives up after one
    retries: { limit: 30, delaySeconds: 5, maxDelaySeconds: 4 * 3600 },
  },
  deliveries: {
    // an upload has parts of some megabytes in memory
    concurrency: 4,
    concurrencyPerGroup: 2,
    hasSlots: false,
    pollingSeconds: 5,
    yieldMs: 0,
    timeoutSeconds: 6 * 3600,
    // enough for more than two days; the domain gives up after these
    retries: { limit: 40, delaySeconds: 5, maxDelaySeconds: 4 * 3600 },
  },
};

/**
 * With the embedded database, workers are notified of every new export, and no other process could add one. Each idle
 * worker then occupies the answering thread for about 3 ms.
 */
export const embeddedQueueRules: AllQueueRules = {
  ...queueRules,
  exports: { ...exports, concurrency: 8, pollingSeconds: 10, yieldMs: 0 },
  batchExports: { ...queueRules.batchExports, concurrency: 4, pollingSeconds: 10, yieldMs: 0 },
};
