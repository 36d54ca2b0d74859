import type { ExportHelper } from "../domain/exports/lifecycle/help-other-exports.ts";
import { processStopped, requestInterrupted } from "../platform/async.ts";
import type { Resources } from "./resources.ts";
import type { OpenTelemetry } from "./telemetry.ts";

/** The part of STOP_SECONDS for the steps after the running requests. */
const closeMs = 3_000;
/** The time for aborted requests to clean up and respond. */
const abortMs = 1_000;
/** The time for their responses to be sent. */
const flushMs = 250;

/** Resources that are closed at the end. */
type StoppedResources = Pick<Resources, "queues" | "database"> & {
  readonly telemetry: Pick<OpenTelemetry, "close">;
  readonly helper?: Pick<ExportHelper, "stop"> | undefined;
};

export type Server = Bun.Server<undefined>;
export type FetchResult = Response | Promise<Response>;

/**
 * Tracks running requests, including those without a connection: closed ones that are still cleaning up, deferred ones,
 * and those with an Idempotency-Key, which continue until they end or `abort` is called. `drain` ends event streams,
 * which another process resumes.
 */
export function requestTracker() {
  const running = new Set<Promise<unknown>>();
  const draining = new AbortController();
  const interrupted = new AbortController();
  const stopped = new AbortController();
  const track = (response: FetchResult): FetchResult => {
    if (response instanceof Response) return response;
    running.add(response);
    return response.finally(() => running.delete(response));
  };
  return {
    running,
    track,
    /** Also waits for other work. */
    hold<Work extends Promise<unknown>>(work: Work): Work {
      running.add(work);
      void work.catch(() => {}).finally(() => running.delete(work));
      return work;
    },
    signal: stopped.signal,
    drainSignal: draining.signal,
    interruptSignal: interrupted.signal,
    drain: () => draining.abort(),
    abort() {
      stopped.abort(processStopped);
      interrupted.abort(requestInterrupted);
    },
  };
}

export type RequestTracker = ReturnType<typeof requestTracker>;

/** A terminal, npm and a service manager may each send the first signal. */
const repeatMs = 250;

/** Stops at the first signal. A later one ends the process, as does a `stop` of more than `stopSeconds`. */
export function onStopSignal(stopSeconds: number, stop: () => Promise<void>): void {
  let stoppingSince: number | undefined;
  const listener = () => {
    if (stoppingSince === undefined) {
      stoppingSince = performance.now();
      setTimeout(() => process.exit(0), stopSeconds * 1_000);
      void stop();
    } else if (performance.now() - stoppingSince > repeatMs) {
      process.exit(1);
    }
  };
  // not `once`: without another listener, execa's signal handler for child processes would exit this process
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, listener);
}

/** Waits for running requests, answers the rest with 503 if no response has begun, and exits within `stopSeconds`. */
export async function drainAndExit(
  stopSeconds: number,
  server: Server,
  { running, drain, abort }: RequestTracker,
  resources: StoppedResources,
): Promise<void> {
  drain();
  const closed = server.stop();
  await Promise.race([closed.then(() => Promise.allSettled(running)), Bun.sleep(stopSeconds * 1_000 - closeMs)]);
  abort();
  await Promise.race([Promise.allSettled(running), Bun.sleep(abortMs)]);
  await Promise.race([closed, Bun.sleep(flushMs)]);
  void server.stop(true);
  await closeAndExit(resources);
}

export async function closeAndExit({ queues, database, telemetry, helper }: StoppedResources): Promise<void> {
  await Promise.all([helper?.stop(), queues.stop().catch(() => {})]);
  await telemetry.close();
  await database.close().finally(() => process.exit(0));
}
