import type { Logger } from "pino";
import { createApp } from "./app.ts";
import type { ExportState } from "./domain/exports/jobs.ts";
import { type Assistant, startAssistant } from "./domain/exports/lifecycle/assist.ts";
import { runExportJob } from "./domain/exports/lifecycle/run.ts";
import { loadCommonFonts } from "./domain/exports/validation/text-measurer.ts";
import { deliverWebhook } from "./domain/exports/webhooks/deliver.ts";
import type { Services } from "./domain/services.ts";
import { type Environment, readEnvironment } from "./env.ts";
import { operatorsApp } from "./http/monitoring/metrics-page.ts";
import { serverErrorHandler } from "./http/response/error-response.ts";
import { describeError } from "./http/response/log.ts";
import { openLog } from "./log-output.ts";
import { runMaintenance, runRecovery } from "./maintenance.ts";
import { currentOrigin, runFrom } from "./platform/origin.ts";
import { openResources, type Resources } from "./resources.ts";
import { closeAndExit, drainAndExit, type FetchResult, onStopSignal, requestTracker, type Server } from "./shutdown.ts";
import { queueDepths } from "./storage/queue/depths.ts";
import { type OpenTelemetry, openTelemetry, version } from "./telemetry.ts";
import { watchAnsweringThread } from "./watchdog.ts";
import { createServices } from "./wiring.ts";
import { serveHealth } from "./worker-health.ts";

const maintenanceEveryMs = 60 * 60 * 1000;
const recoveryEveryMs = 15_000;

/** Opens the resources, then the port. The service is ready when this resolves. */
async function start(env: Environment): Promise<void> {
  // also for the files of ffmpeg and of the database, whose modes are not ours to choose
  process.umask(0o077);
  const log = openLog(env.LOG_LEVEL);
  process.on("unhandledRejection", (reason) => log.error({ error: describeError(reason) }, "unhandled rejection"));

  const telemetry = await openTelemetry(env);
  const resources = { ...(await openResources(env, telemetry)), telemetry };
  resources.queues.onError((error) => log.error({ error: describeError(error) }, "queues"));
  try {
    if (env.ROLE === "worker") startWorker(env, resources, log);
    else startServer(env, resources, log);
  } catch (error) {
    await resources.database.close();
    throw error;
  }
}

type OpenResources = Resources & { readonly telemetry: OpenTelemetry };

function startServer(env: Environment, resources: OpenResources, log: Logger): void {
  const requests = requestTracker();
  const server = listen(env, log, (request, server) => requests.track(app.fetch(request, server)));
  const publicUrl = env.PUBLIC_URL?.replace(/\/+$/, "") ?? server.url.origin;
  const services = createObservedServices(env, resources, publicUrl, log);
  const metricsUrl = serveMetrics(env, resources, services);
  // `app` is set before the first request: the port was opened in the same turn of the event loop
  const { CORS_ORIGINS: corsOrigins, TRUSTED_PROXIES: trustedProxies } = env;
  const metrics = metricsPage(env, resources);
  const app = createApp(services, { log, corsOrigins, trustedProxies, deferredRequests: requests, metrics });

  watchAnsweringThread(log);
  scheduleMaintenance(resources, services, log);
  registerWebhooks(resources, services);
  const assistant = env.ROLE === "all" ? registerExports(resources, services, log) : undefined;
  void resources.queues.start();

  onStopSignal(() => drainAndExit(server, requests, { ...resources, assistant }));
  process.stdout.write(startMessage(publicUrl, resources, metricsUrl));
  // loaded ahead, so that the first export with text starts without delay
  loadCommonFonts(services.textMeasurer).catch((error) => log.error({ error: describeError(error) }, "fonts"));
}

/** Processes the jobs of other processes without serving requests. */
function startWorker(env: Environment, resources: OpenResources, log: Logger): void {
  const publicUrl = env.PUBLIC_URL?.replace(/\/+$/, "") ?? `http://${env.HOST}:${env.PORT}`;
  const services = createObservedServices(env, resources, publicUrl, log);
  const metricsUrl = serveMetrics(env, resources, services);
  scheduleMaintenance(resources, services, log);
  const assistant = registerExports(resources, services, log);
  void resources.queues.start();
  if (env.HEALTH_SOCKET) serveHealth(env.HEALTH_SOCKET, services);
  onStopSignal(() => closeAndExit({ ...resources, assistant }));
  const metricsLine = metricsUrl ? `\n  metrics   ${metricsUrl}` : "";
  process.stdout.write(`\nReelwright takes exports from ${resources.database.description}.${metricsLine}\n\n`);
}

