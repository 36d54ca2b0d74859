import { visibleFailures } from "../checks/responses.ts";
import { serviceNames } from "../cluster/services.ts";
import { oneOf } from "../load/random.ts";
import * as actions from "../load/user.ts";
import type { Running } from "./run.ts";

const requestsPerSecond = 20;
const filmEveryMs = 60_000;
const filmSeconds = 4;
const maxStopSeconds = 10;

/** Restarts the four processes one after the other, while requests come at a steady rate. */
export async function rollingRestarts(running: Running): Promise<readonly string[]> {
  const { cluster, load, options, log } = running;
  const found: string[] = [];
  const steady = steadyLoad(running);
  const begunAt = performance.now();
  for (let round = 1; round <= options.restarts; round++) {
    for (const name of serviceNames) {
      await Bun.sleep(2_000);
      const { seconds, code } = await cluster.services.stop(name);
      if (seconds > maxStopSeconds || code !== 0) found.push(`${name} ended after ${seconds} s with ${code}`);
      await cluster.services.start(name);
      log(`${name} restarted: it ended after ${seconds.toFixed(1)} s with ${code}`);
    }
  }
  const seconds = (performance.now() - begunAt) / 1000;
  const sent = await steady.stop();
  log(`${sent} requests at a steady rate in ${seconds.toFixed(0)} s`);
  return [...found, ...visibleFailures(load.ledger.attempts)];
}

const singleRequests = [actions.readFile, actions.readProject, actions.uploadAsset, actions.readProject];

/** Sends requests whether or not earlier ones have ended, and orders a film every minute. */
function steadyLoad({ load, random }: Running) {
  let sent = 0;
  const open = new Set<Promise<unknown>>();
  const start = (action: (actor: actions.Actor) => Promise<unknown>) => {
    const running = action(oneOf(random, load.actors));
    open.add(running);
    void running.finally(() => open.delete(running));
  };
  const requests = setInterval(() => {
    sent += 1;
    start(oneOf(random, singleRequests));
  }, 1000 / requestsPerSecond);
  const orderFilm = () => start((actor) => actions.exportFilm(actor, { seconds: filmSeconds }));
  orderFilm();
  const films = setInterval(orderFilm, filmEveryMs);
  return {
    async stop() {
      clearInterval(requests);
      clearInterval(films);
      await Promise.race([Promise.allSettled(open), Bun.sleep(60_000)]);
      return sent;
    },
  };
}
