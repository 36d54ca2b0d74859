import { DomainError } from "../../errors.ts";
import type { ExpiringFiles } from "../files/batches.ts";
import { outageProofLeaseMs as leaseMs } from "../shared/leases.ts";
import { type Checkpoint, CheckpointedSteps, type Checkpoints, inProgressError } from "./checkpoints.ts";

/** A response that repetitions of its request receive. */
export type StoredResponse = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
  /** A stored file, in place of `body`. */
  readonly file?: { readonly key: string; readonly sizeBytes: number };
};

/** A request with an Idempotency-Key. The fingerprint identifies its method, path and body. */
export type IdempotentRequest = { readonly userId: string; readonly key: string; readonly fingerprint: string };

/** One attempt at a request. At most one attempt per key holds the claim. */
export type KeyClaim = Pick<IdempotentRequest, "userId" | "key"> & { readonly claimId: string };

/** The duration of the lease, and the time at which the key expires. */
export type ClaimTimes = { readonly leaseMs: number; readonly expiresAt: number };

export type ClaimResult =
  /** `checkpoints` are those of earlier attempts. */
  | { readonly state: "claimed"; readonly checkpoints: ReadonlyMap<string, Checkpoint> }
  | { readonly state: "in_progress" }
  | { readonly state: "completed"; readonly response: StoredResponse }
  /** The key belongs to a request with another fingerprint. */
  | { readonly state: "mismatch" };

/** The methods that take a claim change nothing and return false once another attempt has claimed the key. */
export type IdempotencyStore = ExpiringFiles & {
  /** One of several concurrent claims on a key succeeds. A claim is a lease: it expires unless it is renewed. */
  claim(request: IdempotentRequest & { readonly claimId: string }, times: ClaimTimes): Promise<ClaimResult>;
  renew(claim: KeyClaim, leaseMs: number): Promise<boolean>;
  saveCheckpoint(claim: KeyClaim, name: string, checkpoint: Checkpoint): Promise<boolean>;
  clearCheckpoint(claim: KeyClaim, name: string): Promise<boolean>;
  complete(claim: KeyClaim, response: StoredResponse): Promise<boolean>;
  /** Ends the claim, so that the request can be retried. Without checkpoints any other request can use the key too. */
  release(claim: KeyClaim): Promise<void>;
  /** Ends every claim. Only for a database that no other process uses. */
  releaseAll(): Promise<void>;
};

const retentionMs = 24 * 60 * 60 * 1000;
const renewEveryMs = 3_000;

/** The claim that this process holds on a key. */
export type IdempotencyLock = {
  readonly checkpoints: Checkpoints;
  /**
   * Stores the response of a success, or of a failure that may have been billed; otherwise the request can be retried.
   * Never throws: the response is valid even if the claim cannot be ended, and its lease expires.
   */
  finish(response: StoredResponse | undefined, isSuccess: boolean): Promise<void>;
  /** Ends the claim without waiting for a database that does not respond; at the latest, its lease expires. */
  abandon(): void;
};

/**
 * Claims the key of a request, or returns the stored response. Throws idempotency_mismatch and request_in_progress.
 * `clientSignal` aborts when the client cancels the request, or the process stops.
 */
export async function claimRequest(
  store: IdempotencyStore,
  request: IdempotentRequest,
  clientSignal: AbortSignal,
): Promise<{ readonly response: StoredResponse } | { readonly lock: IdempotencyLock }> {
  const claimId = crypto.randomUUID();
  const result = await store.claim({ ...request, claimId }, { leaseMs, expiresAt: Date.now() + retentionMs });
  switch (result.state) {
    case "mismatch":
      throw new DomainError("idempotency_mismatch", {});
    case "in_progress":
      throw inProgressError();
    case "completed":
      return { response: result.response };
    case "claimed":
      return { lock: lockOf(store, { ...request, claimId }, result.checkpoints, clientSignal) };
  }
}

/** Renews the lease until `finish`. */
function lockOf(
  store: IdempotencyStore,
  claim: KeyClaim,
  stored: ReadonlyMap<string, Checkpoint>,
  clientSignal: AbortSignal,
): IdempotencyLock {
  const heartbeat = setInterval(() => void store.renew(claim, leaseMs).catch(() => {}), renewEveryMs);
  const checkpointStore = {
    save: (name: string, checkpoint: Checkpoint) => store.saveCheckpoint(claim, name, checkpoint),
    clear: (name: string) => store.clearCheckpoint(claim, name),
  };
  const checkpoints = new CheckpointedSteps(checkpointStore, stored, clientSignal);
  const finish: IdempotencyLock["finish"] = async (response, isSuccess) => {
    await checkpoints.settled();
    clearInterval(heartbeat);
    // an outage passes: a retry is told what became of the step, and not the same 503 for a day
    const isOutage = response?.status === 503;
    const isStored = response && (isSuccess || (checkpoints.mayHaveBilled() && !isOutage));
    await (isStored ? store.complete(claim, response) : store.release(claim)).catch(() => {});
  };
  return { checkpoints, finish, abandon: () => void finish(undefined, false) };
}
