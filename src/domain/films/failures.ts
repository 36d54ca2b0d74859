import { type DomainError, type ErrorCode, isDomainError, isUnavailable } from "../../errors.ts";
import type { Checkpoint } from "../idempotency/checkpoints.ts";
import { parseAmount } from "../ledger/money.ts";
import { isUnclear } from "../ledger/paid-calls.ts";
import { type BudgetWait, type FilmOrder, type FilmStep, isPolled, type StepAttempt, type Wait } from "./film.ts";
import { canBeLeftOut } from "./plan.ts";

/** An obstacle to a film. */
export type Halt = {
  readonly waitingFor: Wait;
  readonly reason: string;
  readonly retryAfterSeconds?: number;
  readonly budgetWait?: BudgetWait;
};

type StepFailure = Pick<FilmStep, "status" | "checkpoints"> & {
  readonly halt?: Halt | undefined;
  readonly state: Exclude<StepAttempt["state"], "running">;
};

/**
 * `known` are the checkpoints that the step has reached; `isPaid` tells if the attempt has cost something, `isSafe` if
 * its call can be sent again without a second payment.
 */
export function failureOf(
  { onUnknown }: Pick<FilmOrder, "onUnknown">,
  step: FilmStep,
  error: unknown,
  { known, isPaid, isSafe }: { readonly known: ReadonlyMap<string, Checkpoint> } & Record<"isPaid" | "isSafe", boolean>,
): StepFailure {
  const has = (wanted: Checkpoint["state"]) => [...known.values()].some(({ state }) => state === wanted);
  // this machine had no room for a paid answer: the same wait again would pay again
  const isLost = isPaid && has("started") && isOfMachine(error);
  const halt = isLost ? undefined : haltOf(step, error, has("job"));
  const isUnknown = !halt && !isLost && (has("started") || isGone(step, error)) && isUnclear(error);
  const isKept = !has("started") && (has("done") || (has("job") && (isPaid || isFileStep(step))));
  const isDoubtful = !halt && isKept && mayBeOfMachine(step, error);
  // a useless answer was paid for: only the caller decides to pay once more
  const isFree = !isPaid && !isKept && (isWorthAnotherTry(error) || isFailedJob(error, has("job")));
  const isWorthIt = isUnknown ? isSafe || onUnknown === "retry" : isFree;
  const isAgain = isDoubtful || (!halt && isWorthIt && failuresOf(step, describe(error).code) < maxTries - 1);
  // a provider's job resumes, and paid results are not made again
  const kept = [...known].filter(([, { state }]) => state !== "started" && (halt !== undefined || isDoubtful));
  return {
    halt,
    state: isUnknown ? "unknown" : "error",
    status: halt || isAgain ? "waiting" : isUnknown ? "unknown" : "error",
    checkpoints: Object.fromEntries(kept),
  };
}

/**
 * Resumes a step that a process left running, unless its payment is unknown. `isUnclear` tells that a call may have
 * been sent without leaving a job or a result, `isSafe` that it can be sent again without a second payment.
 */
export function recoveredStep(
  { onUnknown }: Pick<FilmOrder, "onUnknown">,
  step: FilmStep,
  { isUnclear, isSafe }: Record<"isUnclear" | "isSafe", boolean>,
): FilmStep {
  // a call that left no job is repeated; jobs and results stay
  const checkpoints = Object.fromEntries(
    Object.entries(step.checkpoints).filter(([, { state }]) => state !== "started"),
  );
  const attempts = endedAttempts(step, { state: isUnclear ? "unknown" : "error" });
  const tries = attempts.filter(({ state }) => state === "unknown").length;
  if (step.status === "stale") return { ...step, attempts, checkpoints: {} };
  const isUnknown = isUnclear && ((onUnknown === "wait" && !isSafe) || tries >= maxTries);
  return { ...step, checkpoints, attempts, status: isUnknown ? "unknown" : "waiting" };
}

/** The checkpoints of these steps name the paid file. */
const isFileStep = ({ kind }: FilmStep): boolean => kind === "image" || kind === "music";

/** A result that this machine could not use at the first try is used once more before its owner is asked. */
const mayBeOfMachine = (step: FilmStep, error: unknown): boolean =>
  (isWorthAnotherTry(error) || describe(error).code === "unsupported_media_type") &&
  failuresOf(step, describe(error).code) === 0;

const isOfMachine = (error: unknown): boolean =>
  isDomainError(error) && ["busy", "limit_reached", "storage_full"].includes(error.code);

/** The job ended without a result: another job may have one. */
const isFailedJob = (error: unknown, hasJob: boolean): boolean =>
  hasJob && isDomainError(error) && error.code === "provider_error" && !isUnclear(error);

/** Appends an attempt. It replaces one that waited for its provider: hours of waiting count as one attempt. */
export function nextAttempt(attempts: readonly StepAttempt[], attempt: StepAttempt): readonly StepAttempt[] {
  const before = beforeWait(attempts);
  return [...before, { ...attempt, startedAt: attempts[before.length]?.startedAt ?? attempt.startedAt }];
}

