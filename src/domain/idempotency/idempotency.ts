import { DomainError } from "../../errors.ts";
import type { Checkpoints } from "../ai/provider-calls.ts";
import { type Checkpoint, inProgress, keyedSteps } from "./checkpoints.ts";

/** An answer that was given, to be given again. */
export type StoredResponse = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
  /** Instead of a body: a file of the store. */
  readonly file?: { readonly key: string; readonly sizeBytes: number };
};

/** Who asks with which key, and for what. */
export type KeyedRequest = { readonly userId: string; readonly key: string; readonly fingerprint: string };

/** One try at a keyed request, which nobody else works on meanwhile. */
export type KeyClaim = Pick<KeyedRequest, "userId" | "key"> & { readonly claimId: string };

export type Claimed =
  /** The request is ours to work on; `steps` are what an earlier try left. */
  | { readonly state: "mine"; readonly steps: ReadonlyMap<string, Checkpoint> }
  | { readonly state: "running" }
  | { readonly state: "answered"; readonly answer: StoredResponse }
  /** The key was used for another request. */
  | { readonly state: "mismatch" };

/** What a claim changes, it changes only while it is held: false tells that somebody else has taken over. */
export type IdempotencyStore = {
  /** Of many that claim the same key at once, one gets it. A claim that is not renewed for `leaseMs` is free again. */
  claim(
    request: KeyedRequest & { readonly claimId: string },
    times: { readonly leaseMs: number; readonly expiresAt: number },
  ): Promise<Claimed>;
  renew(claim: KeyClaim, leaseMs: number): Promise<boolean>;
  keepStep(claim: KeyClaim, name: string, step: Checkpoint): Promise<boolean>;
  forgetStep(claim: KeyClaim, name: string): Promise<boolean>;
  finish(claim: KeyClaim, answer: StoredResponse): Promise<boolean>;
  /** Gives the key up for the same request to be tried anew, and for any when no step is kept. */
  release(claim: KeyClaim): Promise<void>;
  /** Frees every claim: for a database that nobody else can be using. */
  releaseAll(): Promise<void>;
  /** Removes the rows that are past their time; answers the keys of their files. */
  removeExpired(now: number): Promise<readonly string[]>;
};

const keptForMs = 24 * 60 * 60 * 1000;
const leaseMs = 10_000;
const renewEveryMs = 3_000;

/** A claim in our hands. */
export type IdempotencyLock = {
  readonly steps: Checkpoints;
  /**
   * Keeps a success, and a failure that may have been billed; otherwise the same request may be tried anew. Never throws:
   * the answer itself is good, and a claim that could not be ended runs out.
   */
  end(answer: StoredResponse | undefined, isSuccess: boolean): Promise<void>;
};

/**
 * Takes a keyed request on, or finds the answer that it had. Throws idempotency_mismatch and request_in_progress.
 * `clientSignal` aborts when nobody waits for the answer any more.
 */
export async function claimRequest(
  store: IdempotencyStore,
  request: KeyedRequest,
  clientSignal: AbortSignal,
): Promise<{ readonly answer: StoredResponse } | { readonly held: IdempotencyLock }> {
  const claimId = crypto.randomUUID();
  const claimed = await store.claim({ ...request, claimId }, { leaseMs, expiresAt: Date.now() + keptForMs });
  switch (claimed.state) {
    case "mismatch":
      throw new DomainError("idempotency_mismatch", {});
    case "running":
      throw inProgress();
    case "answered":
      return { answer: claimed.answer };
    case "mine":
      return { held: hold(store, { ...request, claimId }, claimed.steps, clientSignal) };
  }
}

function hold(
  store: IdempotencyStore,
  claim: KeyClaim,
  kept: ReadonlyMap<string, Checkpoint>,
  clientSignal: AbortSignal,
): IdempotencyLock {
  const heartbeat = setInterval(() => void store.renew(claim, leaseMs).catch(() => {}), renewEveryMs);
  const memory = {
    keep: (name: string, step: Checkpoint) => store.keepStep(claim, name, step),
    forget: (name: string) => store.forgetStep(claim, name),
  };
  const { once, settled, mayHaveBilled } = keyedSteps(memory, kept, clientSignal);
  return {
    steps: { once },
    async end(answer, isSuccess) {
      await settled();
      clearInterval(heartbeat);
      const isKept = answer && (isSuccess || mayHaveBilled());
      await (isKept ? store.finish(claim, answer) : store.release(claim)).catch(() => {});
    },
  };
}
