import type { Assistant } from "./domain/exports/lifecycle/assist.ts";
import { processStopped } from "./platform/process-stop.ts";
import type { Resources } from "./resources.ts";

/** The time that running requests have to finish after a stop signal. */
const drainMs = 8_000;
/** The time that aborted requests have to clean up after that. */
const abortMs = 2_000;

/** What is closed at the end. */
type Closed = Pick<Resources, "queues" | "database"> & { readonly assistant?: Pick<Assistant, "stop"> | undefined };

export type Server = Bun.Server<undefined>;
export type FetchResult = Response | Promise<Response>;

/**
 * Tracks running requests, including those without a connection: closed ones that are still cleaning up, and deferred
 * ones and those with an Idempotency-Key, which go on until they end or `abort` is called.
 */
export function requestTracker() {
  const running = new Set<Promise<Response>>();
  const stopped = new AbortController();
  const track = (response: FetchResult): FetchResult => {
    if (response instanceof Response) return response;
    running.add(response);
    return response.finally(() => running.delete(response));
  };
  return { running, track, signal: stopped.signal, abort: () => stopped.abort(processStopped) };
}

export type RequestTracker = ReturnType<typeof requestTracker>;

/** A terminal, npm and a service manager may each send the first signal. */
const repeatMs = 1_000;

/** Calls `stop` at the first signal, and ends the process at a later one. */
export function onStopSignal(stop: () => Promise<void>): void {
  let stoppingSince: number | undefined;
  const listener = () => {
    if (stoppingSince === undefined) {
      stoppingSince = performance.now();
      void stop();
    } else if (performance.now() - stoppingSince > repeatMs) {
      process.exit(1);
    }
  };
  // not `once`: without another listener, execa's signal handler for child processes would exit this process
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, listener);
}

/** Waits for running requests, aborts the rest, and exits. */
export async function drainAndExit(
  server: Server,
  { running, abort }: RequestTracker,
  resources: Closed,
): Promise<void> {
  await Promise.race([server.stop().then(() => Promise.allSettled(running)), Bun.sleep(drainMs)]);
  void server.stop(true);
  abort();
  await Promise.race([Promise.allSettled(running), Bun.sleep(abortMs)]);
  await closeAndExit(resources);
}

export async function closeAndExit({ queues, database, assistant }: Closed): Promise<void> {
  await Promise.all([assistant?.stop(), queues.stop().catch(() => {})]);
  await database.close().finally(() => process.exit(0));
}
