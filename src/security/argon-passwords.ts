import { hash, type Options, verify } from "@node-rs/argon2";
import type { Passwords } from "../domain/auth/passwords.ts";
import { concurrencyLimit } from "../platform/concurrency-limit.ts";

/** argon2id with OWASP's minimum cost. 2 is Algorithm.Argon2id, a const enum that cannot be imported here. */
const cost: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Password hashes by argon2id. A concurrency limit keeps a flood of logins from exhausting CPU and memory. */
export function argonPasswords(): Passwords {
  const limited = concurrencyLimit({ concurrency: 3, maxQueued: 100, retryAfterSeconds: 1 });
  const dummyHash = hash(crypto.randomUUID(), cost);

  return {
    hash: (password) => limited(() => hash(password, cost)),
    matches: (password, passwordHash) =>
      limited(async () => {
        const isMatch = await verify(passwordHash ?? (await dummyHash), password);
        return isMatch && passwordHash !== undefined;
      }),
  };
}
