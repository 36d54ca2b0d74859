import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { Caller } from "../../../src/domain/accounts/caller.ts";
import { type Operation, type OperationStore, startOperation } from "../../../src/domain/operations/operations.ts";
import { DomainError } from "../../../src/errors.ts";
import type { LeasePorts, RenewedLease } from "../../../src/platform/leases.ts";

const caller = { user: { id: "user_1" } } as Caller;
let renewals = 0;
let ended: unknown[] = [];
const leases: LeasePorts["leases"] = {
  acquire: async () => true,
  renew: async () => {
    renewals++;
    return [];
  },
  release: async () => {},
};
const operations: OperationStore = {
  add: async () => true,
  end: async (_, response) => void ended.push(response),
  find: async () => undefined,
  remove: async () => true,
  removeExpired: async () => 0,
};

beforeEach(() => {
  renewals = 0;
  ended = [];
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("a response that the database does not take is stored when it is back, and the lease is renewed until then", async () => {
  const { end } = await startOperation(
    { leases, operations: { ...operations, end: failThrice() } },
    caller,
    [],
    () => {},
  );
  const stored = end({ status: 200, body: "{}" });
  for (let seconds = 0; seconds < 4; seconds++) {
    await settle();
    jest.advanceTimersByTime(1_000);
  }
  await stored;

  expect([renewals, ended]).toEqual([1, [{ status: 200, body: "{}" }]]);
});

/** An `end` of a database that is away for three attempts. */
function failThrice(): OperationStore["end"] {
  let attempts = 0;
  return async (...args) => {
    attempts += 1;
    if (attempts <= 3) throw new DomainError("unavailable", {});
    await operations.end(...args);
  };
}

/** Runs what waits for resolved promises. */
async function settle() {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
}

test.each([
  ["a response", { status: 200, body: "{}" }],
  ["no response", undefined],
])("the lease of an operation is renewed until it ends with %s", async (_, response) => {
  const { end } = await startOperation({ leases, operations }, caller, [], () => {});
  jest.advanceTimersByTime(10_000);
  expect(renewals).toBe(3);

  await end(response);
  jest.advanceTimersByTime(60_000);
  expect([renewals, ended]).toEqual([3, response ? [response] : []]);
});

test.each([
  ["is cancelled if it was removed", undefined, 1],
  ["goes on if it is there", operation("running"), 0],
])("an operation that has lost its lease %s", async (_, found, cancellations) => {
  const cancel = jest.fn();
  const losing = { ...leases, renew: async (held: readonly RenewedLease[]) => held };
  const ports = { leases: losing, operations: { ...operations, find: async () => found } };
  await startOperation(ports, caller, [], cancel);
  jest.advanceTimersByTime(3_000);
  await settle();
  expect(cancel).toHaveBeenCalledTimes(cancellations);
});

function operation(state: Operation["state"]): Operation {
  return { id: "op_1", userId: "user_1", scopes: [], state, createdAt: 0 };
}
