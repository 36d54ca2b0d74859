import { Gauge, type Registry } from "prom-client";
import { batchWaits } from "../domain/batches/batch.ts";
import { waits } from "../domain/films/film.ts";
import type { QueueDepth, StatusCount } from "../domain/telemetry/telemetry.ts";
import { shared } from "../platform/async.ts";
import type { CpuBudget } from "../platform/limits/cpu-budget.ts";
import type { Readiness } from "../platform/readiness.ts";

export type ScrapeSources = {
  readonly build: { readonly version: string; readonly ffmpeg: string };
  readonly readiness: Readiness;
  readonly queueDepths: () => Promise<readonly QueueDepth[]>;
  readonly filmCounts: () => Promise<readonly StatusCount[]>;
  readonly batchCounts: () => Promise<readonly StatusCount[]>;
  readonly freeDiskBytes: () => Promise<number>;
  /** The number of removed accounts and projects that still have rows or files. */
  readonly waitingRemovals: () => Promise<number>;
  readonly processSlots: CpuBudget["usage"];
  /** Connections of the pool to a database server. */
  readonly connections?: (() => Readonly<Record<"used" | "idle" | "waiting" | "limit", number>>) | undefined;
  /** Bytes of each cache on this disk. */
  readonly cacheBytes: () => Promise<Readonly<Record<string, number>>>;
};

/** Each source has this time; then the scrape continues without it. */
const sourceTimeoutMs = 2_000;

/** Gauges whose values are read at each scrape. */
export function sourceGauges(sources: ScrapeSources, registers: Registry[]): void {
  const { build, readiness, freeDiskBytes, processSlots, connections, cacheBytes } = sources;
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    collect: (gauge: Gauge<Label>) => void | Promise<void>,
  ) =>
    new Gauge({
      ...{ name: `reelwright_${name}`, help, labelNames, registers },
      collect() {
        return collect(this);
      },
    });

  gauge("build_info", "The version of the service and of its ffmpeg.", ["version", "ffmpeg"], (info) =>
    info.set(build, 1),
  );
  gauge(
    "ready",
    "1 for each part of the service that passes its check, as in /api/ready.",
    ["check"],
    async (ready) => {
      const checks = Object.entries(await readiness(sourceTimeoutMs));
      for (const [check, state] of checks) ready.set({ check }, state === "ok" ? 1 : 0);
    },
  );
  gauge("disk_free_bytes", "Free bytes of the disk of DATA_DIR that the service may use.", [], async (free) => {
    const bytes = await inTime(freeDiskBytes());
    if (bytes !== undefined) free.set(bytes);
  });
  const slotsHelp = "Slots for processes that work on media: used, and all.";
  gauge("process_slots", slotsHelp, ["state"], (taken) => {
    const { running, slots } = processSlots();
    taken.set({ state: "running" }, running);
    taken.set({ state: "all" }, slots);
  });
  const connectionsHelp = "Connections to the database server, their limit, and requests that wait for one.";
  gauge("database_connections", connectionsHelp, ["state"], (open) => {
    for (const [state, count] of Object.entries(connections?.() ?? {})) open.set({ state }, count);
  });
  const cacheHelp = "Bytes of the caches in DATA_DIR, by all processes that share it.";
  gauge("cache_bytes", cacheHelp, ["cache"], async (size) => {
    for (const [cache, bytes] of Object.entries((await inTime(cacheBytes())) ?? {})) size.set({ cache }, bytes);
  });

  const depths = shared(sources.queueDepths);
  const jobsHelp = "Jobs in the queues of all processes; absent while the database is away.";
  gauge("queue_jobs", jobsHelp, ["queue", "state"], async (jobs) => {
    const read = await inTime(depths());
    jobs.reset();
    for (const { queue, waiting, delayed, active } of read ?? []) {
      for (const [state, count] of Object.entries({ waiting, delayed, active })) jobs.set({ queue, state }, count);
    }
  });
  const oldestHelp = "How long the oldest runnable job has waited.";
  gauge("queue_oldest_waiting_seconds", oldestHelp, ["queue"], async (oldest) => {
    const read = await inTime(depths());
    oldest.reset();
    for (const { queue, oldestWaitingSeconds } of read ?? []) oldest.set({ queue }, oldestWaitingSeconds);
  });

  const stateGauge = (
    name: "films" | "batches",
    source: () => Promise<readonly StatusCount[]>,
    states: readonly string[],
    allWaits: readonly string[],
  ) => {
    const counts = shared(source);
    const what = name === "films" ? "Films" : "Tables of films";
    const help = `${what} of all processes that have not ended; absent while the database is away.`;
    gauge(name, help, ["state", "waiting_for"], async (orders) => {
      const read = await inTime(counts());
      orders.reset();
      if (!read) return;
      for (const state of states) orders.set({ state, waiting_for: "" }, 0);
      for (const wait of allWaits) orders.set({ state: "waiting", waiting_for: wait }, 0);
      for (const { status, waitingFor, count } of read)
        orders.set({ state: status, waiting_for: waitingFor ?? "" }, count);
    });
  };
  stateGauge("films", sources.filmCounts, ["queued", "running"], waits);
  stateGauge("batches", sources.batchCounts, ["validating", "running"], batchWaits);

  const removals = shared(sources.waitingRemovals);
  const removalsHelp = "Removed accounts and projects whose rows and files are not removed yet.";
  gauge("removals_waiting", removalsHelp, [], async (waiting) => {
    const count = await inTime(removals());
    if (count === undefined) waiting.remove();
    else waiting.set(count);
  });
}

/** Undefined if the promise rejects or takes too long. */
async function inTime<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), sourceTimeoutMs);
  return await Promise.race([promise.catch(() => undefined), timeout.promise]).finally(() => clearTimeout(timer));
}
