import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { DomainError } from "../../src/errors.ts";
import { type Lease, type RenewedLease, takeLease } from "../../src/platform/leases.ts";

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A store that records its calls. */
function recordingStore() {
  const calls: string[] = [];
  const leases = {
    acquire: async ({ names }: Lease, leaseMs: number) => calls.push(`acquire ${names} for ${leaseMs}`) > 0,
    renew: async (held: readonly RenewedLease[]): Promise<readonly RenewedLease[]> => {
      calls.push(`renew ${held.map(({ names, leaseMs }) => `${names} for ${leaseMs}`).join(", ")}`);
      return [];
    },
    release: async () => void calls.push("release"),
  };
  return { calls, leases };
}

const unavailable = async () => Promise.reject(new DomainError("unavailable", {}));

test("renews the lease three times within its ten seconds, and never after the release", async () => {
  const { calls, leases } = recordingStore();
  const lease = await takeLease({ leases }, ["scene"]);
  jest.advanceTimersByTime(9_999);
  await lease!.release();
  jest.advanceTimersByTime(60_000);
  expect(calls).toEqual(["acquire scene for 10000", ...Array(3).fill("renew scene for 10000"), "release"]);
});

test("all leases of a process are renewed together", async () => {
  const { calls, leases } = recordingStore();
  const held = [await takeLease({ leases }, ["one"]), await takeLease({ leases }, ["other"], { leaseMs: 20_000 })];
  jest.advanceTimersByTime(3_000);
  for (const lease of held) lease!.abandon();
  jest.advanceTimersByTime(60_000);
  expect(calls).toEqual(["acquire one for 10000", "acquire other for 20000", "renew one for 10000, other for 20000"]);
});

test("the holder of a lost lease is told once, and it is renewed no more", async () => {
  const { calls, leases } = recordingStore();
  const renew = async (held: readonly RenewedLease[]) => {
    await leases.renew(held);
    return held;
  };
  const onLost = jest.fn();
  await takeLease({ leases: { ...leases, renew } }, ["scene"], { onLost });
  for (let seconds = 0; seconds < 10; seconds++) {
    jest.advanceTimersByTime(1_000);
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
  }
  expect(onLost).toHaveBeenCalledTimes(1);
  expect(calls).toEqual(["acquire scene for 10000", "renew scene for 10000"]);
});

test("an abandoned lease is neither renewed nor released", async () => {
  const { calls, leases } = recordingStore();
  const lease = await takeLease({ leases }, ["scene"], { leaseMs: 20_000 });
  lease!.abandon();
  jest.advanceTimersByTime(60_000);
  expect(calls).toEqual(["acquire scene for 20000"]);
});

test("takes each of several names once, in the same order for all holders", async () => {
  const { calls, leases } = recordingStore();
  await takeLease({ leases }, ["b", "a", "b"]);
  expect(calls).toEqual(["acquire a,b for 10000"]);
});

test("gives nothing if another holder has the lease, and renews nothing", async () => {
  const { calls, leases } = recordingStore();
  expect(await takeLease({ leases: { ...leases, acquire: async () => false } }, ["scene"])).toBeUndefined();
  jest.advanceTimersByTime(60_000);
  expect(calls).toEqual([]);
});

test("a failure to take a lease is thrown, and failures to renew and release it are not", async () => {
  const { leases } = recordingStore();
  const failing = { ...leases, renew: unavailable, release: unavailable };
  const lease = await takeLease({ leases: failing }, ["scene"]);
  jest.advanceTimersByTime(9_999);
  await lease!.release();
  await expect(takeLease({ leases: { ...failing, acquire: unavailable } }, ["scene"])).rejects.toThrow(DomainError);
});
