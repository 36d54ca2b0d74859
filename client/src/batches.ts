import type { Batch, BatchFilm, BatchOrder, BatchReport } from "./api.ts";
import type { Connection } from "./connection.ts";
import { BatchFailedError, readError } from "./errors.ts";
import { type FilmKeys, headersOf } from "./films.ts";
import { withRetries } from "./retry.ts";
import { openSource, type UploadSource } from "./source.ts";
import { lastState, type WaitOptions } from "./wait.ts";

export type TableOptions = {
  /** A CSV, JSON or NDJSON file instead of `rows`. */
  readonly table?: UploadSource | undefined;
  /** For models that translate or make films from briefs. */
  readonly keys?: FilmKeys | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type ValidateBatchOptions = TableOptions & {
  /** Validates only the first rows, up to this number; 0 only reads the table. By default, all. */
  readonly checkRows?: number | undefined;
};

export type OrderBatchOptions = TableOptions & {
  /** Two orders with the same key are one batch; by default, each call has a new key. */
  readonly idempotencyKey?: string | undefined;
};

const orderAttempts = 5;

const batchesOf = (projectId: string) => `/api/projects/${encodeURIComponent(projectId)}/batches`;

const pathOf = ({ projectId, id }: BatchReference) => `${batchesOf(projectId)}/${encodeURIComponent(id)}`;

/** Sends the requests. */
type Sender = Pick<Connection, "fetch">;

/** Validates a table as the batch would. */
export const validateBatch = (
  connection: Sender,
  projectId: string,
  order: BatchOrder,
  { checkRows, ...options }: ValidateBatchOptions = {},
): Promise<BatchReport> => {
  const query = checkRows === undefined ? "" : `?checkRows=${checkRows}`;
  return send(connection, `${batchesOf(projectId)}/validate${query}`, order, options, {});
};

/** Orders a film from each row. If the answer is lost, retries with the same key, so that no second batch begins. */
export const orderBatch = (
  connection: Sender,
  projectId: string,
  order: BatchOrder,
  { idempotencyKey = crypto.randomUUID(), ...options }: OrderBatchOptions = {},
): Promise<Batch> => send(connection, batchesOf(projectId), order, options, { "idempotency-key": idempotencyKey });

async function send<Answer>(
  { fetch }: Sender,
  path: string,
  order: BatchOrder,
  { table, keys = {}, signal }: TableOptions,
  named: Readonly<Record<string, string>>,
): Promise<Answer> {
  const headers = { ...named, ...headersOf(keys) };
  const json = JSON.stringify(order);
  const file = table === undefined ? undefined : await fileOf(table);
  const attempt = async (): Promise<Answer> => {
    const form = file && formWith(json, file);
    const sent = form
      ? { headers, body: form }
      : { headers: { ...headers, "content-type": "application/json" }, body: json };
    const response = await fetch(path, { method: "POST", ...sent, ...(signal && { signal }) });
    if (!response.ok) throw await readError(response);
    return await response.json();
  };
  return await withRetries(attempt, { attempts: orderAttempts, signal });
}

function formWith(batch: string, table: File): FormData {
  const form = new FormData();
  form.set("batch", batch);
  form.set("table", table);
  return form;
}

/** Reads the table, so that a stream can be sent again: tables are small. */
async function fileOf(table: UploadSource): Promise<File> {
  const { filename, chunks } = await openSource(table, undefined);
  const parts: BlobPart[] = [];
  for await (const chunk of chunks()) parts.push(new Uint8Array(chunk));
  return new File(parts, filename);
}

export type BatchReference = Pick<Batch, "id" | "projectId">;

/** True unless the batch resumes automatically, as it does after waiting for room, the next day or a provider. */
const isAtRest = ({ status, waitingFor }: Batch) =>
  status === "done" ||
  status === "partial" ||
  status === "error" ||
  status === "cancelled" ||
  (status === "waiting" && !["storage", "exports", "provider"].includes(waitingFor ?? ""));

/**
 * Waits until a batch has ended, or waits for its owner: its `waitingReason` then says what to do. Follows its events
 * like `waitForExport`. Throws BatchFailedError if no film was made or it was cancelled.
 */
export async function waitForBatch(
  connection: Connection,
  batch: BatchReference,
  options: WaitOptions<Batch> = {},
): Promise<Batch> {
  const followed = { path: pathOf(batch), hasEnded: isAtRest, merge: (_: Batch | undefined, data: Batch) => data };
  const ended = await lastState<Batch>(connection, followed, options);
  if (ended.status === "error" || ended.status === "cancelled") throw new BatchFailedError(ended);
  return ended;
}

export type BatchFilmsOptions = {
  /** Only films with this status. */
  readonly status?: BatchFilm["status"] | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Yields the films of a batch in the order of its table, read page by page. */
export async function* batchFilms(
  { fetch }: Connection,
  batch: BatchReference,
  { status, signal }: BatchFilmsOptions = {},
): AsyncGenerator<BatchFilm> {
  const query = status ? `?status=${status}` : "";
  for (let next: string | undefined = `${pathOf(batch)}/films${query}`; next !== undefined; ) {
    const response: Response = await fetch(next, { ...(signal && { signal }) });
    if (!response.ok) throw await readError(response);
    const { films }: { readonly films: readonly BatchFilm[] } = await response.json();
    yield* films;
    next = /^<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
}
