import { afterAll, beforeAll, expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import type { Film } from "../../../src/domain/films/film.ts";
import type { LedgerStore, Reservation } from "../../../src/domain/ledger/ledger.ts";
import { formatAmount } from "../../../src/domain/ledger/money.ts";
import { holderLease } from "../../../src/domain/ledger/paid-calls.ts";
import { newId } from "../../../src/domain/shared/ids.ts";
import type { DomainError } from "../../../src/errors.ts";
import { userStore } from "../../../src/storage/accounts/users.ts";
import { filmStore } from "../../../src/storage/films/store.ts";
import { leaseStore } from "../../../src/storage/leases/store.ts";
import { ledgerStore } from "../../../src/storage/ledger/store.ts";
import { projectStore } from "../../../src/storage/projects/store.ts";
import { users } from "../../../src/storage/tables/accounts.ts";
import { spendByDay, upstreamCalls } from "../../../src/storage/tables/ledger.ts";
import { type FreshDatabase, freshDatabase } from "../../support/database.ts";
import { aFilm, aProject, aUser } from "../samples.ts";

let database: FreshDatabase;
let ledger: LedgerStore;

beforeAll(async () => {
  database = await freshDatabase();
  ledger = ledgerStore(database.db);
});
afterAll(() => database.close());

const day = 86_400_000;
const now = Date.parse("2026-11-23T12:00:00Z");

async function aSpender() {
  const user = await userStore(database.db).add(aUser());
  const userId = user!.id;
  const project = await projectStore(database.db).add(aProject(userId));
  return { userId, projectId: project.id };
}

const aCall = (scope: { userId: string; projectId?: string }, changes: Partial<Reservation> = {}): Reservation => ({
  ...{ id: newId("call"), provider: "acme", model: "m", purpose: "image", holderId: "nobody" },
  ...{ estimate: 100_000n, createdAt: now },
  ...scope,
  ...changes,
});

const ended = { outcome: "ok", milliseconds: 5 } as const;
const settle = (id: string, cost: bigint) => ledger.end({ id, state: "settled", cost, ...ended });

const sumsOf = async (userId: string) => {
  const groups = await ledger.report(userId, { groupBy: "project" });
  const sum = (field: "amount" | "reserved" | "unknown") =>
    formatAmount(groups.reduce((total, group) => total + group[field], 0n));
  return { amount: sum("amount"), reserved: sum("reserved"), unknown: sum("unknown") };
};

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error) => (error as DomainError).code,
  );

test.each([
  ["project", undefined],
  ["user", 500_000n],
] as const)(
  "of twenty calls at once, only as many begin as the budget of the %s has room for",
  async (scope, limit) => {
    const spender = await aSpender();
    const store = limit === undefined ? ledger : ledgerStore(database.db, { maxUserSpend: limit });
    if (scope === "project") await ledger.setBudget(spender.projectId, { limit: 500_000n, period: "total" }, now);

    const calls = Array.from({ length: 20 }, () => aCall(spender));
    const codes = await Promise.all(calls.map((call) => codeOf(store.reserve(call))));

    expect(codes.filter((code) => code === "ok")).toHaveLength(5);
    expect(codes.filter((code) => code === "budget_exceeded")).toHaveLength(15);
    expect(await sumsOf(spender.userId)).toEqual({ amount: "0.00", reserved: "0.50", unknown: "0.00" });
  },
);

test("what a call was less than its bound is free for others, and what was refused is free as a whole", async () => {
  const spender = await aSpender();
  await ledger.setBudget(spender.projectId, { limit: 100_000n, period: "month" }, now);
  const first = aCall(spender);
  await ledger.reserve(first);
  await settle(first.id, 40_000n);
  const refused = await codeOf(ledger.reserve(aCall(spender, { estimate: 60_001n })));
  const second = aCall(spender, { estimate: 60_000n });
  await ledger.reserve(second);
  await ledger.end({ id: second.id, state: "released", cost: 0n, ...ended, outcome: "content_refused" });

  expect(refused).toBe("budget_exceeded");
  expect(await ledger.findBudget(spender.projectId, now)).toEqual({
    ...{ limit: 100_000n, period: "month" },
    ...{ spent: 40_000n, reserved: 0n },
  });
  const error = await ledger.reserve(aCall(spender, { estimate: 70_000n })).catch((error) => error);
  expect(error.facts.budget).toEqual({
    ...{ scope: "project", limit: "0.10", spent: "0.04", reserved: "0.00", estimate: "0.07", currency: "USD" },
  });
});

