import { DomainError, type ErrorCode, isDomainError } from "../../errors.ts";
import type { Caller } from "../auth/caller.ts";
import { newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";

export type Purpose = "analyze" | "describe" | "scenario" | "style_guide" | "image" | "video";

/** What a provider told of its work. */
export type Amounts = {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Of the video that was made. */
  readonly seconds?: number;
};

/** What a call came to. An answer that is of no use has its price as well. */
export type CallResult<Result> = Amounts & ({ readonly result: Result } | { readonly failure: DomainError });

/** One call of a model outside, in facts: never a key, a prompt or an answer. */
export type UpstreamCall = Amounts & {
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
  add(call: UpstreamCall): Promise<void>;
  /** Newest first. */
  list(userId: string, page: PageRequest): Promise<Page<UpstreamCall>>;
};

/** What the result of a step must be, to be kept: JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Remembers the id of an upstream job, or of what a model gave, so that a repeated request goes on with it. */
export type JobMemory = { readonly id?: string; keep(id: string): Promise<void> };

/** Runs the parts of a request that cost money. */
export type Checkpoints = {
  /**
   * For a request with an Idempotency-Key: a step that was done gives its result again, one that left a job goes on with
   * it, and one that was started and left neither is never run again: it throws provider_error. After a failure
   * `askedNobody` tells whether no provider was called at all, so that nothing can have been billed.
   */
  once<Result extends Json>(
    name: string,
    run: (job: JobMemory) => Promise<Result>,
    askedNobody?: () => boolean,
  ): Promise<Result>;
};

/** For requests that may be repeated as often as they are sent. */
export const noCheckpoints: Checkpoints = { once: (_, run) => run({ keep: async () => {} }) };

/** One request's dealings with providers: its deadline, its steps, its accounts. */
export type ProviderCall = Checkpoints & {
  /** Aborts when the caller has left: for what is done on this machine, which has no deadline. */
  readonly clientSignal: AbortSignal;
  /**
   * Aborts when the caller has left, and at the deadline with provider_timeout as its reason. The deadline's time begins
   * with the first reading, and is one for all calls of the request.
   */
  signal(): AbortSignal;
  /**
   * Runs one call of a model, under `signal()`, and notes it for its owner, whatever comes of it. Throws the failure that
   * `run` answers or throws; one it throws should be a DomainError already: its code is the outcome.
   */
  track<Result>(
    what: { readonly provider: string; readonly model: string; readonly purpose: Purpose },
    run: (signal: AbortSignal) => Promise<CallResult<Result>>,
  ): Promise<Result>;
};

type CallPorts = {
  readonly usage: Pick<UsageStore, "add">;
  readonly settings: { readonly providerTimeoutMs: number };
};

/** `clientSignal` aborts when nobody waits for the answer any more. */
export function providerCall(
  { usage, settings: { providerTimeoutMs } }: CallPorts,
  { user }: Pick<Caller, "user">,
  clientSignal: AbortSignal,
  steps: Checkpoints = noCheckpoints,
): ProviderCall {
  let started: AbortSignal | undefined;
  const signal = () => {
    started ??= AbortSignal.any([clientSignal, deadlineIn(providerTimeoutMs)]);
    return started;
  };
  let calls = 0;
  return {
    once(name, run) {
      const before = calls;
      return steps.once(name, run, () => calls === before);
    },

    clientSignal: clientSignal,

    signal,

    async track(what, run) {
      const begun = performance.now();
      const note = (outcome: UpstreamCall["outcome"], amounts: Amounts = {}) =>
        usage.add({
          ...{ id: newId("call"), userId: user.id, createdAt: Date.now(), ...what, ...amounts },
          ...{ outcome, milliseconds: Math.round(performance.now() - begun) },
        });
      if (!signal().aborted) calls++;
      const done = await attempt(signal(), run);
      if (!("failure" in done)) {
        const { result, ...amounts } = done;
        await note("ok", amounts).catch(() => {});
        return result;
      }
      const { failure, ...amounts } = done;
      await note(clientSignal.aborted ? "cancelled" : codeOf(failure), amounts).catch(() => {});
      throw failure;
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
  } catch (thrown) {
    // whatever an abort makes of a call, the reason for it is what happened
    return { failure: signal.aborted ? signal.reason : thrown };
  }
}

const codeOf = (error: unknown) => (isDomainError(error) ? error.code : "internal");

function deadlineIn(milliseconds: number): AbortSignal {
  const deadline = new AbortController();
  const seconds = milliseconds / 1000;
  setTimeout(() => deadline.abort(new DomainError("provider_timeout", { seconds })), milliseconds).unref();
  return deadline.signal;
}
