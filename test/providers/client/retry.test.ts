import { expect, test } from "bun:test";
import { TransientError } from "../../../src/providers/client/error-responses.ts";
import { exponentialBackoff, poll, retryTransient, sleep, withRetry } from "../../../src/providers/client/retry.ts";

const { signal } = new AbortController();
const transient = (seconds?: number) => new TransientError("provider_error", { reason: "overload" }, seconds);

test("transient errors are retried after 0.4 and 1.2 seconds, three attempts in all", () => {
  expect([1, 2, 3].map((attempt) => retryTransient(transient(), attempt))).toEqual([400, 1200, undefined]);
});

test("a requested pause replaces the backoff, up to ten seconds", () => {
  expect([0, 10, 10.5].map((seconds) => retryTransient(transient(seconds), 1))).toEqual([0, 10_000, undefined]);
});

test("other errors are thrown at once", async () => {
  let attempts = 0;
  const run = () => {
    attempts++;
    return Promise.reject(new Error("broken"));
  };
  await expect(withRetry(run, signal)).rejects.toThrow("broken");
  expect(attempts).toBe(1);
});

test("exponential backoff grows by its factor up to the maximum", () => {
  expect([0, 1, 2, 3, 4, 5].map(exponentialBackoff({ firstMs: 1_000, maxMs: 10_000 }))).toEqual([
    1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
  ]);
});

test("poll waits before each read and stops at the first value that is done", async () => {
  const waits: number[] = [];
  const backoff = (count: number) => {
    waits.push(count);
    return 0;
  };
  let reads = 0;
  expect(await poll(0, async () => ++reads, { isDone: (value) => value === 3, backoff, signal })).toBe(3);
  expect(waits).toEqual([0, 1, 2]);
});

test("an abort ends the wait with the signal's reason", async () => {
  const reason = new Error("The deadline has passed.");
  expect(await sleep(60_000, AbortSignal.abort(reason)).catch((error) => error)).toBe(reason);
});
