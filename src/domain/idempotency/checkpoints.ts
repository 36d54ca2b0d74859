import { DomainError, type ErrorCode, isDomainError } from "../../errors.ts";
import type { Checkpoints, JobMemory, Json } from "../ai/provider-calls.ts";

/** How far a step has come. One that was only started may have been billed, whatever became of it. */
export type Checkpoint =
  | { readonly state: "started" }
  | { readonly state: "job"; readonly id: string }
  | { readonly state: "done"; readonly result: Json };

/** Outlives the process. False tells that the request is not ours any more. */
export type CheckpointStore = {
  keep(name: string, step: Checkpoint): Promise<boolean>;
  forget(name: string): Promise<boolean>;
};

export type RequestCheckpoints = Checkpoints & {
  /** Resolves when no step is running any more. */
  settled(): Promise<void>;
  /** Whether a step failed that may have been billed, and that is never run again. */
  mayHaveBilled(): boolean;
};

type Run<Result extends Json = Json> = (job: JobMemory) => Promise<Result>;

/** Failures that a provider tells of before it works. */
const unbilled: ReadonlySet<ErrorCode> = new Set([
  "validation_error",
  "unknown_provider",
  "unsupported_capability",
  "provider_key_required",
  "provider_key_rejected",
  "provider_model_unavailable",
  "provider_rejected_request",
  "media_too_large",
  "provider_rate_limited",
  "provider_quota_exhausted",
  "provider_overloaded",
  "url_not_allowed",
  "url_unreachable",
]);

const interrupted = () =>
  new DomainError("provider_error", {
    reason:
      "an earlier try with this Idempotency-Key was interrupted while the provider worked, and may have been billed: " +
      "use a new key to try again",
  });

/** Most requests are over after some seconds. */
export const inProgress = () => new DomainError("request_in_progress", { retryAfterSeconds: 3 });

/** The steps of a request with an Idempotency-Key; `kept` are those of earlier tries. */
export function keyedSteps(
  memory: CheckpointStore,
  kept: ReadonlyMap<string, Checkpoint>,
  clientSignal: AbortSignal,
): RequestCheckpoints {
  const known = new Map(kept);
  const running = new Map<string, Promise<Json>>();
  let isSpent = false;

  async function keep(name: string, step: Checkpoint): Promise<void> {
    known.set(name, step);
    // what is paid for is not thrown away because the database is: only a later try would miss it
    await memory.keep(name, step).catch(() => {});
  }

  async function start(name: string): Promise<void> {
    const isOurs = await memory.keep(name, { state: "started" });
    if (!isOurs) throw inProgress();
    known.set(name, { state: "started" });
  }

  /** Takes the mark back when nothing can have been billed, or what was started was cancelled. */
  async function judge(name: string, error: unknown, askedNobody: boolean): Promise<void> {
    const code = isDomainError(error) ? error.code : undefined;
    const isFree = askedNobody || (code !== undefined && unbilled.has(code));
    const wasCancelled = code === undefined && clientSignal.aborted;
    if (!isFree && !wasCancelled) isSpent = true;
    // a job goes on at the provider, whatever a question about it was answered: the next try asks again
    else if (wasCancelled || known.get(name)?.state !== "job") {
      known.delete(name);
      await memory.forget(name).catch(() => {});
    }
  }

  async function runOnce(name: string, run: Run, askedNobody: () => boolean): Promise<Json> {
    const before = known.get(name);
    if (before?.state === "done") return before.result;
    if (before?.state === "started") {
      isSpent = true;
      throw interrupted();
    }
    if (!before) await start(name);
    const job = { ...(before && { id: before.id }), keep: (id: string) => keep(name, { state: "job", id }) };
    try {
      const result = await run(job);
      await keep(name, { state: "done", result });
      return result;
    } catch (error) {
      await judge(name, error, askedNobody());
      throw error;
    }
  }

  return {
    once<Result extends Json>(name: string, run: Run<Result>, askedNobody = () => false) {
      const step = running.get(name) ?? runOnce(name, run, askedNobody).finally(() => running.delete(name));
      running.set(name, step);
      // safe because only a step of the same name can have given it
      return step as Promise<Result>;
    },
    settled: async () => void (await Promise.allSettled(running.values())),
    mayHaveBilled: () => isSpent,
  };
}
