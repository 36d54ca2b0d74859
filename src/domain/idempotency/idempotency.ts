import { DomainError } from "../../errors.ts";
import { type HeldLease, type LeasePorts, outageProofLeaseMs, takeLease } from "../../platform/leases.ts";
import type { ExpiringFiles } from "../files/expired.ts";
import { type Checkpoint, CheckpointedSteps, type Checkpoints, inProgressError } from "./checkpoints.ts";

/** The stored response to repeated requests. */
export type StoredResponse = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
  /** A stored file, in place of `body`. */
  readonly file?: { readonly key: string; readonly sizeBytes: number };
};

/** A request with an Idempotency-Key. The fingerprint identifies its method, path and body. */
export type IdempotentRequest = { readonly userId: string; readonly key: string; readonly fingerprint: string };

/** One attempt at a request. At most one attempt per key holds the claim, and the lease of the key. */
export type KeyClaim = Pick<IdempotentRequest, "userId" | "key"> & { readonly claimId: string };

export type NewClaim = IdempotentRequest & { readonly claimId: string; readonly expiresAt: number };

/** A key that another attempt holds or has completed. */
export type HeldKey =
  | { readonly state: "in_progress" }
  | { readonly state: "completed"; readonly response: StoredResponse }
  /** The key belongs to a request with another fingerprint. */
  | { readonly state: "mismatch" };

export type ClaimResult =
  /** `checkpoints` come from earlier attempts. */
  { readonly state: "claimed"; readonly checkpoints: ReadonlyMap<string, Checkpoint> } | HeldKey;

/** Methods with a claim change nothing and return false if another attempt has claimed the key. */
export type IdempotencyStore = ExpiringFiles & {
  /** Requires the lease of the key: it takes over the claim of an attempt that was interrupted. */
  claim(claim: NewClaim): Promise<ClaimResult>;
  find(request: IdempotentRequest): Promise<HeldKey>;
  saveCheckpoint(claim: KeyClaim, name: string, checkpoint: Checkpoint): Promise<boolean>;
  clearCheckpoint(claim: KeyClaim, name: string): Promise<boolean>;
  complete(claim: KeyClaim, response: StoredResponse): Promise<boolean>;
  /** Ends the claim, so that the request can be retried. Without checkpoints any other request can use the key too. */
  release(claim: KeyClaim): Promise<void>;
};

type IdempotencyPorts = LeasePorts & { readonly idempotencyKeys: IdempotencyStore };

const retentionMs = 24 * 60 * 60 * 1000;

/** The claim that this process holds on a key. */
export type IdempotencyLock = {
  readonly checkpoints: Checkpoints;
  /**
   * Stores the response of a success, or of a failure that may have been billed; otherwise the request can be retried.
   * Never throws: the response is valid even if the claim cannot be ended, and its lease expires.
   */
  finish(response: StoredResponse | undefined, isSuccess: boolean): Promise<void>;
  /** For an unresponsive database: a retry can start after a minute at most, or at the end of the lease. */
  abandon(): void;
};

/**
 * Claims the key of a request, or returns the stored response. Throws idempotency_mismatch and request_in_progress.
 * `clientSignal` aborts when the client cancels the request, or the process stops.
 */
export async function claimRequest(
  ports: IdempotencyPorts,
  request: IdempotentRequest,
  clientSignal: AbortSignal,
): Promise<{ readonly response: StoredResponse } | { readonly lock: IdempotencyLock }> {
  const claim = { ...request, claimId: crypto.randomUUID() };
  const result = await claimKey(ports, claim);
  switch (result.state) {
    case "mismatch":
      throw new DomainError("idempotency_mismatch", {});
    case "in_progress":
      throw inProgressError();
    case "completed":
      return { response: result.response };
    case "claimed":
      return { lock: lockOf(ports.idempotencyKeys, { claim, lease: result.lease }, result.checkpoints, clientSignal) };
  }
}

type HeldClaim = { readonly claim: KeyClaim; readonly lease: HeldLease };

/** Releases the lease of a key that is not claimed. */
async function claimKey(
  { idempotencyKeys, ...ports }: IdempotencyPorts,
  request: IdempotentRequest & { readonly claimId: string },
) {
  const lease = await takeLease(ports, [`idempotency/${request.userId}/${request.key}`], {
    leaseMs: outageProofLeaseMs,
  });
  if (!lease) return await idempotencyKeys.find(request);
  try {
    const result = await idempotencyKeys.claim({ ...request, expiresAt: Date.now() + retentionMs });
    if (result.state === "claimed") return { ...result, lease };
    await lease.release();
    return result;
  } catch (error) {
    lease.abandon();
    throw error;
  }
}

/** Keeps the lease until `finish`. */
function lockOf(
  store: IdempotencyStore,
  { claim, lease }: HeldClaim,
  stored: ReadonlyMap<string, Checkpoint>,
  clientSignal: AbortSignal,
): IdempotencyLock {
  const checkpointStore = {
    save: (name: string, checkpoint: Checkpoint) => store.saveCheckpoint(claim, name, checkpoint),
    clear: (name: string) => store.clearCheckpoint(claim, name),
  };
  const checkpoints = new CheckpointedSteps(checkpointStore, stored, clientSignal);
  const finish: IdempotencyLock["finish"] = async (response, isSuccess) => {
    await checkpoints.settled();
    // an outage passes: a retry gets the step's result, and not the same 503 for a day
    const isOutage = response?.status === 503;
    const isStored = response && (isSuccess || (checkpoints.mayHaveBilled() && !isOutage));
    await (isStored ? store.complete(claim, response) : store.release(claim)).catch(() => {});
    await lease.release();
  };
  const abandon = async () => {
    await checkpoints.settled();
    await checkpoints.saveRest().catch(() => {});
    await finish(undefined, false);
  };
  return { checkpoints, finish, abandon: () => void abandon() };
}
