import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { batchOutcomes, batchWaits } from "../domain/batches/batch.ts";
import { webhookOutcomes } from "../domain/exports/webhooks/webhooks.ts";
import { filmOutcomes, waits } from "../domain/films/film.ts";
import { stepKinds } from "../domain/films/plan.ts";
import { budgetScopes } from "../domain/ledger/budgets.ts";
import type { QueueDepth, StatusCount } from "../domain/telemetry/counts.ts";
import { exportStages, type Metrics } from "../domain/telemetry/metrics.ts";
import type { CpuBudget } from "../platform/cpu-budget.ts";
import type { Readiness } from "../platform/readiness.ts";
import { processGauges } from "./process-gauges.ts";

/** What is asked at each scrape. */
type ScrapeSources = {
  /** The version of the service and of its ffmpeg. */
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

export type PrometheusMetrics = Metrics & {
  /** Call once the service is open. */
  connect(sources: ScrapeSources): void;
  /** The text of a scrape, within two seconds whatever is away. Never rejects. */
  text(): Promise<string>;
  readonly contentType: string;
  /** The names of all metrics. */
  names(): readonly string[];
};

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300];
const jobBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
const storeBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Counts for Prometheus. The metrics are documented in docs/metrics.md. */
export function prometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  const registers = [registry];
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ) => new Histogram({ name: `reelwright_${name}`, help, labelNames, buckets, registers });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `reelwright_${name}`, help, labelNames, registers });

  const requests = histogram(
    "http_request_duration_seconds",
    "Requests by route, until the response is ready; event streams until their end.",
    ["method", "route", "status"],
    requestBuckets,
  );
  const received = counter("http_received_bytes_total", "Bytes of bodies that were received.");
  const sent = counter("http_sent_file_bytes_total", "Bytes of files that were sent.");
  const exported = histogram(
    "export_duration_seconds",
    "Exports that ended, since they were requested.",
    ["outcome", "code"],
    jobBuckets,
  );
  const retries = counter("export_retries_total", "Attempts at exports that are tried again.", ["reason"]);
  const stages = histogram("export_stage_duration_seconds", "The parts of exports.", ["stage"], jobBuckets);
  const parts = counter("segments_total", "Segments and sounds of exports: rendered, or taken from a cache.", [
    "source",
  ]);
  const ffmpegCpu = counter("ffmpeg_cpu_seconds_total", "CPU time of ended ffmpeg processes.", ["mode"]);
  const ffmpegEnds = counter("ffmpeg_processes_total", "Ended ffmpeg processes.", ["outcome"]);
  const tasks = counter("sandbox_tasks_total", "Tasks of the processes that read files of users and draw.", [
    "outcome",
  ]);
  const helped = counter("helped_tasks_total", "Groups of segments that this process rendered for exports of others.");
  const calls = histogram(
    "provider_call_duration_seconds",
    "Calls of AI providers.",
    ["provider", "category", "outcome"],
    jobBuckets,
  );
  const spent = counter("provider_spend_usd_total", "What settled calls of AI providers have cost, in USD.", [
    "provider",
    "model",
  ]);
  const refusals = counter("budget_refusals_total", "Calls that were not begun because of a budget.", ["scope"]);
  const films = counter("films_ended_total", "Films that ended.", ["outcome"]);
  const steps = histogram(
    "film_step_duration_seconds",
    "Attempts at the steps of films.",
    ["kind", "outcome"],
    jobBuckets,
  );
  const batches = counter("batches_ended_total", "Tables of films that ended.", ["outcome"]);
  const batchFilms = counter("batch_films_ended_total", "Films of tables that were checked or made.", ["outcome"]);
  const stored = histogram(
    "store_request_duration_seconds",
    "Requests to the object store.",
    ["operation", "status"],
    storeBuckets,
  );
  const webhookAttempts = counter("webhook_attempts_total", "Attempts to deliver the event of an export.", ["outcome"]);
  const maintenanceRuns = counter("maintenance_steps_total", "Steps of the hourly clean-up that this process ran.", [
    "step",
    "outcome",
  ]);
  const maintained = new Gauge({
    name: "reelwright_maintenance_success_timestamp_seconds",
    help: "When this process last ended a step of the hourly clean-up without an error, in seconds since 1970.",
    labelNames: ["step"],
    registers,
  });
  for (const outcome of webhookOutcomes) webhookAttempts.inc({ outcome }, 0);
  for (const stage of exportStages) stages.zero({ stage });
  for (const source of ["rendered", "local", "shared"]) parts.inc({ source }, 0);
  for (const reason of ["unavailable", "busy", "failed"]) retries.inc({ reason }, 0);
  for (const scope of budgetScopes) refusals.inc({ scope }, 0);
  for (const outcome of filmOutcomes) films.inc({ outcome }, 0);
  for (const outcome of batchOutcomes) batches.inc({ outcome }, 0);
  for (const outcome of ["invalid", "unchanged", "done", "error"]) batchFilms.inc({ outcome }, 0);
  for (const kind of stepKinds) steps.zero({ kind, outcome: "done" });
  for (const mode of ["user", "system"]) ffmpegCpu.inc({ mode }, 0);
  for (const outcome of ["done", "refused", "failed"]) tasks.inc({ outcome }, 0);
  processGauges(registers);

  return {
    requestEnded: ({ seconds, ...labels }) => requests.observe(labels, seconds),
    bodyReceived: (sizeBytes) => received.inc(sizeBytes),
    fileSent: (sizeBytes) => sent.inc(sizeBytes),
    exportEnded: ({ seconds, ...labels }) => exported.observe(labels, seconds),
    exportRetried: (reason) => retries.inc({ reason }),
    stageEnded: (stage, seconds) => stages.observe({ stage }, seconds),
    partsProvided: (source, count) => parts.inc({ source }, count),
    ffmpegEnded({ outcome, userSeconds, systemSeconds }) {
      ffmpegEnds.inc({ outcome });
      ffmpegCpu.inc({ mode: "user" }, userSeconds);
      ffmpegCpu.inc({ mode: "system" }, systemSeconds);
    },
    taskEnded: (outcome) => tasks.inc({ outcome }),
    exportHelped: () => helped.inc(),
    providerCalled: ({ seconds, ...labels }) => calls.observe(labels, seconds),
    spent: ({ amount, ...labels }) => spent.inc(labels, Number(amount) / 1e6),
    budgetRefused: (scope) => refusals.inc({ scope }),
    filmsEnded: (outcome, count) => films.inc({ outcome }, count),
    stepEnded: ({ seconds, ...labels }) => steps.observe(labels, seconds),
    batchEnded: (outcome) => batches.inc({ outcome }),
    batchFilmsEnded: (outcome, count) => batchFilms.inc({ outcome }, count),
    storeRequested: ({ seconds, ...labels }) => stored.observe(labels, seconds),
    maintenanceEnded(step, outcome) {
      maintenanceRuns.inc({ step, outcome });
      if (outcome === "ok") maintained.set({ step }, Math.round(Date.now() / 1000));
    },
    webhookAttempted: (outcome) => webhookAttempts.inc({ outcome }),

    connect: (sources) => sourceGauges(sources, registers),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    names: () => registry.getMetricsAsArray().map(({ name }) => name),
  };
}

/** Whatever is asked has this time; after it the scrape goes on without. */
const sourceTimeoutMs = 2_000;

function sourceGauges(sources: ScrapeSources, registers: Registry[]): void {
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
