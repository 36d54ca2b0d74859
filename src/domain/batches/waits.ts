import { isDomainError } from "../../errors.ts";
import { waitOf } from "../films/failures.ts";
import { isUnclear } from "../ledger/paid-calls.ts";
import type { BatchWait } from "./batch.ts";

/** An obstacle to a batch; without `retryAfterSeconds` it lasts until a person changes something. */
export type Halt = {
  readonly waitingFor: BatchWait;
  readonly reason: string;
  readonly retryAfterSeconds?: number | undefined;
};

/** The polling interval of a batch that waits for room, for a budget of others or for a provider. */
const pollSeconds = 60;

/** Undefined for an error that does not concern the batch. */
export function waitFor(error: unknown): Halt | undefined {
  if (!isDomainError(error)) return undefined;
  const { code, facts, message: reason } = error;
  const waitingFor = waitOf[code];
  if (!waitingFor || (code === "provider_error" && isUnclear(error))) return undefined;
  if (waitingFor === "key") return { waitingFor, reason };
  const retryAfterSeconds = "retryAfterSeconds" in facts ? (facts.retryAfterSeconds ?? pollSeconds) : pollSeconds;
  return { waitingFor, reason, retryAfterSeconds };
}

/** Like `waitFor`, for an export: the number of exports per user and day is limited. */
export function exportWaitFor(error: unknown): Halt | undefined {
  const halt = waitFor(error);
  const isTurn = isDomainError(error) && error.code === "rate_limited";
  if (isTurn && halt) return { ...halt, waitingFor: "exports" };
  return halt?.waitingFor === "storage" ? halt : undefined;
}
