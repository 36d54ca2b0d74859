import { Gauge, type Registry } from "prom-client";
import { batchWaits } from "../domain/batches/batch.ts";
import { waits } from "../domain/films/film.ts";
import type { QueueDepth, StatusCount } from "../domain/telemetry/counts.ts";
import type { CpuBudget } from "../platform/cpu-budget.ts";
import type { Readiness } from "../platform/readiness.ts";

export type ScrapeSources = {
  readonly build: { readonly version: string; readonly ffmpeg: string };
  readonly readiness: Readiness;
  readonly queueDepths: () => Promise<readonly QueueDepth[]>;
  readonly filmCounts: () => Promise<readonly StatusCount[]>;
  readonly batchCounts: () => Promise<readonly StatusCount[]>;
  readonly freeDiskBytes: () => Promise<number>;
  /** Removed accounts and projects that have rows or files. */
  readonly waitingRemovals: () => Promise<number>;
  readonly processSlots: CpuBudget["usage"];
  /** Of the pool to a database server. */
  readonly connections?: (() => Readonly<Record<"used" | "idle" | "waiting" | "limit", number>>) | undefined;
  /** By cache of this disk. */
  readonly cacheBytes: () => Promise<Readonly<Record<string, number>>>;
};

/** Whatever is asked has this time; after it the scrape goes on without. */
const sourceTimeoutMs = 2_000;

/** Gauges whose values are asked at each scrape. */
export function sourceGauges(sources: ScrapeSources, registers: Registry[]): void {
  const { build, readiness, queueDepths, freeDiskBytes, waitingRemovals, processSlots } = sources;
  const { connections, cacheBytes } = sources;
  new Gauge({
    name: "reelwright_build_info",
    help: "The version of the service and of its ffmpeg.",
    labelNames: ["version", "ffmpeg"],
    registers,
  }).set(build, 1);

  new Gauge({
    name: "reelwright_ready",
    help: "1 for each part of the service that passes its check, as in /api/ready.",
    labelNames: ["check"],
    registers,
    async collect() {
      const checks = Object.entries(await readiness(sourceTimeoutMs));
      for (const [check, state] of checks) this.set({ check }, state === "ok" ? 1 : 0);
    },
  });

  new Gauge({
    name: "reelwright_disk_free_bytes",
    help: "Free bytes of the disk of DATA_DIR that the service may use.",
    registers,
    async collect() {
      const bytes = await inTime(freeDiskBytes());
      if (bytes !== undefined) this.set(bytes);
    },
  });

  new Gauge({
    name: "reelwright_process_slots",
    help: "Slots for processes that work on media: those that are taken, and all.",
    labelNames: ["state"],
    registers,
    collect() {
      const { running, slots } = processSlots();
      this.set({ state: "running" }, running);
      this.set({ state: "all" }, slots);
    },
  });

  new Gauge({
    name: "reelwright_database_connections",
    help: "Connections to the database server, their limit, and what waits for one.",
    labelNames: ["state"],
    registers,
    collect() {
      for (const [state, count] of Object.entries(connections?.() ?? {})) this.set({ state }, count);
    },
  });

  new Gauge({
    name: "reelwright_cache_bytes",
    help: "Bytes of the caches in DATA_DIR, by all processes that share it.",
    labelNames: ["cache"],
    registers,
    async collect() {
      for (const [cache, bytes] of Object.entries((await inTime(cacheBytes())) ?? {})) this.set({ cache }, bytes);
    },
  });

  const depths = sharedRead(queueDepths);
  const depthGauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    set: (gauge: Gauge<Label>, depth: QueueDepth) => void,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const read = await inTime(depths());
        this.reset();
        for (const depth of read ?? []) set(this, depth);
      },
    });
  depthGauge(
    "reelwright_queue_jobs",
    "Jobs in the queues of all processes; absent while the database is away.",
    ["queue", "state"],
    (gauge, { queue, waiting, delayed, active }) => {
      for (const [state, count] of Object.entries({ waiting, delayed, active })) gauge.set({ queue, state }, count);
    },
  );
  depthGauge(
    "reelwright_queue_oldest_waiting_seconds",
    "How long the oldest job that may run has waited.",
    ["queue"],
    (gauge, { queue, oldestWaitingSeconds }) => gauge.set({ queue }, oldestWaitingSeconds),
  );

  const stateGauge = (
    name: "films" | "batches",
    source: () => Promise<readonly StatusCount[]>,
    states: readonly string[],
    allWaits: readonly string[],
  ) => {
    const counts = sharedRead(source);
    new Gauge({
      name: `reelwright_${name}`,
      help: `${name === "films" ? "Films" : "Tables of films"} of all processes that have not ended; absent while the database is away.`,
      labelNames: ["state", "waiting_for"],
      registers,
      async collect() {
        const read = await inTime(counts());
        this.reset();
        if (!read) return;
        for (const state of states) this.set({ state, waiting_for: "" }, 0);
        for (const wait of allWaits) this.set({ state: "waiting", waiting_for: wait }, 0);
        for (const { status, waitingFor, count } of read)
          this.set({ state: status, waiting_for: waitingFor ?? "" }, count);
      },
    });
  };
  stateGauge("films", sources.filmCounts, ["queued", "running"], waits);
  stateGauge("batches", sources.batchCounts, ["validating", "running"], batchWaits);

  const removals = sharedRead(waitingRemovals);
  new Gauge({
    name: "reelwright_removals_waiting",
    help: "Removed accounts and projects whose rows and files are not removed yet.",
    registers,
    async collect() {
      const waiting = await inTime(removals());
      if (waiting === undefined) this.remove();
      else this.set(waiting);
    },
  });
}

/** Undefined if the promise rejects or takes too long. */
async function inTime<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), sourceTimeoutMs);
  return await Promise.race([promise.catch(() => undefined), timeout.promise]).finally(() => clearTimeout(timer));
}

/** One read for all that ask at the same time, also while one hangs. */
function sharedRead<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}
