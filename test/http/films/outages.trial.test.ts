import { afterAll, afterEach, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { DomainError } from "../../../src/errors.ts";
import type { Services } from "../../../src/services.ts";
import { paidFilms } from "../../support/paid-films.ts";

/** How many requests to each are refused from now on. */
const away = { database: 0, store: 0 };

/** Called when the last request is refused. */
let onReturn = () => {};

const during = (part: keyof typeof away) => {
  if (away[part] === 0) return;
  away[part]--;
  if (away[part] === 0) onReturn();
  throw new DomainError("unavailable", {});
};

/** The database and the store, which are away when a test says so. */
const replaced = ({ films, ledger, files }: Services): Partial<Services> => ({
  films: {
    ...films,
    async loadRevision(...args) {
      during("database");
      return films.loadRevision(...args);
    },
    async change(...args) {
      during("database");
      return films.change(...args);
    },
    async saveCheckpoints(...args) {
      during("database");
      return films.saveCheckpoints(...args);
    },
  },
  ledger: {
    ...ledger,
    async end(call) {
      during("database");
      return ledger.end(call);
    },
  },
  files: {
    ...files,
    async store(...args) {
      during("store");
      return files.store(...args);
    },
  },
});

const films = await paidFilms({}, replaced);
const { provider, service } = films;
afterAll(films.close);
afterEach(provider.reset);

const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: false };

test.each(["database", "store"] as const)(
  "a film whose answers come while the %s is away loses and repeats nothing",
  async (part) => {
    const ann = await films.register();
    const before = films.counts();
    let hasBeenAway = false;
    provider.before = async (kind) => {
      if (kind !== "image" || hasBeenAway) return;
      hasBeenAway = true;
      away[part] = 3;
    };
    const { path } = await films.order(ann, { models, fresh: true });
    const film = await films.rested(ann, path, "provider");
    expect([film.status, film.waitingReason, away[part]]).toEqual(["done", undefined, 0]);
    const after = films.counts();
    expect([after.scenario - before.scenario, after.image - before.image]).toEqual([1, 3]);
    // what ended while the database was away is booked when the ledger is next written to
    expect(await films.settledSpend(ann)).toMatchObject({ total: "0.150047", unknown: "0.00" });
  },
);

test("calls that run while the database is away go on", async () => {
  const ann = await films.register();
  const isBack = Promise.withResolvers<void>();
  const before = films.counts();
  provider.before = async (kind) => {
    if (kind !== "image" || films.counts().image < before.image + 3) return;
    // all three run now
    away.database = 2;
    onReturn = isBack.resolve;
  };
  provider.answer = async (kind) => {
    if (kind === "image") await isBack.promise;
    return undefined;
  };
  const { path } = await films.order(ann, { models, fresh: true });
  const film = await films.rested(ann, path);
  expect([film.status, film.waitingReason]).toEqual(["done", undefined]);
  expect(films.counts().image - before.image).toBe(3);
  expect(await (await ann.request("/api/spend")).json()).toMatchObject({ total: "0.150047", unknown: "0.00" });
});

test("a film that waits for its owner has no job, and goes on with the rows of an earlier version", async () => {
  const ann = await films.register();
  const { path, film } = await films.order(ann, { models, stopAt: ["scenario", "images"] });
  const jobs = async () => {
    const found = await service.db.execute(
      sql`select from pgboss.job where name = 'films' and state < 'completed' and data->>'data' = ${film.id}`,
    );
    return (found as unknown as { rows: unknown[] }).rows.length;
  };
  for (const waitingAt of ["scenario", "images"]) {
    expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "approval", waitingAt });
    // the last one ends once its film waits
    while ((await jobs()) > 0) await Bun.sleep(20);
    await service.db.execute(sql`update films set traceparent = null, webhook = null where id = ${film.id}`);
    await service.db.execute(sql`update film_steps set attempts = '[]', wish = null, force = null
      where film_id = ${film.id}`);
    expect((await ann.json("POST", `${path}/approve`)).status).toBe(200);
  }
  expect(await films.rested(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.150047" } });
});
