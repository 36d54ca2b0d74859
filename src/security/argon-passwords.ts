import { availableParallelism } from "node:os";
import { hash, type Options, verify } from "@node-rs/argon2";
import type { HashJob, HashKind, Passwords } from "../domain/accounts/secrets.ts";
import { DomainError } from "../errors.ts";
import { type ConcurrencyLimit, concurrencyLimit } from "../platform/limits/concurrency-limit.ts";

/** argon2id with OWASP's minimum cost. 2 is Algorithm.Argon2id, a const enum that cannot be imported here. */
const minimumCost: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes with argon2id. The queue keeps floods from exhausting CPU and memory. Tests lower the cost. */
export function argonPasswords(inQueue: HashQueue = hashQueue(), cost: Options = minimumCost): Passwords {
  const dummyHash = hash(crypto.randomUUID(), cost);

  return {
    hash: (password, job) => inQueue(job, () => hash(password, cost)),
    matches: (password, passwordHash, job) =>
      inQueue(job, async () => {
        const dummy = await dummyHash;
        const isMatch = await verify(passwordHash ?? dummy, password).catch(async (cause) => {
          // takes as long as a wrong password; the log has the cause
          await verify(dummy, password);
          throw new DomainError("invalid_credentials", {}, { cause });
        });
        return isMatch && passwordHash !== undefined;
      }),
  };
}

/** Runs `compute` when it is the job's turn. Throws busy if too many jobs wait. */
type HashQueue = <T>(job: HashJob, compute: () => Promise<T>) => Promise<T>;

const bounds = { maxQueued: 1000, maxQueuedPerOwner: 100, retryAfterSeconds: 1 };

/**
 * Computes at most `concurrency` hashes at a time. The kinds take turns, and so do the addresses of a kind: a flood of
 * registrations delays a login by one hash, and one client fills no queue for another. One core stays free by default:
 * hashes run in Bun's pool, which has a thread per core and also reads files. With every thread hashing, reads took a
 * quarter of a second. More than four at a time would cost memory, 19 MiB each.
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
