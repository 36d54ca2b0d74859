import { waitUntil } from "../cluster/programs.ts";
import { exportFilm } from "../load/user.ts";
import type { Running } from "./run.ts";

type Outage = {
  readonly name: string;
  begin(running: Running): unknown;
  end(running: Running): unknown;
  readonly milliseconds: number;
};

const outageMs = 10_000;

const outages: readonly Outage[] = [
  {
    name: "PostgreSQL frozen",
    begin: ({ cluster }) => cluster.postgres.freeze(),
    end: ({ cluster }) => cluster.postgres.thaw(),
    milliseconds: outageMs,
  },
  {
    name: "store frozen",
    begin: ({ cluster }) => cluster.store.freeze(),
    end: ({ cluster }) => cluster.store.thaw(),
    milliseconds: outageMs,
  },
  {
    name: "PostgreSQL stopped",
    begin: ({ cluster }) => cluster.postgres.stop(),
    end: ({ cluster }) => cluster.postgres.restart(),
    milliseconds: outageMs,
  },
  {
    name: "store stopped",
    begin: ({ cluster }) => cluster.store.stop(),
    end: ({ cluster }) => cluster.store.restart(),
    milliseconds: outageMs,
  },
  {
    name: "connections to PostgreSQL cut",
    begin: ({ cluster }) => cluster.databaseProxy.cut(),
    end: () => {},
    milliseconds: 1_000,
  },
  {
    name: "connections to PostgreSQL forgotten",
    begin: ({ cluster }) => cluster.databaseProxy.forget(),
    end: ({ cluster }) => cluster.databaseProxy.endForgotten(),
    milliseconds: outageMs,
  },
  {
    name: "connections to the store cut",
    begin: ({ cluster }) => cluster.storeProxy.cut(),
    end: () => {},
    milliseconds: 1_000,
  },
  {
    name: "connections to PostgreSQL refused",
    begin: ({ cluster }) => cluster.databaseProxy.refuse(true),
    end: ({ cluster }) => cluster.databaseProxy.refuse(false),
    milliseconds: outageMs,
  },
  {
    name: "answers of PostgreSQL and the store delayed by 200 ms",
    begin: ({ cluster }) => {
      cluster.databaseProxy.delay(200);
      cluster.storeProxy.delay(200);
    },
    end: ({ cluster }) => {
      cluster.databaseProxy.delay(0);
      cluster.storeProxy.delay(0);
    },
    milliseconds: outageMs,
  },
];

/** Within this time after an outage both processes are ready, and a film that is ordered then is done. */
const maxReadyMs = 10_000;
const maxFilmMs = 30_000;

/** Every kind of outage, one after the other; no process is restarted. */
export async function outagesInTurn(running: Running): Promise<readonly string[]> {
  const { options, log, cluster } = running;
  const found: string[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const { name, begin, end, milliseconds } of outages) {
      if (!cluster.store.isOwn && name.startsWith("store")) continue;
      await begin(running);
      await Bun.sleep(milliseconds);
      await end(running);
      const { readyMs, filmMs } = await recovery(running);
      log(`${name} for ${milliseconds} ms: ready after ${readyMs} ms, film after ${filmMs} ms`);
      if (readyMs > maxReadyMs) found.push(`${name}: ready after ${readyMs} ms`);
      if (filmMs > maxFilmMs) found.push(`${name}: film after ${filmMs} ms`);
      log(`usage ${JSON.stringify(await cluster.services.usage())}`);
    }
  }
  return found;
}

/** Milliseconds until both processes for requests are ready, and until a film that is ordered now is done. */
async function recovery({ cluster: { services }, load }: Running) {
  const begunAt = performance.now();
  const since = () => Math.round(performance.now() - begunAt);
  const isReady = async (name: "api-1" | "api-2") =>
    (await fetch(`${services.urlOf(name)}/api/ready`).catch(() => undefined))?.status === 200;
  await waitUntil(async () => (await isReady("api-1")) && (await isReady("api-2")), 60_000);
  const readyMs = since();
  await exportFilm(load.actors[0]!); // safe because a load has users
  return { readyMs, filmMs: since() };
}
