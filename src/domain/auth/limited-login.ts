import { isDomainError } from "../../errors.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { admission, type RecentNames } from "./admission.ts";
import {
  type Attempt,
  accountOf,
  knownMark,
  pairOf,
  perClient,
  perPair,
  refuseDuring,
  withPoints,
} from "./attempts.ts";
import type { HashJob } from "./passwords.ts";
import type { RateLimit, RateLimiter } from "./rate-limit.ts";

/** Failures of all clients at one account: bounds guesses from many addresses. */
const perAccount: RateLimit = { points: 100, seconds: 3600 };

/** So that not every login writes the mark of a known pair again. */
const renewMarkAfterSeconds = 86_400;

export type LimitedLogin = <T>(attempt: Attempt, login: (job: HashJob) => Promise<T>) => Promise<T>;

/**
 * Runs logins within the limits of failed ones; throws rate_limited. Points are taken before a password is checked, so
 * that parallel guesses cannot exceed a limit, and given back if it is right.
 *
 * Of the limits only that of the pair applies to a known pair of account and address: neither guesses from elsewhere
 * nor those of a neighbour behind the same address lock it.
 */
export function limitedLogin(rateLimiter: RateLimiter, recentPairs: RecentNames): LimitedLogin {
  // pairs that this process has seen to be right wait for none of the strangers behind their address
  const admitRecent = admission();
  const admitOthers = admission();
  // parallel logins of one pair would each hold a point until they are known to be right
  const oneOfPair = concurrencyLimit({ concurrency: Number.POSITIVE_INFINITY, perOwner: 1 });

  return (attempt, login) => {
    const pair = pairOf(attempt);
    const { network } = attempt.address;
    const mark = knownMark(attempt);
    const { ofPair, ofOthers } = allowancesOf(attempt);
    const [admit, owner] = recentPairs.has(pair) ? [admitRecent, pair] : [admitOthers, network];
    const check = () => rateLimiter.waits([mark, ofPair, ...ofOthers]);

    return admit(owner, check, async ([knownFor = 0, ...waits]) => {
      const isKnown = knownFor > 0;
      refuseDuring(isKnown ? waits.slice(0, 1) : waits);
      const job = { kind: isKnown ? "known login" : "login", address: network } as const;
      const allowances = isKnown ? [ofPair] : [ofPair, ...ofOthers];
      const run = () => withPoints(rateLimiter, allowances, isWrong, (onTurn) => login({ ...job, onTurn }));
      const result = await oneOfPair(run, { owner: pair });
      if (knownFor < mark.seconds - renewMarkAfterSeconds) await rateLimiter.takeAll(mark);
      recentPairs.add(pair);
      return result;
    });
  };
}

const allowancesOf = (attempt: Attempt) => ({
  ofPair: { ...perPair, key: `failed ${pairOf(attempt)}` },
  ofOthers: [
    { ...perClient, key: `failed ${attempt.address.network}` },
    { ...perAccount, key: `failed ${accountOf(attempt)}` },
  ],
});

/** Wrong tokens do not count: 256 random bits cannot be guessed. */
const isWrong = (error: unknown): boolean => isDomainError(error) && error.code === "invalid_credentials";
