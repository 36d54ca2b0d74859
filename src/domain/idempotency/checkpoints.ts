import { DomainError, type ErrorCode, isDomainError, isUnavailable } from "../../errors.ts";
import { isProcessStop } from "../../platform/async.ts";
import { throughOutage } from "../shared/outages.ts";

/** The result of a step: JSON, because it is stored. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Stores the id of a started or created resource, such as a provider's job. A retry resumes from it. */
export type JobCheckpoint = {
  readonly id?: string;
  /** The ledger's record of the job's call. Absent in checkpoints of earlier versions. */
  readonly callId?: string;
  save(id: string, callId?: string): Promise<void>;
  /** True if `save` stores the id permanently: without an Idempotency-Key there is no retry. */
  readonly isStored?: boolean;
};

type Step<Result extends Json = Json> = (job: JobCheckpoint) => Promise<Result>;

/** How to create a resource that is found by its id. */
type Creation<Created> = {
  newId(): string;
  find(id: string): Promise<Created | undefined>;
  /** Must do nothing if the id was taken meanwhile. */
  create(id: string): Promise<Created>;
};

/** Runs the steps of a request that cost money or create permanent resources. */
export type Checkpoints = {
  /**
   * With an Idempotency-Key: returns the stored result of a completed step and resumes a step that stored a job id. A
   * step that started and stored neither never runs again: it throws provider_error. `providerNotCalled` is read after
   * a failure: true means that no provider was called, so nothing was billed.
   */
  runOnce<Result extends Json>(name: string, step: Step<Result>, providerNotCalled?: () => boolean): Promise<Result>;
  /**
   * With an Idempotency-Key: the id is stored before the creation, so that a retry finds the resource of an earlier
   * attempt, or creates it under the same id. The id is forgotten if the creation was rejected.
   */
  createOnce<Created>(name: string, creation: Creation<Created>): Promise<Created>;
  /** Lets a retry create another resource after the first has failed. Never throws. */
  forgetCreated(name: string): Promise<void>;
};

/** For requests that are never repeated: every step runs. */
export const noCheckpoints: Checkpoints = {
  runOnce: (_, step) => step({ save: async () => {} }),
  createOnce: (_, { newId, create }) => create(newId()),
  forgetCreated: async () => {},
};

/** The progress of a step. A step in the state "started" may have been billed. */
export type Checkpoint =
  | { readonly state: "started"; readonly at?: number }
  | { readonly state: "job"; readonly id: string; readonly callId?: string }
  | { readonly state: "done"; readonly result: Json };

/** Checkpoints of one request. Both methods return false if another attempt has claimed the request. */
type CheckpointStore = {
  /** True if they end with the request. */
  readonly isTransient?: boolean;
  save(name: string, checkpoint: Checkpoint): Promise<boolean>;
  clear(name: string): Promise<boolean>;
};

/** Errors that a provider returns before it does any work. */
export const refusalCodes = [
  ...(["validation_error", "unknown_provider", "unsupported_capability", "media_too_large"] as const),
  ...(["provider_key_required", "provider_key_rejected", "provider_model_unavailable"] as const),
  ...(["provider_rejected_request", "provider_rate_limited", "provider_quota_exhausted"] as const),
  ...(["provider_overloaded", "url_not_allowed", "url_unreachable"] as const),
];

const unbilledCodes: ReadonlySet<ErrorCode> = new Set([...refusalCodes, "budget_exceeded", "price_unknown"]);

/** True if the time of the request was over, or the provider did not answer: this does not concern the job itself. */
function isOfWait(error: unknown): boolean {
  if (!isDomainError(error)) return false;
  const { code, facts } = error;
  return code === "provider_timeout" || ("unanswered" in facts && facts.unanswered === true && facts.isGone !== true);
}

const interruptedError = () =>
  new DomainError("provider_error", {
    reason:
      "an earlier try with this Idempotency-Key was interrupted while the provider worked, and may have been billed: " +
      "use a new key to try again",
  });

/** Three seconds, because most requests finish within a few seconds. */
export const inProgressError = () => new DomainError("request_in_progress", { retryAfterSeconds: 3 });

const inMemory: CheckpointStore = { isTransient: true, save: async () => true, clear: async () => true };

/** The steps of one request. With an Idempotency-Key, those of one attempt are stored. */
export class CheckpointedSteps implements Checkpoints {
  readonly #store: CheckpointStore;
  readonly #clientSignal: AbortSignal;
  readonly #checkpoints: Map<string, Checkpoint>;
  readonly #running = new Map<string, Promise<Json>>();
  readonly #unsaved = new Set<string>();
  #mayHaveBilled = false;

  /** `stored` are the checkpoints of earlier attempts. */
  constructor(store: CheckpointStore, stored: ReadonlyMap<string, Checkpoint>, clientSignal: AbortSignal) {
    this.#store = store;
    this.#clientSignal = clientSignal;
    this.#checkpoints = new Map(stored);
  }

