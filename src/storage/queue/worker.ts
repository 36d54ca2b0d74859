import { setTimeout as sleep } from "node:timers/promises";
import type { JobWithMetadata, PgBoss } from "pg-boss";
import { RetryAfterError } from "../../platform/async.ts";
import { type HeldLease, type LeasePorts, takeLease } from "../../platform/leases.ts";
import { type Origin, runFrom } from "../../platform/tracing.ts";
import { sha256Of } from "../../platform/values.ts";
import { jobOptions, type QueueName, type QueueRules } from "./rules.ts";

/** `signal` aborts when the process stops or pg-boss considers the job dead. A job that throws is retried. */
export type JobHandler = (data: string, signal: AbortSignal) => Promise<void>;

/** The stored JSON of a job. */
export type JobData = {
  readonly data: string;
  /** Attempts that `reschedule` moved to a new job id. */
  readonly tries?: number;
  /** The origin of the work that enqueued the job. */
  readonly origin?: Origin;
};

/** The jobs that run in this process. */
export type RunningJobs = {
  readonly count: () => number;
  /** Lets idle workers poll at once. */
  readonly wake: () => void;
};

type WorkerOptions = {
  readonly rules: QueueRules;
  readonly handler: JobHandler;
  /** Undefined if no other process takes jobs. */
  readonly slots: LeasePorts | undefined;
  /** Aborts when this process stops. */
  readonly signal: AbortSignal;
};

/** The interval in which a paused queue checks whether it may resume. */
const maxPauseSeconds = 2;

/** Starts another worker whenever all have jobs: each idle one costs a query at each poll and each job. */
export async function startWorkers(
  boss: PgBoss,
  name: QueueName,
  { rules, handler, slots, signal: stopSignal }: WorkerOptions,
): Promise<RunningJobs> {
  const workers = new Set<string>();
  let started = 0;
  let busy = 0;
  let pauses = 0;
  /** Conditions for taking jobs again in this process. */
  const conditions = new Set<() => Promise<boolean>>();

  const startNext = async () => {
    if (conditions.size > 0 || busy < started || started === rules.concurrency) return;
    const pausesBefore = pauses;
    started++;
    try {
      const id = await startWorker(boss, name, { rules, handler: runJob, slots });
      workers.add(id);
      if (pauses !== pausesBefore) await boss.offWork(name, { id, wait: false });
    } catch (error) {
      if (pauses === pausesBefore) started--;
      throw error;
    }
  };

  /** Idle workers end at once, the others after their jobs. */
  const pauseUntil = async (isOver: () => Promise<boolean>) => {
    const isPaused = conditions.size > 0;
    conditions.add(isOver);
    if (isPaused) return;
    pauses++;
    started = busy;
    workers.clear();
    await boss.offWork(name, { wait: false });
    const pauseMs = Math.min(rules.pollingSeconds, maxPauseSeconds) * 1000;
    do await sleep(pauseMs, undefined, { signal: stopSignal });
    while (!(await mayResume()));
  };

  const mayResume = async (): Promise<boolean> => {
    for (const isOver of conditions) if (await isOver().catch(() => false)) conditions.delete(isOver);
    return (
      conditions.size === 0 &&
      (await startNext().then(
        () => true,
        () => false,
      ))
    );
  };

  const runJob: JobHandler = async (data, signal) => {
    const pausesBefore = pauses;
    busy++;
    try {
      // fails only if the queues close, which is no reason to refuse this job
      await startNext().catch(() => {});
      await handler(data, signal);
    } catch (error) {
      // it ends with the process
      if (error instanceof RetryAfterError && error.isOver) void pauseUntil(error.isOver).catch(() => {});
      throw error;
    } finally {
      busy--;
      // its worker ends with this job
      if (pauses !== pausesBefore) started--;
    }
  };

  await startNext();
  const wake = () => {
    for (const worker of workers) boss.notifyWorker(worker);
  };
  return { count: () => busy, wake };
}

/** The interval of pg-boss's own polling; `watchDueJobs` polls for less, and more often. */
const pollingIntervalSeconds = 60;

type StartOptions = Omit<WorkerOptions, "signal">;

/** Returns the worker's id. */
async function startWorker(boss: PgBoss, name: QueueName, { rules, handler, slots }: StartOptions): Promise<string> {
  const options = {
    groupConcurrency: rules.concurrencyPerGroup,
    pollingIntervalSeconds,
    notifyPollingIntervalSeconds: pollingIntervalSeconds,
    // for the priority
    includeMetadata: true,
  } as const;
  const worker = await boss.work(name, options, async ([job]: readonly JobWithMetadata<JobData>[]) => {
    if (!job) return;
    try {
      const run = () => handler(job.data.data, job.signal);
      await runFrom(job.data.origin ?? {}, () => inSlotOfGroup(job, rules, slots, run));
    } catch (error) {
      if (!(error instanceof RetryAfterError) || !(await reschedule(boss, job, rules, error.seconds))) throw error;
    } finally {
      // poll at once: the group's limit may have held back the next job until now
      boss.notifyWorker(worker);
    }
  });
  return worker;
}

const slotRetrySeconds = 1;

/**
 * Runs a job in one of its group's slots. pg-boss counts a group's running jobs when it fetches one: two processes that
 * fetch together do not count each other's. Throws RetryAfterError if all slots are taken.
 */
async function inSlotOfGroup(
  { name, groupId }: JobWithMetadata<JobData>,
  { hasSlots, concurrencyPerGroup }: QueueRules,
  slots: LeasePorts | undefined,
  run: () => Promise<void>,
): Promise<void> {
  if (!hasSlots || !slots || !groupId) return await run();
  const slot = await takeSlot(slots, `${name}/${groupId}`, concurrencyPerGroup).catch(() => undefined);
  if (!slot) throw new RetryAfterError("The group has enough running jobs.", slotRetrySeconds);
  await run().finally(slot.release);
}

async function takeSlot(slots: LeasePorts, group: string, count: number): Promise<HeldLease | undefined> {
  for (let slot = 0; slot < count; slot++) {
    const lease = await takeLease(slots, [`${group}/${slot}`]);
    if (lease) return lease;
  }
  return undefined;
}

/**
 * pg-boss cannot delay one retry: this job completes, and a delayed successor with the remaining retries is enqueued. A
 * job that was removed while it ran gets none. False if no retries remain.
 */
async function reschedule(
  boss: PgBoss,
  job: JobWithMetadata<JobData>,
  rules: QueueRules,
  seconds: number,
): Promise<boolean> {
  const { id, name, data, retryCount, groupId, priority } = job;
  const tries = (data.tries ?? 0) + retryCount + 1;
  const { limit, delaySeconds, maxDelaySeconds } = rules.retries;
  if (tries > limit) return false;
  if ((await boss.findJobs(name, { id })).length === 0) return true;
  const delayAfter = (failures: number) => Math.min(delaySeconds * 2 ** (failures - 1), maxDelaySeconds);
  const retries = { limit: limit - tries, delaySeconds: delayAfter(tries + 1), maxDelaySeconds };
  await boss.send(name, { ...data, tries } satisfies JobData, {
    ...jobOptions({ ...rules, retries }),
    id: retryJobId(id),
    priority,
    startAfter: Math.max(seconds, delayAfter(tries)),
    ...(groupId && { group: { id: groupId } }),
  });
  return true;
}

/** A UUID derived from the job's id: a worker that crashes after sending the successor cannot send a second one. */
const retryJobId = (id: string): string =>
  sha256Of(id)
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
