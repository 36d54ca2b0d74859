import type { Logger } from "pino";
import { createApp } from "./app.ts";
import { endingModels, endingPhrase } from "./domain/ai/model-ends.ts";
import { advanceBatch } from "./domain/batches/advance/advance.ts";
import { deliver } from "./domain/exports/deliveries/deliver.ts";
import { type ExportHelper, helpOtherExports } from "./domain/exports/lifecycle/help-other-exports.ts";
import { runExportJob } from "./domain/exports/lifecycle/run.ts";
import { loadCommonFonts } from "./domain/exports/request/validation/target-layouts.ts";
import { deliverWebhook } from "./domain/exports/webhooks/deliver.ts";
import { advanceFilm } from "./domain/films/run/advance.ts";
import { advanceRender } from "./domain/renders/renders.ts";
import { type Environment, readEnvironment } from "./env.ts";
import { serverErrorHandler } from "./http/response/error-response.ts";
import { describeError } from "./http/response/log.ts";
import { guardAgainstHangs, type HangGuard, recordHangs } from "./process/hang-guard.ts";
import { openPort } from "./process/listen.ts";
import { openLog } from "./process/log-output.ts";
import { runMaintenance, runRecovery } from "./process/maintenance.ts";
import {
  createObservedServices,
  inExportJob,
  metricsPage,
  type ObservedResources,
  serveHealth,
  serveMetrics,
} from "./process/monitoring.ts";
import { openResources, type Resources } from "./process/resources.ts";
import {
  closeAndExit,
  drainAndExit,
  type FetchResult,
  onStopSignal,
  type RequestTracker,
  requestTracker,
  type Server,
} from "./process/shutdown.ts";
import { openTelemetry } from "./process/telemetry.ts";
import { watchAnsweringThread } from "./process/watchdog.ts";
import type { Services } from "./services.ts";

const maintenanceEveryMs = 60 * 60 * 1000;
const recoveryEveryMs = 15_000;

/** Opens the resources, then the port. The service is ready when this resolves. */
async function start(env: Environment): Promise<void> {
  // also for files of ffmpeg and the database, whose modes we cannot choose
  process.umask(0o077);
  const log = openLog(env.LOG_LEVEL);
  process.on("unhandledRejection", (reason) => log.error({ error: describeError(reason) }, "unhandled rejection"));

  const telemetry = await openTelemetry(env);
  const resources = { ...(await openResources(env, telemetry)), telemetry };
  resources.queues.onError((error) => log.error({ error: describeError(error) }, "queues"));
  const guard = guardAgainstHangs(env.DATA_DIR);
  try {
    if (env.ROLE === "worker") startWorker(env, resources, log, guard);
    else startServer(env, resources, log, guard);
  } catch (error) {
    await resources.database.close();
    throw error;
  }
}

function startServer(env: Environment, resources: ObservedResources, log: Logger, guard: HangGuard): void {
  const requests = requestTracker();
  const server = listen(env, log, (request, server) => requests.track(app.fetch(request, server)));
  const publicUrl = env.PUBLIC_URL?.replace(/\/+$/, "") ?? server.url.origin;
  const services = createObservedServices(env, resources, publicUrl, log);
  const metricsUrl = serveMetrics(env, resources, services);
  // `app` is set before the first request: the port was opened in the same turn of the event loop
  const { CORS_ORIGINS: corsOrigins, TRUSTED_PROXIES: trustedProxies } = env;
  const metrics = metricsPage(env, resources);
  const shown = { publicUrl, filesUrl: env.S3_PUBLIC_URL, compatibleApis: env.COMPATIBLE_APIS };
  const app = createApp(services, { log, corsOrigins, trustedProxies, ...shown, deferredRequests: requests, metrics });

  watchAnsweringThread(log);
  scheduleMaintenance(resources, services, log);
  registerDeliveries(resources, services);
  registerRenders(resources, services, log);
  registerFilms(resources, services, log, requests);
  registerBatches(resources, services, log, requests);
  const helper = env.ROLE === "all" ? registerExports(resources, services, log, guard) : undefined;
  void startQueues(env, resources, services, log);

  const { STOP_SECONDS: stopSeconds } = env;
  onStopSignal(stopSeconds, () => drainAndExit(stopSeconds, server, requests, { ...resources, helper }));
  const ending = endingModels(services.models.providers, Date.now()).map(endingPhrase);
  process.stdout.write(startMessage(publicUrl, resources, { metricsUrl, ending }));
  // loaded early, so that the first export with text starts without delay
  loadCommonFonts(services.textMeasurer).catch((error) => log.error({ error: describeError(error) }, "fonts"));
}

