import { isDomainError } from "../../errors.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { admission, type RecentNames } from "./admission.ts";
import { type Attempt, knownMark, pairOf, perClient, perPair, refuseDuring, withPoints } from "./attempts.ts";
import type { HashJob } from "./passwords.ts";
import type { RateLimit, RateLimiter } from "./rate-limit.ts";

/** Far above what an office needs. Every account has limits of its own: many accounts multiply what a client may do. */
const newAccounts: readonly RateLimit[] = [
  { points: 300, seconds: 60 },
  { points: 3000, seconds: 3600 },
];

export type LimitedRegistration = <T>(attempt: Attempt, register: (job: HashJob) => Promise<T>) => Promise<T>;

/**
 * Runs registrations within the limits of new accounts and of taken e-mails; throws rate_limited, and busy if too many
 * wait. They run one at a time and clients take turns, so that a flood leaves time between its queries and hashes for
 * all other requests of this process.
 */
export function limitedRegistration(rateLimiter: RateLimiter, recentPairs: RecentNames): LimitedRegistration {
  const admit = admission();
  const oneAtATime = concurrencyLimit({ concurrency: 1 });

  return (attempt, register) => {
    const { network } = attempt.address;
    const { failures, successes } = allowancesOf(attempt);
    const check = () => rateLimiter.waits([...failures, ...successes]);
    const inTurn = (job: HashJob) => oneAtATime(() => register(job), { owner: network });

    return admit(network, check, async (waits) => {
      refuseDuring(waits);
      const job = { kind: "registration", address: network } as const;
      const run = withPoints(rateLimiter, successes, isSuccess, (onTurn) => inTurn({ ...job, onTurn }));
      const result = await run.catch(async (error) => {
        // before the response tells that it is taken: parallel ones cannot exceed the limit
        if (isTaken(error)) await rateLimiter.take(failures);
        throw error;
      });
      await rateLimiter.takeAll(knownMark(attempt));
      recentPairs.add(pairOf(attempt));
      return result;
    });
  };
}

/** The keys differ from those of logins: wrong logins do not keep a neighbour from registering. */
function allowancesOf(attempt: Attempt) {
  const { network, isLoopback } = attempt.address;
  const failures = [
    { ...perPair, key: `taken ${pairOf(attempt)}` },
    { ...perClient, key: `taken ${network}` },
  ];
  // a loopback address is this machine's own, or that of a proxy that is not trusted, which all clients share
  const successes = isLoopback ? [] : newAccounts.map((limit) => ({ ...limit, key: `registrations ${network}` }));
  return { failures, successes };
}

const isSuccess = (error: unknown): boolean => error === undefined;

const isTaken = (error: unknown): boolean => isDomainError(error) && error.code === "email_taken";
