import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { EndedCall } from "../../../src/domain/ledger/ledger.ts";
import { beginCall, newSpending, type PaidCallPorts } from "../../../src/domain/ledger/paid-calls.ts";
import { priceTable } from "../../../src/domain/ledger/prices.ts";
import { DomainError } from "../../../src/errors.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

function ports() {
  const state = { isAway: false, booked: [] as EndedCall[], released: 0, rows: new Map<string | undefined, string>() };
  const prices = priceTable([
    {
      ...{ provider: "acme", model: "m", category: "image", unit: "image", price: "0.05" },
      ...{ currency: "USD", asOf: "2026-01-01", source: "test" },
    },
  ]);
  const answer = async <Value>(value: Value) => {
    if (state.isAway) throw new DomainError("unavailable", {});
    return value;
  };
  const made: PaidCallPorts = {
    prices,
    leases: {
      acquire: () => answer(true),
      renew: () => answer([]),
      release: async () => void state.released++,
    },
    ledger: {
      reserve: async ({ id, job }) => void state.rows.set(job ?? id, id),
      resume: async (_, job) => state.rows.get(job.id),
      end: async (ended) => {
        await answer(undefined);
        state.booked.push(ended);
      },
    },
  };
  return { state, made };
}

const image = { provider: "acme", model: "m", purpose: "image", bound: { images: 1 } } as const;

test("what a call has cost is booked when the database is back, however long it was away", async () => {
  const { state, made } = ports();
  const spending = newSpending();
  const paid = await beginCall(made, { userId: "ann", spending }, image);
  state.isAway = true;
  await paid.end({ result: "a picture" }, "ok", 5);
  expect([spending.cost, state.booked]).toEqual([50_000n, []]);

  for (let minute = 0; minute < 20; minute++) {
    jest.advanceTimersByTime(60_000);
    await settled();
  }
  expect([state.booked, state.released]).toEqual([[], 0]);
  state.isAway = false;
  jest.advanceTimersByTime(3_000);
  await settled();
  expect(state.booked).toMatchObject([{ state: "settled", cost: 50_000n }]);
  expect(state.released).toBe(1);
  jest.advanceTimersByTime(60_000);
  await settled();
  expect(state.booked).toHaveLength(1);
});

test("calls begin again once a lease that was lost in an outage can be taken, and those of before are booked", async () => {
  const { state, made } = ports();
  let isLost = true;
  const leases = {
    ...made.leases,
    renew: async (held: Parameters<typeof made.leases.renew>[0]) => {
      const lost = isLost ? held : [];
      isLost = false;
      return lost;
    },
  };
  const paid = await beginCall({ ...made, leases }, { userId: "ann" }, image);
  const elapse = async () => {
    jest.advanceTimersByTime(3_000);
    await settled();
  };
  state.isAway = true;
  await elapse();
  await expect(beginCall({ ...made, leases }, { userId: "ann" }, image)).rejects.toMatchObject({ code: "unavailable" });
  await paid.end({ result: "a picture" }, "ok", 5);
  state.isAway = false;
  await elapse();
  expect(state.booked).toMatchObject([{ state: "settled" }]);
  await beginCall({ ...made, leases }, { userId: "ann" }, image);
});

test("a failure that the provider charges for costs what a result does", async () => {
  const { state, made } = ports();
  const failure = new DomainError("content_refused", { provider: "Acme" });
  for (const billsFailures of [undefined, ["content_refused"], ["provider_error"]] as const) {
    const call = { ...image, ...(billsFailures && { billsFailures }) };
    const paid = await beginCall(made, { userId: "ann" }, call);
    await paid.end({ failure }, "content_refused", 5);
  }
  expect(state.booked).toMatchObject([
    { state: "released", cost: 0n },
    { state: "settled", cost: 50_000n, images: 1 },
    { state: "released", cost: 0n },
  ]);
});

test("a call that is sent again with its key is the same payment where the provider honours it", async () => {
  const { state, made } = ports();
  const rowsOf = async (honoursIdempotencyKey: boolean) => {
    state.rows.clear();
    state.booked.length = 0;
    for (const done of [{ failure: new DomainError("provider_timeout", { seconds: 1 }) }, { result: "a picture" }]) {
      const call = { ...image, honoursIdempotencyKey, idempotencyKey: "a key" };
      const paid = await beginCall(made, { userId: "ann" }, call);
      await paid.end(done, "failure" in done ? "provider_timeout" : "ok", 5);
    }
    return { reserved: state.rows.size, ended: new Set(state.booked.map(({ id }) => id)).size };
  };
  expect(await rowsOf(false)).toEqual({ reserved: 2, ended: 2 });
  expect(await rowsOf(true)).toEqual({ reserved: 1, ended: 1 });
});
