import { hash, type Options, verify } from "@node-rs/argon2";
import type { Passwords } from "../domain/accounts/passwords.ts";
import { DomainError } from "../errors.ts";
import { type HashQueue, hashQueue } from "./hash-queue.ts";

/** argon2id with OWASP's minimum cost. 2 is Algorithm.Argon2id, a const enum that cannot be imported here. */
const minimumCost: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Password hashes by argon2id. The queue keeps a flood of attempts from exhausting CPU and memory. Tests lower the cost.
 */
export function argonPasswords(inQueue: HashQueue = hashQueue(), cost: Options = minimumCost): Passwords {
  const dummyHash = hash(crypto.randomUUID(), cost);

  return {
    hash: (password, job) => inQueue(job, () => hash(password, cost)),
    matches: (password, passwordHash, job) =>
      inQueue(job, async () => {
        const dummy = await dummyHash;
        const isMatch = await verify(passwordHash ?? dummy, password).catch(async (cause) => {
          // in the same time as a wrong password, and the log has the cause
          await verify(dummy, password);
          throw new DomainError("invalid_credentials", {}, { cause });
        });
        return isMatch && passwordHash !== undefined;
      }),
  };
}
