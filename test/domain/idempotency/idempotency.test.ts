import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { claimRequest, type IdempotencyStore } from "../../../src/domain/idempotency/idempotency.ts";
import { DomainError } from "../../../src/errors.ts";
import type { LeasePorts } from "../../../src/platform/leases.ts";

let calls: string[];

beforeEach(() => {
  calls = [];
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

const response = { status: 200, headers: {}, body: "{}" };
const request = { userId: "user", key: "key", fingerprint: "print" };

const recording = (name: string) => async () => {
  calls.push(name);
  return true;
};

const recordingStore = (changes: Partial<IdempotencyStore> = {}): IdempotencyStore => ({
  claim: async () => ({ state: "claimed", checkpoints: new Map() }),
  find: async () => ({ state: "in_progress" }),
  saveCheckpoint: recording("saveCheckpoint"),
  clearCheckpoint: recording("clearCheckpoint"),
  complete: recording("complete"),
  release: async () => void calls.push("release"),
  listExpired: async () => [],
  removeExpired: async () => {},
  ...changes,
});

const leases: LeasePorts["leases"] = {
  acquire: async () => true,
  renew: async () => {
    calls.push("renew");
    return [];
  },
  release: async () => void calls.push("end of the lease"),
};

async function acquireLock(store: IdempotencyStore) {
  const result = await claimRequest({ idempotencyKeys: store, leases }, request, new AbortController().signal);
  if (!("lock" in result)) throw new Error("The request has a stored response.");
  return result.lock;
}

/** Runs what is due without a timer. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

const unavailable = async () => Promise.reject(new DomainError("unavailable", {}));

test("renews the lease every three seconds, and never after the end", async () => {
  for (const isSuccess of [true, false]) {
    calls = [];
    const { finish } = await acquireLock(recordingStore());
    jest.advanceTimersByTime(9_999);
    expect(calls).toEqual(Array(3).fill("renew"));

    await finish(response, isSuccess);
    jest.advanceTimersByTime(60_000);
    expect(calls.slice(3)).toEqual([isSuccess ? "complete" : "release", "end of the lease"]);
  }
});

test("ignores errors of ending a claim, and stops renewing", async () => {
  const { finish } = await acquireLock(recordingStore({ complete: unavailable, release: unavailable }));
  jest.advanceTimersByTime(3_000);
  await finish(response, true);
  await finish(undefined, false);
  jest.advanceTimersByTime(60_000);

  expect(calls).toEqual(["renew", "end of the lease", "end of the lease"]);
});

test.each(["in_progress", "mismatch"] as const)("a key whose lease another attempt has is %s", async (state) => {
  const claiming = claimRequest(
    {
      idempotencyKeys: recordingStore({ find: async () => ({ state }) }),
      leases: { ...leases, acquire: async () => false },
    },
    request,
    new AbortController().signal,
  );
  await expect(claiming).rejects.toThrow(DomainError);
  expect(calls).toEqual([]);
});

test("a repetition gets the stored response, and keeps no lease", async () => {
  const idempotencyKeys = recordingStore({ claim: async () => ({ state: "completed", response }) });
  expect(await claimRequest({ idempotencyKeys, leases }, request, new AbortController().signal)).toEqual({ response });
  jest.advanceTimersByTime(60_000);
  expect(calls).toEqual(["end of the lease"]);
});

test("does not store a response that cannot be replayed", async () => {
  const { finish } = await acquireLock(recordingStore());
  await finish(undefined, true);

  expect(calls).toEqual(["release", "end of the lease"]);
});

test("an abandoned claim is released without anyone waiting for the database", async () => {
  const released = Promise.withResolvers<void>();
  const { abandon } = await acquireLock(recordingStore({ release: () => released.promise }));
  abandon();
  await settle();
  expect(calls).toEqual([]);
  released.resolve();
  await settle();
  expect(calls).toEqual(["end of the lease"]);
});

test("what a step has made during an outage is saved when the database is back, before the claim ends", async () => {
  let isAway = false;
  const saveCheckpoint: IdempotencyStore["saveCheckpoint"] = async (_, name, { state }) => {
    if (isAway) return unavailable();
    calls.push(`${name} ${state}`);
    return true;
  };
  const { checkpoints, abandon } = await acquireLock(recordingStore({ saveCheckpoint }));
  await checkpoints.runOnce("image", async () => {
    isAway = true;
    return "image.png";
  });
  abandon();
  await settle();
  expect(calls).toEqual(["image started"]);

  isAway = false;
  jest.advanceTimersByTime(2_000);
  await settle();
  expect(calls).toEqual(["image started", "image done", "release", "end of the lease"]);
});

test.each([
  [503, "release"],
  [502, "complete"],
])("after a step that may have been billed, a response with %i ends in %s", async (status, end) => {
  const { checkpoints, finish } = await acquireLock(recordingStore());
  await checkpoints.runOnce("image", unavailable).catch(() => {});
  await finish({ ...response, status }, false);

  expect(calls).toEqual(["saveCheckpoint", end, "end of the lease"]);
});
