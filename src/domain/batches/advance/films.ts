import type { FileStore } from "../../../engine/ports.ts";
import { DomainError } from "../../../errors.ts";
import { oncePer } from "../../../platform/async.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { DeliveryStore } from "../../destinations/deliveries.ts";
import type { ExportStore } from "../../exports/lifecycle/jobs.ts";
import { sha256OfFile } from "../../files/file-store.ts";
import { cancelFilm } from "../../films/changes.ts";
import type { Film, FilmStore } from "../../films/film.ts";
import { openKeys } from "../../films/keys.ts";
import { type OrderPorts, orderFilm } from "../../films/order/order.ts";
import { type FilmStates, followFilm } from "../../films/states.ts";
import { type Checkpoints, noCheckpoints } from "../../idempotency/checkpoints.ts";
import type { Project } from "../../projects/projects.ts";
import { newId } from "../../shared/ids.ts";
import { type Batch, type BatchItem, type BatchStore, type FilmWait, hasEnded } from "../batch.ts";
import { deliverItem } from "../deliver.ts";
import type { FilmOrderReader } from "../validation/context.ts";
import { orderOfRow } from "../validation/film-rows.ts";
import { type Halt, waitFor } from "../waits.ts";

export type BatchFilmPorts = OrderPorts & {
  readonly deliveries: Pick<DeliveryStore, "queue">;
  readonly batches: Pick<
    BatchStore,
    "rows" | "find" | "bases" | "keys" | "changeItem" | "nameFilm" | "filmIds" | "filmWaits"
  >;
  readonly films: FilmStore;
  readonly filmStates: FilmStates;
  readonly exports: Pick<ExportStore, "findState" | "remove">;
  readonly files: Pick<FileStore, "read" | "remove">;
  readonly readFilmOrder: FilmOrderReader;
};

type Orderer = { readonly batch: Batch; readonly caller: Caller; readonly project: Project };

/** Orders the films of a batch from briefs, as the films' route does. */
export type BatchFilms = {
  /** Makes the film of an item until it rests. Returns an obstacle that other items share. */
  make(item: BatchItem, signal: AbortSignal): Promise<Halt | undefined>;
  /** The status of the batch if its films wait for a person. */
  wait(): Promise<Pick<Batch, "waitingFor" | "waitingReason"> | undefined>;
};

/** Obstacles that other films share. */
const sharedWaits: readonly Film["waitingFor"][] = ["budget", "key", "storage"];

export function batchFilms(ports: BatchFilmPorts, { batch, caller, project }: Orderer): BatchFilms {
  const { batches, films } = ports;
  const begin = async ({ row, language, values }: BatchItem): Promise<Film> => {
    // stored first, so that another process finds the film, or orders it under the same id
    const filmId = await batches.nameFilm(batch.id, { row, language }, newId("film"));
    const found = await films.find(batch.projectId, filmId);
    if (found) return found;
    const [base] = await batches.bases(batch.id);
    if (!base || !("film" in base.request)) throw new DomainError("not_found", {});
    const { request, order } = orderOfRow(ports, batch, base.request.film, { language, values });
    const keys = openKeys(ports.filmKeyBox, batch, await batches.keys(batch.id));
    const createOnce: Checkpoints["createOnce"] = (_, { create }) => create(filmId);
    const context = { caller, project, batchId: batch.id, checkpoints: { ...noCheckpoints, createOnce } };
    return await orderFilm(ports, context, request, order, keys);
  };

  /** Orders each film once: one film has all targets. */
  const ordered = oncePer(({ row, language }: BatchItem) => `${row} ${language}`, begin);

  const mark = (item: BatchItem, changes: Parameters<BatchStore["changeItem"]>[2]) =>
    batches.changeItem(batch, item.id, changes);

  const end = async (item: BatchItem, film: Film | undefined): Promise<void> => {
    if (film?.status === "error") {
      const code = (film.failure?.code ?? "internal") as "nothing_to_export";
      return void (await mark(item, { status: "error", failure: { code, facts: {} } }));
    }
    const job =
      film?.status === "done" && film.exportId ? await ports.exports.findState(batch.userId, film.exportId) : undefined;
    const file = job?.files.find(({ target }) => target === item.target);
    // its owner removed or cancelled it
    if (!job || !file) return void (await mark(item, { status: "cancelled" }));
    const sha256 = await sha256OfFile(ports.files, file);
    await deliverItem(ports, batch, { ...item, exportId: job.id, ...(film && { filmId: film.id }) });
    await mark(item, { status: "done", exportId: job.id, sha256, sizeBytes: file.sizeBytes });
  };

  return {
    async make(item, signal) {
      let film: Film;
      try {
        film = await ordered(item);
      } catch (error) {
        const halt = waitFor(error);
        if (!halt) throw error;
        await mark(item, { status: "waiting" });
        return halt;
      }
      if (!(await mark(item, { status: "running", filmId: film.id }))) {
        const found = await batches.find(batch.projectId, batch.id);
        if (!found || hasEnded(found)) await cancelFilm(ports, film);
        return undefined;
      }
      let isWaiting = false;
      for await (const state of followFilm(ports, { ...film, spend: new Map() }, signal, "status")) {
        film = state;
        if (isWaiting !== (film.status === "waiting")) {
          isWaiting = !isWaiting;
          await mark(item, { status: isWaiting ? "waiting" : "running" });
        }
        // a provider recovers without a change
        if (isWaiting && film.waitingFor !== "provider") break;
      }
      signal.throwIfAborted();
      const last = await films.find(batch.projectId, film.id);
      if (last?.status !== "waiting") return void (await end(item, last));
      const { waitingFor, waitingReason: reason = "" } = last;
      return waitingFor && sharedWaits.includes(waitingFor) ? { waitingFor, reason } : undefined;
    },

    async wait() {
      const waits = await batches.filmWaits(await batches.filmIds(batch.id));
      const [first] = waits;
      return first && { waitingFor: first.waitingFor ?? "step", waitingReason: sentenceOf(waits, first) };
    },
  };
}

const sentenceOf = ({ length }: readonly FilmWait[], { waitingReason = "" }: FilmWait): string =>
  length === 1 ? `A film waits. ${waitingReason}` : `${length} films wait, the first one for this: ${waitingReason}`;
