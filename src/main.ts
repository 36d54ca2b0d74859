import { resolve } from "node:path";
import { type Logger, pino } from "pino";
import { createApp } from "./app.ts";
import { runExportJob } from "./domain/exports/run.ts";
import { loadUsualFonts } from "./domain/exports/validation/text-measurer.ts";
import { deliverWebhook } from "./domain/exports/webhooks/webhooks.ts";
import type { Services } from "./domain/services.ts";
import { type Environment, readEnvironment } from "./env.ts";
import { describeError } from "./http/response/log.ts";
import { brokenAnswer } from "./http/response/server-error.ts";
import { createServices, openResources, type Resources, runMaintenance } from "./wiring.ts";

const drainMs = 8_000;
const abortMs = 2_000;
const tidyEveryMs = 60 * 60 * 1000;

/** Opens what the service stands on, then the port; ready when this resolves. */
async function start(env: Environment): Promise<void> {
  const log = pino({ level: env.LOG_LEVEL });
  process.on("unhandledRejection", (reason) => log.error({ error: describeError(reason) }, "unhandled rejection"));

  const foundation = await openResources(env);
  try {
    if (env.ROLE === "worker") work(env, foundation, log);
    else serve(env, foundation, log);
  } catch (error) {
    await foundation.database.close();
    throw error;
  }
}

function serve(env: Environment, foundation: Resources, log: Logger): void {
  const { running, track } = requestTracker();
  const server = listen(env, log, (request, server) => track(app.fetch(request, server)));
  const publicUrl = env.PUBLIC_URL?.replace(/\/+$/, "") ?? server.url.origin;
  const services = createServices(env, foundation, publicUrl);
  // no request can come in before this line: the port was opened in the same turn
  const app = createApp(services, { log, corsOrigins: env.CORS_ORIGINS });

  keepTidy(foundation, services, log);
  if (env.ROLE === "all") takeJobs(foundation, services, log);

  onFirstSignal(() => stop(server, running, foundation));
  process.stdout.write(welcome(publicUrl, env, foundation));
  // while nobody waits: the first text would
  loadUsualFonts(services.textMeasurer).catch((error) => log.error({ error: describeError(error) }, "fonts"));
}

/** Renders what other processes take orders for, and answers nobody. */
function work(env: Environment, foundation: Resources, log: Logger): void {
  const publicUrl = env.PUBLIC_URL?.replace(/\/+$/, "") ?? `http://${env.HOST}:${env.PORT}`;
  takeJobs(foundation, createServices(env, foundation, publicUrl), log);
  onFirstSignal(() => leave(foundation));
  process.stdout.write(`\nReelwright takes exports from ${foundation.database.description}.\n\n`);
}

function keepTidy(foundation: Resources, services: Services, log: Logger): void {
  const tidyUp = () =>
    runMaintenance(foundation, services).catch((error) => log.error({ error: describeError(error) }, "tidy"));
  void tidyUp();
  setInterval(tidyUp, tidyEveryMs).unref();
}

function takeJobs({ queues }: Resources, services: Services, log: Logger): void {
  queues.serve("exports", (exportId, signal) =>
    runExportJob(services, exportId, signal, (error) => log.error({ exportId, error: describeError(error) }, "export")),
  );
  queues.serve("webhooks", (delivery, signal) => deliverWebhook(services, delivery, signal));
  queues.ready().catch((error) => log.error({ error: describeError(error) }, "queues"));
}

type Answer = Response | Promise<Response>;

/** The requests that are being worked on: those of a closed connection too, while they clean up. */
function requestTracker() {
  const running = new Set<Promise<Response>>();
  const track = (answer: Answer): Answer => {
    if (answer instanceof Response) return answer;
    running.add(answer);
    return answer.finally(() => running.delete(answer));
  };
  return { running, track };
}

function onFirstSignal(act: () => Promise<void>): void {
  let isStopping = false;
  const listener = () => {
    if (isStopping) return;
    isStopping = true;
    void act();
  };
  // not `once`: execa's guard of child processes ends a process that has no other listener left
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, listener);
}

type Server = Bun.Server<undefined>;
type Fetch = (request: Request, server: Server) => Answer;

function listen(env: Environment, log: Logger, fetch: Fetch): Server {
  try {
    return Bun.serve({
      port: env.PORT,
      hostname: env.HOST,
      fetch,
      // a page with the source would answer otherwise, wherever NODE_ENV is not set
      development: false,
      // without it two processes share one port, and each gets half of the requests
      reusePort: false,
      // bodies are counted where they are read, so that a large one gets this service's own answer
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      // a player that pauses holds its connection for as long; server.timeout does not reach answers that are files
      idleTimeout: 120,
      error: brokenAnswer(log),
    });
  } catch (cause) {
    const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    const advice = isTaken ? "is another process there? Choose another PORT." : "is HOST an address of this machine?";
    throw new Error(`Cannot listen on ${env.HOST}:${env.PORT}: ${advice}`, { cause });
  }
}

/** Lets running requests end for a while, aborts what is left, and leaves. */
async function stop(server: Server, running: ReadonlySet<Promise<Response>>, foundation: Resources): Promise<void> {
  await Promise.race([server.stop(), Bun.sleep(drainMs)]);
  void server.stop(true);
  await Promise.race([Promise.allSettled(running), Bun.sleep(abortMs)]);
  await leave(foundation);
}

async function leave({ queues, database }: Resources): Promise<void> {
  await queues.stop().catch(() => {});
  await database.close().finally(() => process.exit(0));
}

function welcome(url: string, env: Environment, { database, ffmpeg }: Resources): string {
  const email = `you+${crypto.randomUUID().slice(0, 8)}@example.com`;
  const body = JSON.stringify({ email, password: "a good long password", name: "You" });
  const lines = {
    address: url,
    "API page": `${url}/docs`,
    database: database.description,
    storage: `files in ${resolve(env.DATA_DIR)}`,
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
