import { availableParallelism } from "node:os";
import type { HashJob, HashKind } from "../domain/accounts/passwords.ts";
import { type ConcurrencyLimit, concurrencyLimit } from "../platform/concurrency-limit.ts";

/** Runs `compute` when it is the job's turn. Throws busy if too many jobs wait. */
export type HashQueue = <T>(job: HashJob, compute: () => Promise<T>) => Promise<T>;

const bounds = { maxQueued: 1000, maxQueuedPerOwner: 100, retryAfterSeconds: 1 };

/**
 * Computes at most `concurrency` hashes at a time. The kinds take turns, and the addresses of a kind: a flood of
 * registrations delays a login by one hash, and one client fills no queue for another.
 *
 * One core stays free by default: hashes run in Bun's pool, which has a thread per core, as do reads of files. With
 * every thread hashing, those took a quarter of a second. More than four at a time would cost memory, 19 MiB each.
 */
export function hashQueue(concurrency = Math.min(Math.max(1, availableParallelism() - 1), 4)): HashQueue {
  const amongKinds = concurrencyLimit({ concurrency });
  const amongAddresses: Record<HashKind, ConcurrencyLimit> = {
    "known login": concurrencyLimit({ concurrency, ...bounds }),
    login: concurrencyLimit({ concurrency, ...bounds }),
    registration: concurrencyLimit({ concurrency, ...bounds }),
  };

  return ({ kind, address, onTurn }, compute) => {
    const takeTurn = () => onTurn().then(compute);
    return amongAddresses[kind](() => amongKinds(takeTurn, { owner: kind }), { owner: address });
  };
}
