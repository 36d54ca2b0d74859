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
  const state = { isAway: false, booked: [] as EndedCall[], released: 0 };
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
      reserve: async () => {},
      setJob: async () => {},
      resume: async () => undefined,
      end: async (ended) => {
        await answer(undefined);
        state.booked.push(ended);
      },
    },
  };
  return { state, made };
}

test("what a call has cost is booked when the database is back, however long it was away", async () => {
  const { state, made } = ports();
  const call = { provider: "acme", model: "m", purpose: "image", bound: { images: 1 } } as const;
  const spending = newSpending();
  const paid = await beginCall(made, { userId: "ann", spending }, call);
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
