import type { JobCheckpoint } from "../../domain/idempotency/checkpoints.ts";
import { DomainError, type ErrorCode, isDomainError } from "../../errors.ts";
import { isProcessStop } from "../../platform/async.ts";
import type { ModelCredentials } from "./credentials.ts";
import { toProviderError } from "./errors.ts";
import { ResponseTooLargeError } from "./limited-fetch.ts";
import { type Backoff, poll } from "./retry.ts";

/** The maximum number of consecutive failed polls. */
const maxFailedPolls = 8;

export type JobClient<Status> = {
  /** Creates a job, which costs money. Also returns its status if the answer contains it. */
  create(signal: AbortSignal): Promise<{ readonly id: string; readonly status?: Status }>;
  get(id: string, signal: AbortSignal): Promise<Status>;
  hasEnded(status: Status): boolean;
  /** True for an error of `get` that would recur. */
  isFinal?(error: unknown): boolean;
  /** Has its own timeout, because the request's signal has usually aborted. Never throws. */
  cancel(id: string): Promise<void>;
};

type JobOptions = {
  readonly credentials: ModelCredentials;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
};

/**
 * Runs a job until it succeeds or fails. Creates it unless the checkpoint has the id of an earlier job, and never
 * creates a second one. Cancels the job at the provider if its owner gives it up, or if polling fails and no retry can
 * resume it: a started job is paid for.
 */
export async function runJob<Status>(
  client: JobClient<Status>,
  checkpoint: JobCheckpoint,
  options: JobOptions,
): Promise<Status> {
  const { signal } = options;
  const job = checkpoint.id === undefined ? await client.create(signal) : { id: checkpoint.id };
  try {
    if (checkpoint.id === undefined) await checkpoint.save(job.id);
    return await untilEnded(client, job, options);
  } catch (error) {
    const isGivenUp = signal.aborted && !isProcessStop(signal) && !isLate(signal);
    if (!checkpoint.isStored || isGivenUp) await client.cancel(job.id);
    throw error;
  }
}

const isLate = ({ reason }: AbortSignal): boolean => isDomainError(reason) && reason.code === "provider_timeout";

async function untilEnded<Status>(
  client: JobClient<Status>,
  { id, status: first }: { readonly id: string; readonly status?: Status },
  { credentials, backoff, signal }: JobOptions,
): Promise<Status> {
  let failures = 0;
  const getStatus = async (): Promise<Status | undefined> => {
    try {
      const status = await client.get(id, signal);
      failures = 0;
      return status;
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      if (client.isFinal?.(error) || isFinal(error, credentials)) throw error;
      if (failures === maxFailedPolls) throw new StatusUnavailable(credentials, error);
      return undefined;
    }
  };
  const hasEnded = (status: Status | undefined): status is Status => status !== undefined && client.hasEnded(status);
  // a job from an earlier request may have ended long ago: no wait before the first poll
  const isResumed = first === undefined;
  const last = await poll<Status | undefined>(first, getStatus, {
    isDone: hasEnded,
    backoff: (count) => (isResumed && count === 0 ? 0 : backoff(count)),
    signal,
  });
  return last!; // safe because an ended status is one
}

/** Errors that another poll would not change. Not a 404: Google sometimes finds the job a moment later. */
const finalCodes: readonly ErrorCode[] = ["content_refused", "provider_key_rejected", "provider_quota_exhausted"];

const isFinal = (error: unknown, credentials: ModelCredentials) =>
  error instanceof ResponseTooLargeError || finalCodes.includes(toProviderError(error, credentials).code);

/** Answers of a provider that has no such job. */
const unknownJobCodes: readonly ErrorCode[] = ["provider_model_unavailable", "provider_rejected_request"];

class StatusUnavailable extends DomainError<"provider_error"> {
  constructor(credentials: ModelCredentials, cause: unknown) {
    const reason = `${credentials.providerName} does not report the status of the video`;
    const isGone = unknownJobCodes.includes(toProviderError(cause, credentials).code);
    super("provider_error", { reason, unanswered: true, isGone }, { cause });
  }
}
