import { DomainError, type ErrorCode, isDomainError } from "../../errors.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import type { Caller } from "../auth/caller.ts";
import { type Checkpoints, noCheckpoints } from "../idempotency/checkpoints.ts";
import { newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";

export type Purpose = "analyze" | "describe" | "scenario" | "style_guide" | "image" | "video" | "speech" | "transcript";

/** The usage that a provider reports for one call. */
export type UsageAmounts = {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Duration of the generated video or voice, or of the transcribed sound. */
  readonly seconds?: number;
};

/** The outcome of a call. A call that returns an unusable response has usage too. */
export type CallResult<Result> = UsageAmounts & ({ readonly result: Result } | { readonly failure: DomainError });

/** One call of an external model, for the usage log: never a key, a prompt or a response. */
export type UsageRecord = UsageAmounts & {
  readonly id: string;
  readonly userId: string;
  readonly provider: string;
  readonly model: string;
  readonly purpose: Purpose;
  readonly milliseconds: number;
  readonly outcome: "ok" | "cancelled" | "internal" | ErrorCode;
  readonly createdAt: number;
};

export type UsageStore = {
  add(call: UsageRecord): Promise<void>;
  /** Newest first. */
  list(userId: string, page: PageRequest): Promise<Page<UsageRecord>>;
  /** Removes a batch of the records of before `time`. Returns their number. */
  removeBefore(time: number): Promise<number>;
};

/** So that a year can be compared with the one before it, month by month. */
export const usageKeptMs = 400 * 86_400_000;

/** The provider calls of one HTTP request: one deadline for all, checkpoints and usage records. */
export type ProviderCall = Pick<Checkpoints, "runOnce"> & {
  /** Aborts when the request is cancelled. */
  readonly clientSignal: AbortSignal;
  /** The caller and `clientSignal`, for local work, which has no deadline. */
  readonly taskOptions: Required<TaskOptions>;
  /**
   * Aborts when the request is cancelled, or at the deadline with provider_timeout as the reason. The clock starts at the
   * first use of this method.
   */
  deadlineSignal(): AbortSignal;
  /**
   * Runs one call of a model under `deadlineSignal` and adds a usage record, also after a failure. Throws the failure
   * that `run` returns or throws; `run` should throw DomainErrors, because the error's code becomes the outcome.
   */
  track<Result>(target: CallTarget, run: (signal: AbortSignal) => Promise<CallResult<Result>>): Promise<Result>;
};

export type CallTarget = { readonly provider: string; readonly model: string; readonly purpose: Purpose };

type ProviderCallPorts = {
  readonly usage: Pick<UsageStore, "add">;
  readonly settings: { readonly providerTimeoutMs: number };
};

/** `clientSignal` aborts when the client cancels the request, or the process stops. */
export function providerCall(
  { usage, settings: { providerTimeoutMs } }: ProviderCallPorts,
  { user }: Pick<Caller, "user">,
  clientSignal: AbortSignal,
  checkpoints: Pick<Checkpoints, "runOnce"> = noCheckpoints,
): ProviderCall {
  let combinedSignal: AbortSignal | undefined;
  const deadlineSignal = () => {
    combinedSignal ??= AbortSignal.any([clientSignal, deadlineIn(providerTimeoutMs)]);
    return combinedSignal;
  };
  let callCount = 0;
  return {
    runOnce(name, step) {
      const countBefore = callCount;
      return checkpoints.runOnce(name, step, () => callCount === countBefore);
    },

    clientSignal,

    taskOptions: { owner: user.id, signal: clientSignal },

    deadlineSignal,

    async track(target, run) {
      const startedAt = performance.now();
      if (!deadlineSignal().aborted) callCount++;
      const done = await attempt(deadlineSignal(), run);
      const milliseconds = Math.round(performance.now() - startedAt);
      const record = (outcome: UsageRecord["outcome"], amounts: UsageAmounts) => {
        const call = { id: newId("call"), userId: user.id, ...target, ...amounts, outcome, milliseconds };
        // a failure of the usage store must not fail a call that was paid for
        return usage.add({ ...call, createdAt: Date.now() }).catch(() => {});
      };
      if ("failure" in done) {
        const { failure, ...amounts } = done;
        await record(clientSignal.aborted ? "cancelled" : codeOf(failure), amounts);
        throw failure;
      }
      const { result, ...amounts } = done;
      await record("ok", amounts);
      return result;
    },
  };
}

async function attempt<Result>(
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<CallResult<Result>>,
): Promise<CallResult<Result> | { readonly failure: unknown }> {
  try {
    signal.throwIfAborted();
    return await run(signal);
  } catch (error) {
    // clients wrap or replace the reason of an abort; the reason itself is the failure
    return { failure: signal.aborted ? signal.reason : error };
  }
}

const codeOf = (error: unknown) => (isDomainError(error) ? error.code : "internal");

function deadlineIn(milliseconds: number): AbortSignal {
  const deadline = new AbortController();
  const seconds = milliseconds / 1000;
  setTimeout(() => deadline.abort(new DomainError("provider_timeout", { seconds })), milliseconds).unref();
  return deadline.signal;
}