/** Processes the jobs of other processes without serving requests. */
function startWorker(env: Environment, resources: ObservedResources, log: Logger, guard: HangGuard): void {
  const publicUrl = env.PUBLIC_URL?.replace(/\/+$/, "") ?? `http://${env.HOST}:${env.PORT}`;
  const services = createObservedServices(env, resources, publicUrl, log);
  const metricsUrl = serveMetrics(env, resources, services);
  scheduleMaintenance(resources, services, log);
  const helper = registerExports(resources, services, log, guard);
  void startQueues(env, resources, services, log);
  if (env.HEALTH_SOCKET) serveHealth(env.HEALTH_SOCKET, services);
  onStopSignal(env.STOP_SECONDS, () => closeAndExit({ ...resources, helper }));
  const { database, ffmpeg } = resources;
  const metricsLine = metricsUrl ? `\n  metrics   ${metricsUrl}` : "";
  const lines = `${metricsLine}\n  ffmpeg    ${ffmpeg.description}`;
  process.stdout.write(`\nReelwright takes exports from ${database.description}.${lines}\n\n`);
}

function scheduleMaintenance(resources: Resources, services: Services, log: Logger): void {
  const report = (step: string, error: unknown) => log.error({ step, error: describeError(error) }, "maintenance");
  const run = () => runMaintenance(resources, services, report);
  void run();
  setInterval(run, maintenanceEveryMs).unref();
  setInterval(() => void runRecovery(services, report), recoveryEveryMs).unref();
}

/** Counts the exports of hung processes before any job is taken: one of them may be the cause. */
async function startQueues(env: Environment, { queues }: Resources, { exports }: Services, log: Logger): Promise<void> {
  await recordHangs(env.DATA_DIR, exports).catch((error) => log.error({ error: describeError(error) }, "hangs"));
  await queues.start();
}

/** Returns the help for exports of other processes, if it is possible. */
function registerExports(
  { queues }: Resources,
  services: Services,
  log: Logger,
  guard: HangGuard,
): ExportHelper | undefined {
  const { runs, telemetry } = services;
  const logAssistance = (error: unknown) => log.warn({ error: describeError(error) }, "assistance");
  const helper = runs && helpOtherExports({ ...services, runs }, { logError: logAssistance });
  const runExport = (exportId: string, signal: AbortSignal) => {
    const logError = (error: unknown) => log.error({ exportId, error: describeError(error) }, "export");
    const run = () => inExportJob(telemetry, exportId, () => runExportJob(services, exportId, signal, logError));
    return guard.during(exportId, () => (helper ? helper.during(run) : run()));
  };
  queues.registerHandler("exports", runExport);
  queues.registerHandler("batchExports", runExport);
  return helper;
}

/** Not for workers: where ffmpeg runs, outgoing network access is not needed. */
function registerDeliveries({ queues }: Resources, services: Services): void {
  queues.registerHandler("webhooks", (delivery, signal) => deliverWebhook(services, delivery, signal));
  queues.registerHandler("deliveries", (job, signal) => deliver(services, job, signal));
}

/** Runs where requests are answered, because the servers of files are reachable there. */
function registerRenders({ queues }: Resources, services: Services, log: Logger): void {
  queues.registerHandler("renders", (renderId, signal) => {
    const logError = (error: unknown) => log.error({ renderId, error: describeError(error) }, "render");
    return advanceRender(services, renderId, signal, logError);
  });
}

/** Runs where requests are answered, because providers are reachable there. */
function registerFilms({ queues }: Resources, services: Services, log: Logger, requests: RequestTracker): void {
  const { hold, drainSignal: draining } = requests;
  queues.registerHandler("films", (filmId, signal) => {
    const logError = (error: unknown) => log.error({ filmId, error: describeError(error) }, "film");
    return hold(advanceFilm(services, filmId, signal, logError, { draining }));
  });
}

function registerBatches({ queues }: Resources, services: Services, log: Logger, requests: RequestTracker): void {
  const { hold, drainSignal: draining } = requests;
  queues.registerHandler("batches", (batchId, signal) => {
    const logError = (error: unknown) => log.error({ batchId, error: describeError(error) }, "batch");
    return hold(advanceBatch(services, batchId, signal, logError, { draining }));
  });
}

type Fetch = (request: Request, server: Server) => FetchResult;

const listen = ({ PORT: port, HOST: hostname }: Environment, log: Logger, fetch: Fetch): Server =>
  openPort({ port, hostname, fetch, error: serverErrorHandler(log) }, "PORT");

type StartFacts = { readonly metricsUrl: string | undefined; readonly ending: readonly string[] };

function startMessage(url: string, { database, storage, ffmpeg }: Resources, facts: StartFacts): string {
  const { metricsUrl, ending } = facts;
  const email = `you+${crypto.randomUUID().slice(0, 8)}@example.com`;
  const body = JSON.stringify({ email, password: "a good long password", name: "You" });
  const lines = {
    address: url,
    studio: `${url}/studio`,
    "API page": `${url}/docs`,
    ...(metricsUrl && { metrics: metricsUrl }),
    database: database.description,
    storage,
    ffmpeg: ffmpeg.description,
    ...(ending.length > 0 && { ending: ending.join(", ") }),
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
