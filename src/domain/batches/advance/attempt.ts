import { RetryAfterError } from "../../../platform/async.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Project } from "../../projects/projects.ts";
import { type Batch, type BatchStore, resumed } from "../batch.ts";
import { type Halt, waitFor } from "../waits.ts";

export type LogError = (error: unknown) => void;

export type Attempt = {
  readonly batch: Batch;
  readonly caller: Caller;
  readonly project: Project;
  readonly signal: AbortSignal;
  /** Of requests that a model works on. */
  readonly callSignal: AbortSignal;
};

type Ports = { readonly batches: Pick<BatchStore, "change"> };

/** Undefined once another attempt has begun. */
export function changeBatch(
  { batches }: Ports,
  { batch: { id, projectId, attempt } }: Pick<Attempt, "batch">,
  edit: (found: Batch) => Batch,
): Promise<Batch | undefined> {
  return batches.change({ id, projectId, attempt }, edit);
}

/** The batch waits until somebody changes something. */
export class BatchWaits extends Error {
  override readonly name = "BatchWaits";
}

/** What keeps a batch from going on may pass. Throws what `halt` throws, or the error. */
export async function haltAfter(ports: Ports, attempt: Attempt, error: unknown): Promise<never> {
  const found = waitFor(error);
  if (found) await halt(ports, attempt, found);
  throw error;
}

/** Records why the batch waits. Throws RetryAfterError, or BatchWaits where only a change helps. */
export async function halt(
  ports: Ports,
  attempt: Attempt,
  { waitingFor, reason: waitingReason, retryAfterSeconds }: Halt,
): Promise<never> {
  await changeBatch(ports, attempt, (found) => ({ ...resumed(found), status: "waiting", waitingFor, waitingReason }));
  if (retryAfterSeconds === undefined) throw new BatchWaits();
  throw new RetryAfterError("The batch waits.", retryAfterSeconds);
}
