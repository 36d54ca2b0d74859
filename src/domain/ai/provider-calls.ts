import { DomainError, isDomainError, isTemporary } from "../../errors.ts";
import { isProcessStop, linkSignal, once } from "../../platform/async.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { sha256Of } from "../../platform/values.ts";
import type { Caller } from "../accounts/caller.ts";
import { type Checkpoints, type JobCheckpoint, noCheckpoints } from "../idempotency/checkpoints.ts";
import type { CallResult } from "../ledger/call.ts";
import type { CallScope } from "../ledger/ledger.ts";
import {
  beginCall,
  holdWhileWanted,
  type PaidCallPorts,
  type PaidContext,
  type PayableCall,
  type WantedCallPorts,
} from "../ledger/paid-calls.ts";

export type { CallResult, Purpose, UsageAmounts, UsageRecord } from "../ledger/call.ts";

/** The provider calls of one HTTP request: they share a deadline, checkpoints and the ledger's scope. */
export type ProviderCall = Pick<Checkpoints, "runOnce"> & {
  /** Aborts when the request is cancelled. */
  readonly clientSignal: AbortSignal;
  /** The caller and `clientSignal`, for local work, which has no deadline. */
  readonly taskOptions: Required<TaskOptions>;
  /** Aborts when the request is cancelled, or after a deadline that begins at the first use of this method. */
  deadlineSignal(): AbortSignal;
  /** Sent with calls that create something: equal for equal inputs in every attempt at this request. */
  idempotencyKey(input: string): string;
  /** Removes data that a repeated request would need, once the result is stored permanently. */
  afterwards(remove: () => Promise<void>): Promise<void>;
  /** True if a repeated request resumes after this error: what was paid for must be kept. */
  resumesAfter(error: unknown): boolean;
  /**
   * Runs one call of a model under `deadlineSignal`, and books it: reserves its highest cost before, settles its real
   * cost after it. It is aborted when its project or its user is removed. Throws budget_exceeded before the call, and
   * the failure that `run` returns or throws; `run` should throw DomainErrors, because the error's code becomes the
   * outcome. `run` receives the target's job in a form that the ledger knows, too.
   */
  track<Result>(target: PayableCall, run: TrackedCall<Result>): Promise<Result>;
};

type TrackedCall<Result> = (signal: AbortSignal, job: JobCheckpoint) => Promise<CallResult<Result>>;

export type ProviderCallPorts = PaidCallPorts &
  WantedCallPorts & { readonly settings: { readonly providerTimeoutMs: number } };

/** The purpose of the calls, and their ledger. */
export type CallContext = Omit<CallScope, "userId"> &
  PaidContext & {
    /** The request's name, equal in every attempt at it. */
    readonly requestKey?: string | undefined;
    readonly afterwards?: ProviderCall["afterwards"];
    readonly resumesAfter?: ProviderCall["resumesAfter"];
    /** True if jobs of the provider are awaited without a deadline, once their ids are stored. */
    readonly awaitsJobs?: boolean;
  };

const removeAtOnce: ProviderCall["afterwards"] = (remove) => remove();

/** `clientSignal` aborts when the client cancels the request, or the process stops. */
export function providerCall(
  ports: ProviderCallPorts,
  { user }: Pick<Caller, "user">,
  clientSignal: AbortSignal,
  checkpoints: Pick<Checkpoints, "runOnce"> = noCheckpoints,
  context: CallContext = {},
): ProviderCall {
  const { requestKey = crypto.randomUUID(), afterwards = removeAtOnce, resumesAfter = isTemporary, ...rest } = context;
  const { awaitsJobs = false, ...paid } = rest;
  const { providerTimeoutMs } = ports.settings;
  const deadline = once(() => deadlineIn(providerTimeoutMs));
  const deadlineSignal = once(() => AbortSignal.any([clientSignal, deadline()]));
  let callCount = 0;
  return {
    runOnce(name, step) {
      const countBefore = callCount;
      return checkpoints.runOnce(name, step, () => callCount === countBefore);
    },

    clientSignal,

    taskOptions: { owner: user.id, signal: clientSignal },

    deadlineSignal,

    idempotencyKey: (input) => sha256Of(`${user.id}\n${requestKey}\n${input}`).slice(0, 40),

    afterwards,

    resumesAfter: (error) => isProcessStop(clientSignal) || resumesAfter(error),

    async track(target, run) {
      deadlineSignal().throwIfAborted();
      const inTime = linkSignal(deadline());
      const scope = { userId: user.id, ...paid };
      const removal = new AbortController();
      const lease = await holdWhileWanted(ports, scope, (reason) => removal.abort(reason));
      try {
        const paid = await beginCall(ports, scope, target);
        callCount++;
        const startedAt = performance.now();
        const job = awaitsJobs ? withoutDeadline(paid.job, inTime.release) : paid.job;
        const signal = AbortSignal.any([clientSignal, inTime.signal, removal.signal]);
        const done = await attempt(signal, (signal) => run(signal, job));
        const milliseconds = Math.round(performance.now() - startedAt);
        if ("failure" in done) {
          const { failure } = done;
          const isCancelled = clientSignal.aborted || removal.signal.aborted;
          await paid.end(done, isCancelled ? "cancelled" : codeOf(failure), milliseconds);
          throw failure;
        }
        await paid.end(done, "ok", milliseconds);
        return done.result;
      } finally {
        inTime.release();
        lease.release();
      }
    },
  };
}

/** Lifts the deadline once the job's id is stored: the paid job runs until its provider or its owner ends it. */
function withoutDeadline({ save, ...job }: JobCheckpoint, lift: () => void): JobCheckpoint {
  if (job.id !== undefined) lift();
  return {
    ...job,
    save(...saved) {
      lift();
      return save(...saved);
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
