import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { batchOutcomes } from "../domain/batches/batch.ts";
import { webhookOutcomes } from "../domain/exports/webhooks/webhooks.ts";
import { filmOutcomes } from "../domain/films/film.ts";
import { stepKinds } from "../domain/films/plan.ts";
import { budgetScopes } from "../domain/ledger/budgets.ts";
import type { Metrics } from "../domain/telemetry/telemetry.ts";
import { exportStages } from "../engine/ports.ts";
import { type ScrapeSources, sourceGauges } from "./source-gauges.ts";

export type PrometheusMetrics = Metrics & {
  /** Call once the service is open. */
  connect(sources: ScrapeSources): void;
  /** The text of a scrape, within two seconds even if parts do not respond. Never rejects. */
  text(): Promise<string>;
  readonly contentType: string;
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
  const retries = counter("export_retries_total", "Attempts at exports that are retried.", ["reason"]);
  const stages = histogram("export_stage_duration_seconds", "The parts of exports.", ["stage"], jobBuckets);
  const parts = counter("segments_total", "Segments and sounds of exports: rendered, or taken from a cache.", [
    "source",
  ]);
  const ffmpegCpu = counter("ffmpeg_cpu_seconds_total", "CPU time of ended ffmpeg processes.", ["mode"]);
  const ffmpegEnds = counter("ffmpeg_processes_total", "Ended ffmpeg processes.", ["outcome"]);
  const tasks = counter("sandbox_tasks_total", "Tasks of the processes that read files of users and draw.", [
    "outcome",
  ]);
  const helped = counter(
    "helped_tasks_total",
    "Groups of segments that this process rendered for exports of other processes.",
  );
  const calls = histogram(
    "provider_call_duration_seconds",
    "Calls of AI providers.",
    ["provider", "category", "outcome"],
    jobBuckets,
  );
  const spent = counter("provider_spend_usd_total", "Cost of settled calls of AI providers, in USD.", [
    "provider",
    "model",
  ]);
  const refusals = counter("budget_refusals_total", "Calls that were refused because of a budget.", ["scope"]);
  const films = counter("films_ended_total", "Films that ended.", ["outcome"]);
  const steps = histogram(
    "film_step_duration_seconds",
    "Attempts at the steps of films.",
    ["kind", "outcome"],
    jobBuckets,
  );
  const batches = counter("batches_ended_total", "Tables of films that ended.", ["outcome"]);
  const batchFilms = counter("batch_films_ended_total", "Films of tables that were validated or made.", ["outcome"]);
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

/** A finer resolution would cost more of an idle core. */
const resolutionMs = 20;

/** Own gauges: on Bun, most of prom-client's default metrics are empty or wrong. */
function processGauges(registers: Registry[]): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  new Gauge({
    name: "reelwright_event_loop_lag_p99_seconds",
    help: "How late timers fired since the last scrape: the 99th percentile.",
    registers,
    collect() {
      this.set(lagOf(delay.percentile(99)));
      maximum.set(lagOf(delay.max));
      delay.reset();
    },
  });
  // set after the other gauge, because a scrape reads them in this order
  const maximum = new Gauge({
    name: "reelwright_event_loop_lag_max_seconds",
    help: "How late a timer fired at most since the last scrape.",
    registers,
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory of this process, without ffmpeg.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Counter({
    name: "process_cpu_seconds_total",
    help: "CPU time of this process, without ffmpeg.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: "process_start_time_seconds",
    help: "When this process started, in seconds since 1970.",
    registers,
  }).set(Math.round((Date.now() - performance.now()) / 1000));
}

/** Bun has already subtracted the timer's interval from these nanoseconds. */
const lagOf = (nanoseconds: number): number => nanoseconds / 1e9;
