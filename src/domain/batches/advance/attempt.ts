import { RetryAfterError } from "../../../platform/async.ts";
import { currentOrigin, runFrom } from "../../../platform/tracing.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Project } from "../../projects/projects.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type Batch, type BatchStore, resumed } from "../batch.ts";
import { type Halt, waitFor } from "../waits.ts";

export type LogError = (error: unknown) => void;

export type Attempt = {
  readonly batch: Batch;
  readonly caller: Caller;
  readonly project: Project;
  readonly signal: AbortSignal;
  /** Aborts running requests to models. */
  readonly callSignal: AbortSignal;
};

type Ports = { readonly batches: Pick<BatchStore, "change"> };

/** Undefined if another attempt has begun. */
export function changeBatch(
  { batches }: Ports,
  { batch: { id, projectId, attempt } }: Pick<Attempt, "batch">,
  edit: (found: Batch) => Batch,
): Promise<Batch | undefined> {
  return batches.change({ id, projectId, attempt }, edit);
}

/** Thrown when the batch waits for a change by a person. */
export class BatchWaits extends Error {
  override readonly name = "BatchWaits";
}

/** Halts the batch if the obstacle may pass. Throws the result of `halt`, or the error. */
export async function haltAfter(ports: Ports, attempt: Attempt, error: unknown): Promise<never> {
  const found = waitFor(error);
  if (found) await halt(ports, attempt, found);
  throw error;
}

/** Records why the batch waits. Throws RetryAfterError, or BatchWaits if only a change helps. */
export async function halt(
  ports: Ports,
  attempt: Attempt,
  { waitingFor, reason: waitingReason, retryAfterSeconds }: Halt,
): Promise<never> {
  await changeBatch(ports, attempt, (found) => ({ ...resumed(found), status: "waiting", waitingFor, waitingReason }));
  if (retryAfterSeconds === undefined) throw new BatchWaits();
  throw new RetryAfterError("The batch waits.", retryAfterSeconds);
}

/** Runs a part of a batch in a span of its order's trace, in any process. */
export function inBatchSpan<Result>(
  { tracing }: Telemetry,
  { traceparent: parent }: Pick<Batch, "traceparent">,
  part: "check" | "film",
  run: () => Promise<Result>,
): Promise<Result> {
  const origin = currentOrigin();
  return tracing.span({ name: `batch ${part}`, kind: "consumer", parent: parent ?? origin.traceparent }, (span) =>
    runFrom({ ...origin, ...(span.traceparent && { traceparent: span.traceparent }) }, run),
  );
}