test("a provider that charges more than the bound is booked as it charges, and nothing further begins", async () => {
  const spender = await aSpender();
  await ledger.setBudget(spender.projectId, { limit: 100_000n, period: "total" }, now);
  const call = aCall(spender, { estimate: 50_000n });
  await ledger.reserve(call);
  await settle(call.id, 300_000n);
  await settle(call.id, 300_000n);

  expect(await sumsOf(spender.userId)).toMatchObject({ amount: "0.30" });
  expect(await codeOf(ledger.reserve(aCall(spender, { estimate: 1n })))).toBe("budget_exceeded");
});

test("a limit of zero lets only calls begin that cost nothing", async () => {
  const spender = await aSpender();
  await ledger.setBudget(spender.projectId, { limit: 0n, period: "total" }, now);
  expect(await codeOf(ledger.reserve(aCall(spender, { estimate: 1n })))).toBe("budget_exceeded");
  expect(await codeOf(ledger.reserve(aCall(spender, { estimate: 0n })))).toBe("ok");
});

test("a month's budget begins anew with the month, and another project has its own", async () => {
  const spender = await aSpender();
  const other = await projectStore(database.db).add(aProject(spender.userId));
  await ledger.setBudget(spender.projectId, { limit: 100_000n, period: "month" }, now);
  await ledger.reserve(aCall(spender));
  expect(await codeOf(ledger.reserve(aCall(spender)))).toBe("budget_exceeded");
  expect(await codeOf(ledger.reserve(aCall(spender, { createdAt: now + 8 * day })))).toBe("ok");
  expect(await codeOf(ledger.reserve(aCall({ ...spender, projectId: other.id })))).toBe("ok");
  expect(await codeOf(ledger.reserve(aCall({ userId: spender.userId })))).toBe("ok");
});

test("a model without a price is called without a budget only, unless the caller allows it", async () => {
  const spender = await aSpender();
  const unpriced = { estimate: undefined };
  expect(await codeOf(ledger.reserve(aCall(spender, unpriced)))).toBe("ok");
  await ledger.setBudget(spender.projectId, { limit: 100_000n, period: "month" }, now);
  expect(await codeOf(ledger.reserve(aCall(spender, unpriced)))).toBe("price_unknown");
  expect(await codeOf(ledger.reserve(aCall(spender, { ...unpriced, allowUnpriced: true })))).toBe("ok");
});

test("a call of a process that died is unknown, counts as spent, and is settled if its job goes on", async () => {
  const spender = await aSpender();
  await ledger.setBudget(spender.projectId, { limit: 250_000n, period: "total" }, now);
  const leases = leaseStore(database.db);
  await leases.acquire({ names: [holderLease("alive")], holderId: "x" }, 60_000);
  await leases.acquire({ names: [holderLease("dead")], holderId: "x" }, 0);
  const alive = aCall(spender, { holderId: "alive" });
  const dead = aCall(spender, { holderId: "dead" });
  const job = { id: "job_1", callId: dead.id };
  await ledger.reserve(alive);
  await ledger.reserve(dead);
  await ledger.endAbandoned();

  expect(await sumsOf(spender.userId)).toEqual({ amount: "0.00", reserved: "0.10", unknown: "0.10" });
  expect(await ledger.findBudget(spender.projectId, now)).toMatchObject({ spent: 100_000n, reserved: 100_000n });
  expect(await codeOf(ledger.reserve(aCall(spender)))).toBe("budget_exceeded");

  const resumed = await ledger.resume({ ...spender, provider: "acme" }, job, "alive");
  expect(resumed).toBe(dead.id);
  expect(await settle(dead.id, 90_000n)).toEqual({ provider: "acme", model: "m", scope: spender, freed: 10_000n });
  expect(await sumsOf(spender.userId)).toEqual({ amount: "0.09", reserved: "0.10", unknown: "0.00" });
  // its process died once more, after it was booked
  expect(await ledger.resume({ ...spender, provider: "acme" }, job, "alive")).toBe(dead.id);
  expect(await settle(dead.id, 90_000n)).toBeUndefined();
  expect(await sumsOf(spender.userId)).toMatchObject({ amount: "0.09" });
});

