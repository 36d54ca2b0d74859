import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { Caller } from "../../../src/domain/auth/caller.ts";
import { type OperationStore, startOperation } from "../../../src/domain/operations/operations.ts";

const caller = { user: { id: "user_1" } } as Caller;
let renewals = 0;
let ended: unknown[] = [];
const operations: OperationStore = {
  add: async () => true,
  renew: async () => {
    renewals++;
    return true;
  },
  end: async (_, response) => void ended.push(response),
  find: async () => undefined,
  remove: async () => true,
  interruptAll: async () => {},
  removeExpired: async () => {},
};

beforeEach(() => {
  renewals = 0;
  ended = [];
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test.each([
  ["a response", { status: 200, body: "{}" }],
  ["no response", undefined],
])("the lease of an operation is renewed until it ends with %s", async (_, response) => {
  const { end } = await startOperation({ operations }, caller, [], () => {});
  jest.advanceTimersByTime(7_000);
  expect(renewals).toBe(3);

  await end(response);
  jest.advanceTimersByTime(60_000);
  expect([renewals, ended]).toEqual([3, response ? [response] : []]);
});
