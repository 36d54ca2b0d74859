import { LRUCache } from "lru-cache";
import { DomainError, isDomainError } from "../../errors.ts";
import { concurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import { slotLimit } from "../../platform/limits/slot-limit.ts";
import type { Allowance, RateLimit, RateLimiter } from "./rate-limit.ts";
import type { HashJob } from "./secrets.ts";

/** The client of a request. All addresses of one `network` count as one client. */
export type ClientAddress = { readonly network: string; readonly isLoopback: boolean };

/** An attempt to log in to an account, or to register it, from an address. */
export type Attempt = { readonly email: string; readonly address: ClientAddress };

/** Failures of one client at one account. */
const perPair: RateLimit = { points: 30, seconds: 60 };

/** Failures of one client at all accounts: bounds the guesses from a list of leaked passwords or of addresses. */
const perClient: RateLimit = { points: 300, seconds: 60 };

/** Failures of all clients at one account: bounds guesses from many addresses. */
const perAccount: RateLimit = { points: 100, seconds: 3600 };

/** Far above the needs of an office. Limits hold per account, so many accounts multiply a client's allowance. */
const newAccounts: readonly RateLimit[] = [
  { points: 300, seconds: 60 },
  { points: 3000, seconds: 3600 },
];

const knownForSeconds = 30 * 86_400;
/** Keeps most logins from renewing the allowance of a known pair. */
const renewKnownAfterSeconds = 86_400;

type Throttle = <T>(attempt: Attempt, run: (job: HashJob) => Promise<T>) => Promise<T>;

export type LoginThrottle = {
  /**
   * Runs logins within the limits of failed ones; throws rate_limited. Points are taken before a password is checked,
   * so parallel guesses cannot exceed a limit, and given back if it is right. For a known pair of account and address
   * only the limit of the pair applies: neither guesses from elsewhere nor those of a neighbour behind the same address
   * lock it.
   */
  readonly throttleLogin: Throttle;
  /**
   * Runs registrations within the limits of new accounts and of taken e-mails; throws rate_limited, and busy if too
   * many wait. They run one at a time and fairly per client, so a flood leaves time between its queries and hashes for
   * all other requests of this process.
   */
  readonly throttleRegistration: Throttle;
};

export function loginThrottle(rateLimiter: RateLimiter): LoginThrottle {
  // pairs that logged in to this process recently do not queue behind strangers at their address
  const recentPairs = new LRUCache<string, true>({ max: 10_000 });
  const [admitKnown, admitUnknown, admitRegistration] = [admission(), admission(), admission()];
  // parallel logins of one pair would each hold a point until they succeed
  const oneOfPair = concurrencyLimit({ concurrency: Number.POSITIVE_INFINITY, perOwner: 1 });
  const oneRegistration = concurrencyLimit({ concurrency: 1 });
  const remember = async (attempt: Attempt, knownFor = 0) => {
    const known = knownPairAllowance(attempt);
    if (knownFor < known.seconds - renewKnownAfterSeconds) await rateLimiter.takeAll(known);
    recentPairs.set(pairOf(attempt), true);
  };

  return {
    throttleLogin(attempt, login) {
      const pair = pairOf(attempt);
      const { network } = attempt.address;
      const { ofPair, ofOthers } = failedLogins(attempt);
      const [admit, owner] = recentPairs.has(pair) ? [admitKnown, pair] : [admitUnknown, network];
      const check = () => rateLimiter.waits([knownPairAllowance(attempt), ofPair, ...ofOthers]);

      return admit(owner, check, async ([knownFor = 0, ...waits]) => {
        const isKnown = knownFor > 0;
        refuseDuring(isKnown ? waits.slice(0, 1) : waits);
        const job = { kind: isKnown ? "known login" : "login", address: network } as const;
        const allowances = isKnown ? [ofPair] : [ofPair, ...ofOthers];
        const run = () => withPoints(rateLimiter, allowances, isWrong, (onTurn) => login({ ...job, onTurn }));
        const result = await oneOfPair(run, { owner: pair });
        await remember(attempt, knownFor);
        return result;
      });
    },

    throttleRegistration(attempt, register) {
      const { network } = attempt.address;
      const [taken, created] = [takenEmails(attempt), createdAccounts(attempt)];
      const check = () => rateLimiter.waits([...taken, ...created]);
      const inUserSlot = (job: HashJob) => oneRegistration(() => register(job), { owner: network });

      return admitRegistration(network, check, async (waits) => {
        refuseDuring(waits);
        const job = { kind: "registration", address: network } as const;
        const run = withPoints(rateLimiter, created, isSuccess, (onTurn) => inUserSlot({ ...job, onTurn }));
        const result = await run.catch(async (error) => {
          // taken before the response reveals the e-mail as taken: parallel requests cannot exceed the limit
          if (isTaken(error)) await rateLimiter.take(taken);
          throw error;
        });
        await remember(attempt);
        return result;
      });
    },
  };
}

/** E-mails of accounts have at most 254 characters: longer ones with the same start may share a count. */
const accountOf = ({ email }: Attempt): string => email.slice(0, 255);

const pairOf = (attempt: Attempt): string => `${attempt.address.network} ${accountOf(attempt)}`;

/** The only point of a pair of account and address, taken for 30 days when a login or the registration makes it known. */
const knownPairAllowance = (attempt: Attempt): Allowance => ({
  key: `known ${pairOf(attempt)}`,
  points: 1,
  seconds: knownForSeconds,
});

const failedLogins = (attempt: Attempt) => ({
  ofPair: { ...perPair, key: `failed ${pairOf(attempt)}` },
  ofOthers: [
    { ...perClient, key: `failed ${attempt.address.network}` },
    { ...perAccount, key: `failed ${accountOf(attempt)}` },
  ],
});

/** The keys differ from those of logins: failed logins do not prevent a neighbour's registration. */
const takenEmails = (attempt: Attempt): readonly Allowance[] => [
  { ...perPair, key: `taken ${pairOf(attempt)}` },
  { ...perClient, key: `taken ${attempt.address.network}` },
];

// all clients share a loopback address if it is that of an untrusted proxy
const createdAccounts = ({ address: { network, isLoopback } }: Attempt): readonly Allowance[] =>
  isLoopback ? [] : newAccounts.map((limit) => ({ ...limit, key: `registrations ${network}` }));

/** Wrong tokens do not count: 256 random bits cannot be guessed. */
const isWrong = (error: unknown): boolean => isDomainError(error) && error.code === "invalid_credentials";
const isTaken = (error: unknown): boolean => isDomainError(error) && error.code === "email_taken";
const isSuccess = (error: unknown): boolean => error === undefined;

/** Throws rate_limited unless all waits are 0. */
function refuseDuring(waits: readonly number[]): void {
  const seconds = Math.max(0, ...waits);
  if (seconds > 0) throw new DomainError("rate_limited", { retryAfterSeconds: Math.ceil(seconds) });
}

/** Takes points for `run`, and gives them back unless the outcome costs them. The error of a success is undefined. */
async function withPoints<T>(
  rateLimiter: RateLimiter,
  allowances: readonly Allowance[],
  isCharged: (error: unknown) => boolean,
  run: (takePoints: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let taken: readonly Allowance[] = [];
  const takePoints = async () => {
    await rateLimiter.take(allowances);
    taken = allowances;
  };
  const [outcome] = await Promise.allSettled([run(takePoints)]);
  const error = outcome.status === "rejected" ? outcome.reason : undefined;
  if (!isCharged(error)) await rateLimiter.giveBack(taken);
  if (outcome.status === "rejected") throw error;
  return outcome.value;
}

/**
 * Runs `check`, a query of limits, and then `run` with its result. Each owner has a hundred slots, and two concurrent
 * checks: a flood is refused before it costs a query, and its queries do not delay those of others. Throws rate_limited
 * if an owner has no free slot, and busy if a thousand are taken.
 */
export function admission() {
  const takePlace = slotLimit({ perOwner: 100, total: 1000, retryAfterSeconds: 1 });
  const checks = concurrencyLimit({ concurrency: Number.POSITIVE_INFINITY, perOwner: 2 });
  return async <Checked, T>(
    owner: string,
    check: () => Promise<Checked>,
    run: (checked: Checked) => Promise<T>,
  ): Promise<T> => {
    const leave = takePlace(owner);
    try {
      return await run(await checks(check, { owner }));
    } finally {
      leave();
    }
  };
}
