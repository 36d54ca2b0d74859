import { setTimeout as pause } from "node:timers/promises";
import type { JobMemory } from "../../domain/ai/provider-calls.ts";
import { DomainError, type ErrorCode } from "../../errors.ts";
import type { Access } from "../client/credentials.ts";
import { asProviderError } from "../client/errors.ts";
import { OversizedAnswer } from "../client/limited-fetch.ts";
import type { Interactions } from "./omni-client.ts";
import { hasEnded, type Interaction } from "./omni-response.ts";

const maxFailedLooks = 8;

/** Milliseconds to wait before the look, or the repetition, of this number; the first is 0. */
export type Pauses = (number: number) => number;

/** 1, 2, 4, 8 and then 10 seconds. */
export const growingPauses: Pauses = (number) => Math.min(1000 * 2 ** number, 10_000);

type Options = {
  readonly access: Access;
  readonly interactions: Interactions;
  readonly pauses: Pauses;
  readonly signal: AbortSignal;
};

/**
 * A job that has ended, well or not. One that `memory` knows is waited for; only without one is a new one created, once.
 * A job that is given up is cancelled at the provider.
 */
export async function endedJob(request: () => Promise<unknown>, memory: JobMemory, options: Options) {
  const { interactions, signal } = options;
  const started = memory.id === undefined ? await interactions.create(await request(), signal) : { id: memory.id };
  try {
    if (memory.id === undefined) await memory.keep(started.id);
    return await untilEnded(started, options);
  } catch (error) {
    await interactions.cancel(started.id);
    throw error;
  }
}

async function untilEnded(started: Interaction & { id: string }, { access, interactions, pauses, signal }: Options) {
  let job: Interaction = started;
  for (let looks = 0, failures = 0; !hasEnded(job); looks++) {
    // a job that was started in another request may have ended long ago
    if (started.status || looks > 0) await pause(pauses(looks), undefined, { signal });
    try {
      job = await interactions.look(started.id, signal);
      failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      if (isFinal(error, access)) throw error;
      if (failures === maxFailedLooks) throw untold(access, error);
    }
  }
  return job;
}

/** Asking again would not change it. Even a job that cannot be found may be found the next time. */
const finalCodes: readonly ErrorCode[] = ["content_refused", "provider_key_rejected", "provider_quota_exhausted"];

const isFinal = (error: unknown, access: Access) =>
  error instanceof OversizedAnswer || finalCodes.includes(asProviderError(error, access).code);

const untold = ({ providerName }: Access, cause: unknown) =>
  new DomainError("provider_error", { reason: `${providerName} does not tell how the video stands` }, { cause });
