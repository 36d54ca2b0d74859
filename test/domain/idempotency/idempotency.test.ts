import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { claimRequest, type IdempotencyStore } from "../../../src/domain/idempotency/idempotency.ts";
import { DomainError } from "../../../src/errors.ts";

let calls: string[];

beforeEach(() => {
  calls = [];
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

const answer = { status: 200, headers: {}, body: "{}" };
const request = { userId: "user", key: "key", fingerprint: "print" };

const noting = (name: string) => async () => {
  calls.push(name);
  return true;
};

const notingStore = (changes: Partial<IdempotencyStore> = {}): IdempotencyStore => ({
  claim: async () => ({ state: "mine", steps: new Map() }),
  renew: noting("renew"),
  keepStep: noting("keepStep"),
  forgetStep: noting("forgetStep"),
  finish: noting("finish"),
  release: async () => void calls.push("release"),
  releaseAll: async () => {},
  removeExpired: async () => [],
  ...changes,
});

async function held(store: IdempotencyStore) {
  const claimed = await claimRequest(store, request, new AbortController().signal);
  if (!("held" in claimed)) throw new Error("It was answered.");
  return claimed.held;
}

const away = async () => Promise.reject(new DomainError("unavailable", {}));

test("a claim is renewed three times within a lease of ten seconds, and not once after its end", async () => {
  for (const isSuccess of [true, false]) {
    calls = [];
    const { end } = await held(notingStore());
    jest.advanceTimersByTime(9_999);
    expect(calls).toEqual(["renew", "renew", "renew"]);

    await end(answer, isSuccess);
    jest.advanceTimersByTime(60_000);
    expect(calls.slice(3)).toEqual([isSuccess ? "finish" : "release"]);
  }
});

test("a claim that cannot be renewed or ended troubles nobody, and its renewing ends too", async () => {
  let renewals = 0;
  const renew = () => {
    renewals++;
    return away();
  };
  const { end } = await held(notingStore({ renew, finish: away, release: away }));
  jest.advanceTimersByTime(3_000);
  await end(answer, true);
  await end(undefined, false);
  jest.advanceTimersByTime(60_000);

  expect(renewals).toBe(1);
});

test("an answer that nobody can give again is not kept", async () => {
  const { end } = await held(notingStore());
  await end(undefined, true);

  expect(calls).toEqual(["release"]);
});
