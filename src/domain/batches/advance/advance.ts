import { processStopped, RetryAfterError } from "../../../platform/async.ts";
import { type LeasePorts, outageProofLeaseMs, takeLease } from "../../../platform/leases.ts";
import type { UserStore } from "../../accounts/users.ts";
import { callerOf } from "../batch.ts";
import { inBatchSpan } from "../telemetry.ts";
import { type Attempt, BatchWaits, type LogError } from "./attempt.ts";
import { type CheckTablePorts, checkTable } from "./check-table.ts";
import { type MakeFilmsPorts, makeFilms } from "./make-films.ts";

type AdvancePorts = CheckTablePorts & MakeFilmsPorts & LeasePorts & { readonly users: Pick<UserStore, "find"> };

/** Aborted when nothing is to begin here any more. */
type Draining = { readonly draining?: AbortSignal };

/**
 * Job handler: brings a batch as far as it gets, from its rows alone. `stopped` aborts when this process stops, or has
 * lost the job; the handler then throws, and another one goes on. When `draining` aborts it leaves everything but the
 * requests that a model works on: their answers are stored first. Throws RetryAfterError to be called again after a while.
 */
export async function advanceBatch(
  ports: AdvancePorts,
  batchId: string,
  stopped: AbortSignal,
  logError: LogError = () => {},
  { draining = new AbortController().signal }: Draining = {},
): Promise<void> {
  if (draining.aborted) throw leftToOthers();
  const lease = await takeLease(ports, [`batch/${batchId}`], { leaseMs: outageProofLeaseMs });
  if (!lease) throw new RetryAfterError("The batch is being advanced.", 1);
  // a call of a model that was begun is looked for by the process that goes on
  const ended = new AbortController();
  const stop = () => ended.abort(processStopped);
  stopped.addEventListener("abort", stop);
  try {
    const batch = await ports.batches.acquire(batchId);
    const user = batch && (await ports.users.find(batch.userId));
    const project = user && (await ports.projects.find(user.id, batch.projectId));
    if (!batch || !user || !project) return;
    stopped.throwIfAborted();
    const signals = { signal: AbortSignal.any([ended.signal, draining]), callSignal: ended.signal };
    const attempt: Attempt = { batch, caller: callerOf(user, batch), project, ...signals };
    const check = () => checkTable(ports, attempt);
    const goesOn = batch.status !== "validating" || (await inBatchSpan(ports.telemetry, batch, "check", check));
    if (goesOn) await makeFilms(ports, attempt, logError);
  } catch (error) {
    if (error instanceof BatchWaits) return;
    throw draining.aborted && error === draining.reason ? leftToOthers() : error;
  } finally {
    stopped.removeEventListener("abort", stop);
    await lease.release();
  }
}

const leftToOthers = () => new RetryAfterError("The process stops.", 1);
