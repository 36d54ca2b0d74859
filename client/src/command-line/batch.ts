import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { orderBatch } from "../batches.ts";
import {
  ApiError,
  type Batch,
  BatchFailedError,
  type BatchFilm,
  type BatchOrder,
  type Client,
  unwrap,
} from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { FailedFilmsError, UsageError, WaitsError } from "./exit-codes.ts";
import { destinationsOf } from "./exports.ts";
import { keysIn, modelIn, projectForFilms } from "./films.ts";
import { table } from "./output.ts";
import { progressBar } from "./progress.ts";
import { readObject } from "./request.ts";

type BatchOptions = {
  readonly work?: string;
  readonly film?: string;
  readonly brief?: string;
  readonly project?: string;
  readonly output: string;
  readonly key?: string;
  readonly fileName?: string;
  readonly language?: readonly string[];
  readonly target?: readonly string[];
  readonly model?: readonly string[];
  readonly budget?: string;
  readonly stopAt?: readonly string[];
  readonly to?: readonly string[];
  readonly approve?: boolean;
};

/**
 * Makes films from a table and downloads them. Run again with the same table, it resumes: it follows the running batch,
 * the service keeps unchanged films, and existing files are not downloaded again. With `approve` it resumes after a
 * stop. Ctrl-C leaves the batch running.
 */
export async function batch(context: Context, path: string, options: BatchOptions): Promise<void> {
  const base = await baseOf(options);
  const client = await signedInClient(context);
  const { work } = options;
  const ownProject = () => (work === undefined ? projectForFilms(client) : projectOf(context, client, work));
  const projectId = options.project ?? (await ownProject());
  const destinations = options.to && (await destinationsOf(client, projectId, options.to));
  const wanted = { ...orderOf(base, options), ...(destinations && { destinations }) };
  const begun = await order(context, client, { projectId, path, wanted });
  context.output.note(`${begun.id} in ${projectId}`);
  if (options.approve) await approve(client, begun, context.signal);
  const ended = await follow(context, client, begun);
  const films: BatchFilm[] = [];
  for await (const film of client.batchFilms(begun, context)) films.push(film);
  await download(context, client, films, options.output);
  const failed = films.filter(({ error }) => error);
  const waiting = films.filter(({ waitingReason }) => waitingReason);
  const rows = [
    ...failed.map(({ key, error }) => [key, error?.language ?? "", error?.column ?? "", error?.message ?? ""]),
    ...waiting.map(({ key, language = "", waitingReason = "" }) => [key, language, "", waitingReason]),
  ];
  if (rows.length > 0) context.output.note(table([["ROW", "LANGUAGE", "COLUMN", "WHY"], ...rows]));
  const { done, unchanged } = ended.counts;
  context.output.result(
    { ...ended, films },
    () => `${done} made, ${unchanged} unchanged, ${failed.length} failed, in ${options.output}`,
  );
  if (ended.status === "waiting") {
    const next = ended.waitingFor === "approval" ? " Continue with the same command and --approve." : "";
    throw new WaitsError(`${ended.waitingReason ?? "The batch is waiting."}${next}`, { batch: ended });
  }
  if (ended.status !== "done") throw new FailedFilmsError(`${begun.id} ended as ${ended.status}.`);
}

async function baseOf({ work, film, brief }: BatchOptions): Promise<object> {
  if ([work, film, brief].filter((given) => given !== undefined).length !== 1) {
    throw new UsageError("A table needs one of --work, --film and --brief.");
  }
  if (work !== undefined) return { workId: work };
  return { film: film === undefined ? { brief: { text: brief } } : await readObject(film) };
}

async function projectOf({ signal }: Context, client: Client, workId: string): Promise<string> {
  const init = { init: { signal } };
  for (const { id: projectId } of await unwrap(client.api.projects.$get({ query: {} }, init))) {
    const route = client.api.projects[":projectId"].works;
    const works = await unwrap(route.$get({ param: { projectId }, query: {} }, init));
    if (works.some(({ id }) => id === workId)) return projectId;
  }
  throw new UsageError(`None of your projects has the work ${workId}.`);
}

// safe because the service validates the values, and reports errors
const orderOf = (base: object, { key, fileName, language, target, model, budget, stopAt }: BatchOptions) =>
  ({
    ...{ base, keyColumn: key, fileName, languages: language && [...language], targets: target, stopAt },
    ...(model && { models: Object.fromEntries(model.map(modelIn)) }),
    ...(budget !== undefined && { budget: { limit: budget } }),
  }) as BatchOrder;

type WantedBatch = { readonly projectId: string; readonly path: string; readonly wanted: BatchOrder };

/** Returns the unfinished batch of the same order and table, or a new one. */
async function order({ signal }: Context, client: Client, { projectId, path, wanted }: WantedBatch): Promise<Batch> {
  const bytes = await readFile(path);
  const options = { table: new File([bytes], basename(path)), signal, keys: keysIn(process.env) };
  let isReplayed = false;
  const fetch: Client["fetch"] = async (...request) => {
    const response = await client.fetch(...request);
    isReplayed = response.headers.has("idempotency-replayed");
    return response;
  };
  let key = sha256(JSON.stringify([projectId, wanted]), bytes);
  for (;;) {
    const begun = await orderBatch({ fetch }, projectId, wanted, { ...options, idempotencyKey: key });
    if (!isReplayed || !(await hasEnded(client, begun, signal))) return begun;
    key = sha256(key, begun.id);
  }
}

function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

/** True also if it was removed. */
async function hasEnded({ api }: Client, { projectId, id: batchId }: Batch, signal: AbortSignal): Promise<boolean> {
  const route = api.projects[":projectId"].batches[":batchId"];
  try {
    return "endedAt" in (await unwrap(route.$get({ param: { projectId, batchId } }, { init: { signal } })));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return true;
    throw error;
  }
}

async function approve({ api }: Client, { projectId, id: batchId }: Batch, signal: AbortSignal): Promise<void> {
  const route = api.projects[":projectId"].batches[":batchId"].approve;
  await unwrap(route.$post({ param: { projectId, batchId } }, { init: { signal } }));
}

/** Returns the batch once it has ended or waits; reports the rows of one without films. */
async function follow({ output, signal }: Context, client: Client, begun: Batch): Promise<Batch> {
  const bar = progressBar(output, "Films");
  const onProgress = ({ status, counts }: Batch) => {
    const { films, done, unchanged, invalid, error } = counts;
    const ended = done + unchanged + invalid + error;
    bar.update(films === 0 ? 0 : ended / films, `${status}: ${ended} of ${films}, ${invalid + error} failed`);
  };
  try {
    return await client.waitForBatch(begun, { signal, onProgress });
  } catch (error) {
    if (error instanceof BatchFailedError) return error.batch;
    throw error;
  } finally {
    bar.end();
  }
}

/** Keeps existing files. */
async function download({ output, signal }: Context, client: Client, films: readonly BatchFilm[], folder: string) {
  const made = films.filter(({ url, exportId }) => url !== undefined && exportId !== undefined);
  if (made.length > 0) await mkdir(folder, { recursive: true });
  const bar = progressBar(output, "Download");
  try {
    for (const [at, film] of made.entries()) {
      const { fileName, exportId = "", target } = film;
      bar.update(at / made.length, fileName);
      const to = join(folder, basename(fileName));
      if (!(await exists(to, film))) await client.downloadExport(exportId, { to, target, signal });
    }
  } finally {
    bar.end();
  }
}

async function exists(path: string, { size, sha256: wanted }: BatchFilm): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found?.size !== size) return false;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex") === wanted;
}
