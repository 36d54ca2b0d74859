import type { Resources } from "./wiring.ts";

/** The time that running requests have to finish after a stop signal. */
const drainMs = 8_000;
/** The time that aborted requests have to clean up after that. */
const abortMs = 2_000;

export type Server = Bun.Server<undefined>;
export type FetchResult = Response | Promise<Response>;

/** Tracks running requests, including those of closed connections that are still cleaning up. */
export function requestTracker() {
  const running = new Set<Promise<Response>>();
  const track = (response: FetchResult): FetchResult => {
    if (response instanceof Response) return response;
    running.add(response);
    return response.finally(() => running.delete(response));
  };
  return { running, track };
}

export function onFirstStopSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const listener = () => {
    if (isStopping) return;
    isStopping = true;
    void stop();
  };
  // not `once`: without another listener, execa's signal handler for child processes would exit this process
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, listener);
}

/** Waits for running requests, aborts the rest, and exits. */
export async function drainAndExit(
  server: Server,
  running: ReadonlySet<Promise<Response>>,
  resources: Resources,
): Promise<void> {
  await Promise.race([server.stop(), Bun.sleep(drainMs)]);
  void server.stop(true);
  await Promise.race([Promise.allSettled(running), Bun.sleep(abortMs)]);
  await closeAndExit(resources);
}

export async function closeAndExit({ queues, database }: Resources): Promise<void> {
  await queues.stop().catch(() => {});
  await database.close().finally(() => process.exit(0));
}
