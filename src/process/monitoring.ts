import { rmSync } from "node:fs";
import { Hono } from "hono";
import type { Logger } from "pino";
import type { ExportState } from "../domain/exports/lifecycle/jobs.ts";
import type { Telemetry } from "../domain/telemetry/telemetry.ts";
import type { Environment } from "../env.ts";
import type { AppEnv } from "../http/app-env.ts";
import { operatorsApp } from "../http/health/metrics-page.ts";
import { healthRoutes } from "../http/health/routes.ts";
import { errorHandler } from "../http/response/error-response.ts";
import { describeError } from "../http/response/log.ts";
import { currentOrigin, runFrom } from "../platform/tracing.ts";
import type { Services } from "../services.ts";
import { freeBytesAt } from "../storage/files/local-files.ts";
import { cacheBytesIn } from "../storage/files/render-cache.ts";
import { batchCounts, filmCounts, queueDepths } from "../storage/queue/depths.ts";
import { createServices } from "../wiring.ts";
import { openPort } from "./listen.ts";
import type { Resources } from "./resources.ts";
import { type OpenTelemetry, version } from "./telemetry.ts";

export type ObservedResources = Resources & { readonly telemetry: OpenTelemetry };

/** Services with metrics; logs the end of each export. */
export function createObservedServices(
  env: Environment,
  resources: ObservedResources,
  publicUrl: string,
  log: Logger,
): Services {
  const { telemetry, database, ffmpeg } = resources;
  const onExportEnd = (job: ExportState) => log.info(exportFields(job), "export ended");
  const onProxyFailure = (error: unknown) => log.debug({ error: describeError(error) }, "no proxy");
  const services = createServices(env, resources, publicUrl, { telemetry, onExportEnd, onProxyFailure });
  telemetry.prometheus?.connect({
    build: { version, ffmpeg: ffmpeg.version },
    readiness: services.readiness,
    queueDepths: queueDepths(database.db),
    filmCounts: filmCounts(database.db),
    batchCounts: batchCounts(database.db),
    freeDiskBytes: () => freeBytesAt(env.DATA_DIR),
    waitingRemovals: () => services.removals.countWaiting(),
    processSlots: services.processSlots,
    connections: database.connections,
    cacheBytes: () => cacheBytesIn(env.DATA_DIR),
  });
  return services;
}

const exportFields = ({
  id,
  status,
  failure,
  createdAt,
  startedAt,
  finishedAt,
  frames,
  framesRendered,
  attempt,
}: ExportState) => ({
  exportId: id,
  status,
  code: failure?.code,
  waitMs: startedAt && startedAt - createdAt,
  ms: finishedAt && finishedAt - createdAt,
  frames,
  framesRendered,
  attempt,
});

/** The /metrics page of the port that serves requests. */
export function metricsPage({ METRICS_TOKEN: token }: Environment, { telemetry: { prometheus } }: ObservedResources) {
  return prometheus && token !== undefined ? { page: prometheus, token } : undefined;
}

/** Listens on METRICS_PORT, if set, and returns the URL of the metrics. */
export function serveMetrics(
  env: Environment,
  { telemetry }: Pick<ObservedResources, "telemetry">,
  services: Pick<Services, "readiness">,
): string | undefined {
  const { METRICS_PORT: port, HOST: hostname } = env;
  if (port === undefined || !telemetry.prometheus) return undefined;
  const { fetch } = operatorsApp(services, telemetry.prometheus);
  const server = openPort({ port, hostname, fetch: (request) => fetch(request) }, "METRICS_PORT");
  return `${server.url.origin}/metrics`;
}

/** Runs the job of an export as a span of the ordering request, with its id in all log lines. */
export function inExportJob({ tracing }: Telemetry, exportId: string, run: () => Promise<void>): Promise<void> {
  const origin = currentOrigin();
  const span = { name: "export", kind: "consumer", parent: origin.traceparent } as const;
  return runFrom({ ...origin, exportId }, () => tracing.span(span, run));
}

/** Answers GET /api/health and /api/ready at a Unix socket, for workers, which have no port. */
export function serveHealth(socketPath: string, services: Pick<Services, "readiness">): void {
  const app = new Hono<AppEnv>().onError(errorHandler).route("/api", healthRoutes(services));
  // a killed process leaves its socket
  rmSync(socketPath, { force: true });
  Bun.serve({ unix: socketPath, fetch: app.fetch, development: false });
}
