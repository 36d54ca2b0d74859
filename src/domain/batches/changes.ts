import { isDomainError } from "../../errors.ts";
import { withoutUndefined } from "../../platform/values.ts";
import type { SecretBox } from "../accounts/secrets.ts";
import type { Models } from "../ai/models.ts";
import type { ExportStore } from "../exports/lifecycle/jobs.ts";
import { cancelFilm, notWaiting, requireCovered, retryStep, setKeys } from "../films/changes.ts";
import { type Film, type FilmStore, isBroken, resumed as resumedFilm } from "../films/film.ts";
import { type GivenKeys, keysFor, sealKeys } from "../films/keys.ts";
import { type ExpectedRevision, requireFound, requireRevision } from "../shared/versioned.ts";
import { type Approval, type Batch, type BatchItem, type BatchStore, hasEnded, resumed } from "./batch.ts";

type BatchPorts = { readonly batches: BatchStore };

/** Omits the attempt: a user's change also applies to the next attempt. */
const keyOf = ({ id, projectId }: Batch) => ({ id, projectId });

/** Resumes with the validation if it is not complete, otherwise with the films. */
const goingOn = (found: Batch): Batch => ({
  ...resumed(found),
  status: found.recheck || found.seconds === 0 ? "validating" : "running",
});

/** Resumes after the wait for an approval. Throws not_waiting. */
export async function approveBatch({ batches }: BatchPorts, batch: Batch): Promise<Batch> {
  const changed = await batches.change(
    keyOf(batch),
    (found) => {
      const { status, waitingFor, waitingAt } = found;
      if (status !== "waiting" || waitingFor !== "approval" || !waitingAt) throw notWaiting();
      return { ...resumed(found), status: "running", approved: [...found.approved, waitingAt] };
    },
    { wake: true },
  );
  return requireFound(changed);
}

type RetryPorts = KeyPorts & Parameters<typeof retryStep>[0];

/**
 * Retries failed rows; for a batch that waits for a step of its films, retries those steps. Takes keys like an order
 * where models are needed. Throws not_waiting while the batch runs, or if nothing has failed.
 */
export async function retryBatch(ports: RetryPorts, batch: Batch, given: GivenKeys): Promise<Batch> {
  const { batches } = ports;
  if (batch.status === "waiting" && batch.waitingFor === "step") return await retryFilms(ports, batch);
  requireRetryable(batch);
  // a film that is only rendered needs none
  const keys = Object.keys(given).length > 0 ? sealedKeys(ports, batch, given) : {};
  const recheck = await batches.reopen(batch.id);
  if (recheck.length === 0) throw notWaiting();
  const changed = await batches.change(
    keyOf(batch),
    (found) => {
      requireRetryable(found);
      // the estimate covers only films made again, and the caller accepts paying once more for what failed
      const { endedAt: _, estimate: __, ...kept } = resumed(found);
      return { ...kept, status: "validating", recheck, checked: 0, checkpoints: {} };
    },
    { wake: true, keys },
  );
  return requireFound(changed);
}

/** Retries the films; a resumed film wakes its batch. */
async function retryFilms(ports: RetryPorts, batch: Batch): Promise<Batch> {
  for await (const film of filmsOf(ports, batch)) {
    if (film.status !== "waiting" || film.waitingFor !== "step") continue;
    for (const { id } of film.steps.filter(isBroken)) {
      await retryStep(ports, film, id, {}).catch(ignoreNotWaiting);
    }
  }
  return requireFound(await ports.batches.find(batch.projectId, batch.id));
}

function requireRetryable({ status }: Batch): void {
  if (status !== "partial" && status !== "error") throw notWaiting();
}

type KeyPorts = BatchPorts & { readonly models: Models; readonly filmKeyBox: SecretBox };

const sealedKeys = ({ models, filmKeyBox }: KeyPorts, { id, order }: Batch, given: GivenKeys) =>
  sealKeys(filmKeyBox, id, keysFor(models, { models: order.models ?? {} }, given));

type FilmPorts = { readonly films: FilmStore };

async function* filmsOf({ batches, films }: BatchPorts & FilmPorts, { id, projectId }: Batch): AsyncGenerator<Film> {
  for (const filmId of await batches.filmIds(id)) {
    const film = await films.find(projectId, filmId);
    if (film) yield film;
  }
}

