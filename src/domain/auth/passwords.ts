import { hash, type Options, verify } from "@node-rs/argon2";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";

export type Passwords = {
  hash(password: string): Promise<string>;
  /** Takes the same time without a hash, so that an unknown e-mail cannot be told from a wrong password. */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
};

// argon2id at the strength OWASP asks for; 2 is Algorithm.Argon2id, a const enum that cannot be imported here
const cost: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing is what an attacker would drown us with, so only a few run at a time. */
export function argonPasswords(): Passwords {
  const enter = concurrencyLimit({ concurrency: 3, queueLength: 100, retryAfterSeconds: 1 });
  const nobody = hash(crypto.randomUUID(), cost);

  return {
    hash: (password) => enter(() => hash(password, cost)),
    matches: (password, passwordHash) =>
      enter(async () => {
        const right = await verify(passwordHash ?? (await nobody), password);
        return right && passwordHash !== undefined;
      }),
  };
}
