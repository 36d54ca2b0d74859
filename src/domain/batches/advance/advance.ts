import { processStopped, RetryAfterError } from "../../../platform/async.ts";
import { type LeasePorts, outageProofLeaseMs, takeLease } from "../../../platform/leases.ts";
import type { UserStore } from "../../accounts/users.ts";
import { callerOf } from "../batch.ts";
import { type Attempt, BatchWaits, inBatchSpan, type LogError } from "./attempt.ts";
import { type MakeFilmsPorts, makeFilms } from "./make-films.ts";
import { type ValidateTablePorts, validateTable } from "./validate-table.ts";

type AdvancePorts = ValidateTablePorts & MakeFilmsPorts & LeasePorts & { readonly users: Pick<UserStore, "find"> };

/** Aborts when this process must not begin new work. */
type Draining = { readonly draining?: AbortSignal };

/**
 * Job handler: advances a batch as far as possible, from its stored data alone. `stopped` aborts when this process
 * stops, or has lost the job; the handler then throws, and another process resumes. When `draining` aborts, it leaves
 * everything except running requests to models, whose answers it stores first. Throws RetryAfterError to be called
 * again later.
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
  // the process that resumes looks for a started call of a model
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
    const validation = () => validateTable(ports, attempt);
    const isValidated =
      batch.status !== "validating" || (await inBatchSpan(ports.telemetry, batch, "check", validation));
    if (isValidated) await makeFilms(ports, attempt, logError);
  } catch (error) {
    if (error instanceof BatchWaits) return;
    throw draining.aborted && error === draining.reason ? leftToOthers() : error;
  } finally {
    stopped.removeEventListener("abort", stop);
    await lease.release();
  }
}

const leftToOthers = () => new RetryAfterError("The process stops.", 1);
