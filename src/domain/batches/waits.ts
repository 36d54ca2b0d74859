import { isDomainError } from "../../errors.ts";
import { waitOf } from "../films/failures.ts";
import { isUnclear } from "../ledger/paid-calls.ts";
import type { BatchWait } from "./batch.ts";

/** What keeps a batch from going on; undefined `retryAfterSeconds`: until somebody changes something. */
export type Halt = {
  readonly waitingFor: BatchWait;
  readonly reason: string;
  readonly retryAfterSeconds?: number | undefined;
};

/** A batch that waits for room, for a budget of others or for a provider looks for it so often. */
const lookSeconds = 60;

/** Undefined for an error that says nothing of the batch. */
export function waitFor(error: unknown): Halt | undefined {
  if (!isDomainError(error)) return undefined;
  const { code, facts, message: reason } = error;
  const waitingFor = waitOf[code];
  if (!waitingFor || (code === "provider_error" && isUnclear(error))) return undefined;
  if (waitingFor === "key") return { waitingFor, reason };
  const retryAfterSeconds = "retryAfterSeconds" in facts ? (facts.retryAfterSeconds ?? lookSeconds) : lookSeconds;
  return { waitingFor, reason, retryAfterSeconds };
}

/** As `waitFor`, of an export: users may request so many in a day. */
export function exportWaitFor(error: unknown): Halt | undefined {
  const halt = waitFor(error);
  const isTurn = isDomainError(error) && error.code === "rate_limited";
  if (isTurn && halt) return { ...halt, waitingFor: "exports" };
  return halt?.waitingFor === "storage" ? halt : undefined;
}