async function addFilm(spender: { userId: string; projectId: string }, changes: Partial<Film> = {}): Promise<Film> {
  const film = { ...aFilm(spender), ...changes };
  const queues = { ready: async () => {}, send: async () => {} };
  const outbox = { enqueueChange: async (_: unknown, __: unknown, after: Film) => after };
  await filmStore(database.db, queues, outbox).add(film, {});
  return film;
}

test("a process that has lost a film to another one begins no call of it", async () => {
  const spender = await aSpender();
  const film = await addFilm(spender, { attempt: 2 });
  const ofFilm = { filmId: film.id, stepId: "scene-0-image" };
  expect(await codeOf(ledger.reserve(aCall(spender, { ...ofFilm, filmAttempt: 1 })))).toBe("request_in_progress");
  expect(await sumsOf(spender.userId)).toMatchObject({ reserved: "0.00" });
  expect(await codeOf(ledger.reserve(aCall(spender, { ...ofFilm, filmAttempt: 2 })))).toBe("ok");
});

test("films go on whose calls have room in the budget that holds them, the oldest first", async () => {
  const spender = await aSpender();
  const store = ledgerStore(database.db, { maxUserSpend: 400_000n });
  await ledger.setBudget(spender.projectId, { limit: 300_000n, period: "total" }, now);
  const running = aCall(spender, { estimate: 200_000n });
  await store.reserve(running);
  const waiting = { status: "waiting", waitingFor: "budget" } as const;
  const held = (createdAt: number, scope: "film" | "project" | "user", amount: number, maxSpend = 70_000n) =>
    addFilm(spender, { ...waiting, createdAt, maxSpend, budgetWait: { scope, amount } });
  const large = await held(1, "project", 110_000);
  const young = await held(4, "project", 50_000);
  const old = await held(2, "project", 60_000);
  const poor = await held(3, "film", 80_000);
  const ofUser = await held(5, "user", 200_000);
  await addFilm(spender, waiting);
  const idsWithRoom = async (freed?: Parameters<LedgerStore["filmsWithRoom"]>[1]) =>
    (await store.filmsWithRoom(now, freed)).map(({ id }) => id);
  // 0.10 is left in the project, and the older film takes 0.06 of it
  expect(await idsWithRoom(spender)).toEqual([old.id, ofUser.id]);
  expect(await idsWithRoom({ ...spender, filmId: poor.id })).toEqual([old.id, ofUser.id]);
  expect(await idsWithRoom({ userId: spender.userId })).toEqual([ofUser.id]);
  await settle(running.id, 140_000n);
  expect(await idsWithRoom(spender)).toEqual([large.id, young.id, ofUser.id]);
  await ledger.removeBudget(spender.projectId);
  expect(await idsWithRoom()).toEqual([large.id, old.id, young.id, ofUser.id]);
});

test("what the steps of films have cost is read for many films at once", async () => {
  const spender = await aSpender();
  const [one, two, free] = [(await addFilm(spender)).id, (await addFilm(spender)).id, newId("film")];
  const book = async (filmId: string, stepId: string, cost: bigint) => {
    const call = aCall(spender, { filmId, stepId });
    await ledger.reserve(call);
    await settle(call.id, cost);
  };
  await book(one, "a", 1n);
  await book(one, "a", 2n);
  await book(two, "a", 3n);
  await book(two, "b", 4n);
  const spends = await ledger.filmSpends([one, two, free]);
  const nothing = { reserved: 0n, unknown: 0n };
  expect([...spends.keys()].toSorted()).toEqual([one, two].toSorted());
  expect([...spends.get(one)!]).toEqual([["a", { spent: 3n, ...nothing }]]);
  expect(spends.get(two)?.get("b")).toEqual({ spent: 4n, ...nothing });
  expect(await ledger.filmSpend(free)).toEqual(new Map());
});