/** Resumes with other keys, as do films that wait for one. Throws not_waiting if the batch does not wait for any. */
export async function setBatchKeys(ports: KeyPorts & FilmPorts, batch: Batch, given: GivenKeys): Promise<Batch> {
  const edit = (found: Batch): Batch => {
    if (found.status !== "waiting" || found.waitingFor !== "key") throw notWaiting();
    return goingOn(found);
  };
  const keys = sealedKeys(ports, batch, given);
  const changed = await ports.batches.change(keyOf(batch), edit, { wake: true, keys });
  for await (const film of filmsOf(ports, batch)) {
    if (film.waitingFor !== "key") continue;
    const ofFilm = keysFor(ports.models, film.order, given);
    await setKeys(ports, film, sealKeys(ports.filmKeyBox, film.id, ofFilm)).catch(ignoreNotWaiting);
  }
  return requireFound(changed);
}

type BatchChanges = Partial<Pick<Batch, "name" | "maxSpend">> & { readonly stopAt?: Batch["order"]["stopAt"] };

/** Changes the named fields. With a higher budget the batch and its films resume immediately. */
export async function changeBatch(
  ports: BatchPorts & FilmPorts,
  batch: Batch,
  { name, maxSpend, stopAt }: BatchChanges,
  expected: ExpectedRevision,
): Promise<Batch> {
  const changed = await ports.batches.change(
    keyOf(batch),
    (found, committed) => {
      requireRevision(found, expected);
      if (hasEnded(found)) throw notWaiting();
      if (maxSpend !== undefined) requireCovered(maxSpend, committed);
      const isPaidAgain = maxSpend !== undefined && found.status === "waiting" && found.waitingFor === "budget";
      return {
        ...(isPaidAgain ? goingOn(found) : found),
        ...withoutUndefined({ name, maxSpend }),
        ...(stopAt && { order: { ...found.order, stopAt } }),
      };
    },
    { wake: maxSpend !== undefined, countsSpend: maxSpend !== undefined },
  );
  for await (const film of maxSpend === undefined ? [] : filmsOf(ports, batch)) {
    if (film.waitingFor !== "budget") continue;
    const resume = (found: Film) => (found.waitingFor === "budget" ? resumedFilm(found) : found);
    await ports.films.change({ id: film.id, projectId: film.projectId }, resume, { wake: true });
  }
  return requireFound(changed);
}

const ignoreNotWaiting = (error: unknown): void => {
  if (!isDomainError(error) || error.code !== "not_waiting") throw error;
};

/** Sets a mark for people: renders and removes nothing. */
export const markItem = async (
  { batches }: BatchPorts,
  { batchId, id }: BatchItem,
  approval: Approval,
  note: string | undefined,
): Promise<BatchItem> =>
  requireFound(await batches.changeItem({ id: batchId }, id, { approval, ...(note !== undefined && { note }) }));

type CancelPorts = BatchPorts & Parameters<typeof cancelFilm>[0] & { readonly exports: Pick<ExportStore, "cancel"> };

/** Cancels running films and keeps finished ones. Repeating it gives the same answer. */
export async function cancelBatch(ports: CancelPorts, batch: Batch): Promise<Batch> {
  const { batches, exports } = ports;
  if (hasEnded(batch)) return batch;
  const now = Date.now();
  const changed = await batches.change(keyOf(batch), (found) =>
    hasEnded(found) ? found : { ...resumed(found), status: "cancelled", endedAt: now, attempt: found.attempt + 1 },
  );
  const runningExports = await batches.runningExports(batch.id);
  await batches.cancelItems(batch.id, ["waiting", "running"]);
  for (const exportId of runningExports) await exports.cancel(exportId, now);
  for await (const film of filmsOf(ports, batch)) await cancelFilm(ports, film);
  return requireFound(changed);
}

/** Cancels a batch and removes it with its files, except files that another batch uses. */
export async function removeBatch(ports: CancelPorts, batch: Batch): Promise<void> {
  await cancelBatch(ports, batch);
  for await (const film of filmsOf(ports, batch)) {
    // a step may have been retried since the batch has ended
    await cancelFilm(ports, film);
    // its videos belong to the batch
    await ports.films.remove(film);
  }
  for (;;) {
    const { isGone, fileKeys } = await ports.batches.remove(batch);
    await ports.files.remove(fileKeys);
    if (isGone) return;
  }
}
