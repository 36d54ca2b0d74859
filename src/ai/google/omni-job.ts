import type { JobCheckpoint } from "../../domain/idempotency/checkpoints.ts";
import { DomainError, type ErrorCode } from "../../errors.ts";
import { isProcessStop } from "../../platform/process-stop.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { toProviderError } from "../client/errors.ts";
import { ResponseTooLargeError } from "../client/limited-fetch.ts";
import { type Backoff, poll } from "../client/retry.ts";
import type { InteractionsClient, StartedJob } from "./omni-client.ts";
import { hasEnded, type Interaction } from "./omni-response.ts";

/** In a row. */
const maxFailedPolls = 8;

type JobOptions = {
  readonly credentials: ModelCredentials;
  readonly interactions: InteractionsClient;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
};

/**
 * Runs a job until it succeeds or fails. Creates it with `request` unless the checkpoint has the id of an earlier job,
 * and never creates a second one. Cancels the job at the provider if waiting fails, unless a retry can resume it after
 * a stop of this process.
 */
export async function runJob(
  request: () => Promise<unknown>,
  checkpoint: JobCheckpoint,
  options: JobOptions,
): Promise<Interaction> {
  const { interactions, signal } = options;
  const job: StartedJob =
    checkpoint.id === undefined ? await interactions.create(await request(), signal) : { id: checkpoint.id };
  try {
    if (checkpoint.id === undefined) await checkpoint.save(job.id);
    return await untilEnded(job, options);
  } catch (error) {
    if (!(checkpoint.isStored && isProcessStop(signal))) await interactions.cancel(job.id);
    throw error;
  }
}

function untilEnded(
  started: StartedJob,
  { credentials, interactions, backoff, signal }: JobOptions,
): Promise<Interaction> {
  let failures = 0;
  const getJob = async (): Promise<Interaction> => {
    try {
      const job = await interactions.get(started.id, signal);
      failures = 0;
      return job;
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      if (isFinal(error, credentials)) throw error;
      if (failures === maxFailedPolls) throw statusUnavailable(credentials, error);
      return started;
    }
  };
  // a job from an earlier request may have ended long ago: no wait before the first poll
  const isResumed = !started.status;
  return poll<Interaction>(started, getJob, {
    isDone: hasEnded,
    backoff: (count) => (isResumed && count === 0 ? 0 : backoff(count)),
    signal,
  });
}

/**
 * Errors that another poll would not change. A 404 is not one of them: Google sometimes finds the job a moment later.
 */
const finalCodes: readonly ErrorCode[] = ["content_refused", "provider_key_rejected", "provider_quota_exhausted"];

const isFinal = (error: unknown, credentials: ModelCredentials) =>
  error instanceof ResponseTooLargeError || finalCodes.includes(toProviderError(error, credentials).code);

const statusUnavailable = ({ providerName }: ModelCredentials, cause: unknown) =>
  new DomainError("provider_error", { reason: `${providerName} does not report the status of the video` }, { cause });