test("calls of long ago leave their sums by day, project and model", async () => {
  const spender = await aSpender();
  const past = now - 500 * day;
  for (const [model, createdAt, cost] of [
    ["m", past, 10n],
    ["m", past + 1, 5n],
    ["n", past, 7n],
    ["m", past + day, 1n],
    ["m", now, 100n],
  ] as const) {
    const call = aCall(spender, { model, createdAt });
    await ledger.reserve(call);
    await settle(call.id, cost);
  }
  const before = await ledger.report(spender.userId, { groupBy: "model" });
  expect(await ledger.summarizeBefore(now - 400 * day)).toBe(4);

  expect(await ledger.report(spender.userId, { groupBy: "model" })).toEqual(before);
  expect(before).toMatchObject([
    { key: "acme/m", amount: 116n, calls: 4 },
    { key: "acme/n", amount: 7n, calls: 1 },
  ]);
  expect((await ledger.list(spender.userId, { limit: 10 })).items).toHaveLength(1);
  const [first] = await ledger.report(spender.userId, { groupBy: "day", projectId: spender.projectId });
  expect(first).toMatchObject({ key: new Date(past).toISOString().slice(0, 10), amount: 22n });
});

test("the sums that are kept of whole days are those of the calls, whatever becomes of them", async () => {
  const spender = await aSpender();
  const other = {
    userId: spender.userId,
    projectId: (await projectStore(database.db).add(aProject(spender.userId))).id,
  };
  const alone = { userId: spender.userId };
  const groupings = ["day", "project", "model"] as const;
  const projects = [undefined, spender.projectId, other.projectId];
  const agree = async ({ inAll = false } = {}) => {
    for (const [at, groupBy] of groupings.entries()) {
      for (const projectId of inAll ? projects : [projects[at]]) {
        const query = { groupBy, ...(projectId !== undefined && { projectId }) };
        const read = (from?: number, to?: number) => ledger.report(spender.userId, { ...query, from, to });
        const today = now - (now % day);
        // times within days are read from the calls
        for (const begin of [today - day, today]) {
          expect(await read(begin, begin + day)).toEqual(await read(begin + 1, begin + day - 1));
        }
        expect(await read(today - day, today + day)).toEqual(await read(today - day + 1, today + day - 1));
        expect(await read()).toEqual(await read(1, today + day - 1));
      }
    }
  };
  const calls = [spender, other, alone].flatMap((scope) => [
    aCall(scope),
    aCall(scope, { createdAt: now - day, model: "n" }),
    aCall(scope, { createdAt: now - 500 * day }),
    aCall(scope, { estimate: undefined, allowUnpriced: true }),
  ]);
  for (const call of calls) await ledger.reserve(call);
  await agree();
  for (const [at, { id }] of calls.entries()) {
    if (at % 4 === 0) await settle(id, 70_000n);
    if (at % 4 === 1) await ledger.end({ id, state: "released", cost: 0n, ...ended });
    if (at % 4 === 2) await ledger.end({ id, state: "unknown", cost: 0n, ...ended });
  }
  await agree({ inAll: true });
  await ledger.endAbandoned();
  await ledger.summarizeBefore(now - 400 * day);
  await agree();
  await database.db.update(upstreamCalls).set({ projectId: null }).where(eq(upstreamCalls.projectId, other.projectId));
  await agree();
  const isOwn = eq(spendByDay.userId, spender.userId);
  expect(await database.db.$count(spendByDay, and(isOwn, eq(spendByDay.projectId, other.projectId)))).toBe(0);
  await database.db.delete(users).where(eq(users.id, spender.userId));
  expect(await database.db.$count(spendByDay, isOwn)).toBe(0);
});