  /** For a request without an Idempotency-Key, which only the request itself can repeat. */
  static held(clientSignal: AbortSignal): CheckpointedSteps {
    return new CheckpointedSteps(inMemory, new Map(), clientSignal);
  }

  runOnce<Result extends Json>(name: string, step: Step<Result>, providerNotCalled = () => false): Promise<Result> {
    const promise =
      this.#running.get(name) ?? this.#run(name, step, providerNotCalled).finally(() => this.#running.delete(name));
    this.#running.set(name, promise);
    // safe because all steps of one name have the same result type
    return promise as Promise<Result>;
  }

  async createOnce<Created>(name: string, { newId, find, create }: Creation<Created>): Promise<Created> {
    const stored = this.#checkpoints.get(name);
    const isStored = stored?.state === "job";
    const id = isStored ? stored.id : newId();
    const existing = isStored ? await find(id) : undefined;
    if (existing) return existing;
    if (!isStored) await this.#begin(name, { state: "job", id });
    try {
      return await create(id);
    } catch (error) {
      // after `unavailable`, it may have been created
      if (isDomainError(error) && !isUnavailable(error)) await this.forgetCreated(name);
      throw error;
    }
  }

  async forgetCreated(name: string): Promise<void> {
    this.#checkpoints.delete(name);
    await this.#store.clear(name).catch(() => {});
  }

  /** Saves checkpoints, possibly of paid steps, that could not be saved before. Waits for an unavailable database. */
  async saveRest(): Promise<void> {
    for (const name of this.#unsaved) {
      const checkpoint = this.#checkpoints.get(name);
      if (checkpoint) await throughOutage(() => this.#store.save(name, checkpoint));
    }
  }

  /** Resolves once no step is running. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  /** True if something was paid for, and another run of the request would reuse all of it. */
  holdsAllThatWasPaid(): boolean {
    const states = [...this.#checkpoints.values()].map(({ state }) => state);
    return states.length > 0 && !states.includes("started");
  }

  /** True after a failure of a step that may have been billed and therefore never runs again. */
  mayHaveBilled(): boolean {
    return this.#mayHaveBilled;
  }

  async #run(name: string, step: Step, providerNotCalled: () => boolean): Promise<Json> {
    const found = this.#checkpoints.get(name);
    if (found?.state === "done") return found.result;
    if (found?.state === "started") {
      this.#mayHaveBilled = true;
      throw interruptedError();
    }
    if (!found) await this.#begin(name, { state: "started", at: Date.now() });
    const save = (id: string, callId?: string) => this.#save(name, { state: "job", id, ...(callId && { callId }) });
    const resumed = found && { id: found.id, ...(found.callId && { callId: found.callId }) };
    const job = { ...resumed, save, isStored: !this.#store.isTransient };
    try {
      const result = await step(job);
      await this.#save(name, { state: "done", result });
      return result;
    } catch (error) {
      await this.#handleFailure(name, error, providerNotCalled());
      throw error;
    }
  }

  /** Saves the first checkpoint of a step, before it has any effect; throws if that fails. */
  async #begin(name: string, checkpoint: Checkpoint): Promise<void> {
    const isSaved = await this.#store.save(name, checkpoint);
    if (!isSaved) throw inProgressError();
    this.#checkpoints.set(name, checkpoint);
  }

  /** A failing database does not fail a step that is already paid for: `saveRest` saves its checkpoint. */
  async #save(name: string, checkpoint: Checkpoint): Promise<void> {
    this.#checkpoints.set(name, checkpoint);
    await this.#store.save(name, checkpoint).catch(() => this.#unsaved.add(name));
  }

  /** Clears the checkpoint if nothing was billed or the client cancelled. Otherwise the step never runs again. */
  async #handleFailure(name: string, error: unknown, providerNotCalled: boolean): Promise<void> {
    const code = isDomainError(error) ? error.code : undefined;
    const isUnbilled = providerNotCalled || (code !== undefined && unbilledCodes.has(code));
    const isAborted = code === undefined && this.#clientSignal.aborted;
    const isStopped = isAborted && isProcessStop(this.#clientSignal);
    // as after a crash: the retry continues the job, or reports that the step may have been billed
    if (isStopped && !isUnbilled) return;
    const isCancelled = isAborted && !isStopped;
    // the provider's job continues: the next attempt resumes it
    const isJobAlive = this.#checkpoints.get(name)?.state === "job" && !isCancelled;
    if (isJobAlive && (isUnbilled || isOfWait(error))) return;
    if (!isUnbilled && !isCancelled) {
      this.#mayHaveBilled = true;
      return;
    }
    await this.forgetCreated(name);
  }
}