function createObservedServices(env: Environment, resources: OpenResources, publicUrl: string, log: Logger): Services {
  const { telemetry, database, ffmpeg } = resources;
  const onExportEnd = (job: ExportState) => log.info(exportFields(job), "export ended");
  const services = createServices(env, resources, publicUrl, { telemetry, onExportEnd });
  telemetry.prometheus?.connect({
    build: { version, ffmpeg: ffmpeg.version },
    readiness: services.readiness,
    queueDepths: queueDepths(database.db),
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

/** The page at /metrics of the port that serves requests. */
function metricsPage({ METRICS_TOKEN: token }: Environment, { telemetry: { prometheus } }: OpenResources) {
  return prometheus && token !== undefined ? { page: prometheus, token } : undefined;
}

/** Listens on METRICS_PORT, if that is set, and returns the address of the metrics. */
function serveMetrics(env: Environment, { telemetry }: OpenResources, services: Services): string | undefined {
  const { METRICS_PORT: port, HOST: hostname } = env;
  if (port === undefined || !telemetry.prometheus) return undefined;
  const { fetch } = operatorsApp(services, telemetry.prometheus);
  const server = openPort({ port, hostname, fetch: (request) => fetch(request) }, "METRICS_PORT");
  return `${server.url.origin}/metrics`;
}

function scheduleMaintenance(resources: Resources, services: Services, log: Logger): void {
  const report = (step: string, error: unknown) => log.error({ step, error: describeError(error) }, "maintenance");
  const run = () => runMaintenance(resources, services, report);
  void run();
  setInterval(run, maintenanceEveryMs).unref();
  setInterval(() => void runRecovery(services, report), recoveryEveryMs).unref();
}

/** Returns what helps the exports of other processes, if these can be helped. */
function registerExports({ queues }: Resources, services: Services, log: Logger): Assistant | undefined {
  const { runs, telemetry } = services;
  const logAssistance = (error: unknown) => log.warn({ error: describeError(error) }, "assistance");
  const assistant = runs && startAssistant({ ...services, runs }, { logError: logAssistance });
  queues.registerHandler("exports", (exportId, signal) => {
    const origin = currentOrigin();
    const span = { name: "export", kind: "consumer", parent: origin.traceparent } as const;
    const logError = (error: unknown) => log.error({ exportId, error: describeError(error) }, "export");
    const run = () =>
      runFrom({ ...origin, exportId }, () =>
        telemetry.tracing.span(span, () => runExportJob(services, exportId, signal, logError)),
      );
    return assistant ? assistant.during(run) : run();
  });
  return assistant;
}

/** Not for workers: where ffmpeg runs, there need be no way to the network of others. */
function registerWebhooks({ queues }: Resources, services: Services): void {
  queues.registerHandler("webhooks", (delivery, signal) => deliverWebhook(services, delivery, signal));
}

type Fetch = (request: Request, server: Server) => FetchResult;

const listen = ({ PORT: port, HOST: hostname }: Environment, log: Logger, fetch: Fetch): Server =>
  openPort({ port, hostname, fetch, error: serverErrorHandler(log) }, "PORT");

type PortOptions = {
  readonly port: number;
  readonly hostname: string;
  readonly fetch: Fetch;
  readonly error?: (error: unknown) => Response;
};

/** `setting` names the port in the message of an error. */
function openPort(options: PortOptions, setting: string): Server {
  try {
    return Bun.serve({
      ...options,
      // Bun's development error page would show source code wherever NODE_ENV is not set
      development: false,
      // otherwise two processes could share one port and each would get half of the requests
      reusePort: false,
      // body limits are enforced where bodies are read, so that they get this service's own error response
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      // seconds that a paused player keeps its connection; server.timeout has no effect on file responses
      idleTimeout: 120,
    });
  } catch (cause) {
    const isPortTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    const advice = isPortTaken
      ? `is another process there? Choose another ${setting}.`
      : "is HOST an address of this machine?";
    throw new Error(`Cannot listen on ${options.hostname}:${options.port}: ${advice}`, { cause });
  }
}

function startMessage(url: string, { database, storage, ffmpeg }: Resources, metricsUrl: string | undefined): string {
  const email = `you+${crypto.randomUUID().slice(0, 8)}@example.com`;
  const body = JSON.stringify({ email, password: "a good long password", name: "You" });
  const lines = {
    address: url,
    "API page": `${url}/docs`,
    ...(metricsUrl && { metrics: metricsUrl }),
    database: database.description,
    storage,
    ffmpeg: ffmpeg.description,
    "try it": `curl -s ${url}/api/auth/register -H 'content-type: application/json' -d '${body}'`,
  };
  const table = Object.entries(lines).map(([name, value]) => `  ${name.padEnd(10)}${value}`);
  return `\nReelwright is ready.\n${table.join("\n")}\n\n`;
}

try {
  await start(readEnvironment());
} catch (error) {
  const [sentence] = (error instanceof Error ? error.message : String(error)).split("\n");
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