function beforeWait(attempts: readonly StepAttempt[]): readonly StepAttempt[] {
  const last = attempts.at(-1);
  const wait = waitOf[last?.error?.code as ErrorCode];
  const isWait = last?.state === "error" && last.cost === "0" && isPolled(wait);
  return isWait ? attempts.slice(0, -1) : attempts;
}

/** The number of an earlier call if the step resumes it, or if it can be sent again and may not have arrived. */
export function callNumber(
  { attempts }: FilmStep,
  reached: { readonly isResumed: boolean; readonly isSafe: boolean },
): number {
  const before = beforeWait(attempts);
  const unknown = before.length - 1 - before.findLastIndex(({ state }) => state !== "unknown");
  return Math.max(0, before.length - (reached.isResumed ? 1 : reached.isSafe ? unknown : 0));
}

export function endedAttempts({ attempts }: FilmStep, end: Partial<StepAttempt>): readonly StepAttempt[] {
  return attempts.map((attempt, at) =>
    at === attempts.length - 1 && attempt.state === "running" ? { ...attempt, ...end, endedAt: Date.now() } : attempt,
  );
}

export const describe = (error: unknown) =>
  isDomainError(error)
    ? { code: error.code, message: error.message }
    : { code: "internal", message: "Something broke on our side." };

export const maxTries = 3;

/** True if the same request may succeed: it was not rejected. */
const isWorthAnotherTry = (error: unknown): boolean => !isDomainError(error) || error.code === "provider_bad_response";

const failuresOf = ({ attempts }: FilmStep, code: string): number =>
  attempts.filter(({ error }) => error?.code === code).length;

/** The resource that a film or a batch waits for after an error. */
export const waitOf: { readonly [Code in ErrorCode]?: Wait } = {
  budget_exceeded: "budget",
  price_unknown: "budget",
  provider_key_required: "key",
  provider_key_rejected: "key",
  provider_quota_exhausted: "key",
  provider_rate_limited: "provider",
  provider_overloaded: "provider",
  provider_error: "provider",
  busy: "provider",
  request_in_progress: "provider",
  rate_limited: "provider",
  limit_reached: "storage",
  storage_full: "storage",
};

/** An unavailable resource is polled after a quarter of the time of its outage, within these limits. */
const retrySecondsWithin = { min: 15, max: 60 };

/** True if the next attempt resumes from the paid results of this one. */
export const resumesAfter = (step: FilmStep, error: unknown): boolean =>
  isUnavailable(error) || isWait(step, error) || mayBeOfMachine(step, error);

/** True if the error of a step without a job makes the film wait, and does not concern the step itself. */
export const isWait = (step: FilmStep, error: unknown): boolean => haltOf(step, error, false) !== undefined;

function haltOf(step: FilmStep, error: unknown, hasJob: boolean): Halt | undefined {
  if (!isDomainError(error)) return undefined;
  const waitingFor = waitOf[error.code];
  if (!waitingFor) return undefined;
  // a job with an unknown status continues; without a job, the provider may have done the work, or the job has failed
  if (error.code === "provider_error" && (isGone(step, error) || isUnclear(error) !== hasJob)) return undefined;
  const { message: reason } = error;
  if ("budget" in error.facts) return { waitingFor, reason, budgetWait: budgetWaitOf(error.facts.budget) };
  if (!isPolled(waitingFor)) return { waitingFor, reason };
  return { waitingFor, reason, retryAfterSeconds: retrySeconds(step, error) };
}

const budgetWaitOf = ({ scope, estimate }: DomainError<"budget_exceeded">["facts"]["budget"]): BudgetWait => ({
  scope,
  // safe because it was formatted from such an amount
  amount: Number(parseAmount(estimate)!),
});

/** A proxy before the provider may also answer for a while that a job no longer exists. */
const jobGoneAfterMs = 60 * 60_000;

const isGone = (step: FilmStep, error: unknown): boolean =>
  isDomainError(error) &&
  "isGone" in error.facts &&
  error.facts.isGone === true &&
  (!isUnclear(error) || awayMs(step) >= jobGoneAfterMs);

function retrySeconds(step: FilmStep, { facts }: DomainError): number {
  if ("retryAfterSeconds" in facts && facts.retryAfterSeconds !== undefined) return facts.retryAfterSeconds;
  const { min, max } = retrySecondsWithin;
  return Math.min(Math.max(awayMs(step) / 4000, min), max);
}

/** The time since the first of the attempts that wait for a provider. */
function awayMs({ attempts }: FilmStep): number {
  const now = Date.now();
  return now - (nextAttempt(attempts, { state: "running", startedAt: now }).at(-1)?.startedAt ?? 0);
}

export function reasonOf(steps: readonly FilmStep[], id: string): string {
  const failed = steps.find((step) => step.id === id);
  const error = failed?.attempts.at(-1)?.error;
  const what =
    failed?.status === "unknown" ? "It is unknown whether the provider was paid for it." : (error?.message ?? "");
  const isNeeded = failed && !canBeLeftOut(failed.kind);
  const help = isNeeded ? "Retry it." : "Retry it, replace it by your own file, or approve to leave it out.";
  return `The step ${id} is not made. ${what} ${help}`;
}
