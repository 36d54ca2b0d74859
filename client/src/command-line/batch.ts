import { mkdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Batch, BatchFailedError, type BatchFilm, type BatchOrder, type Client, unwrap } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { UsageError } from "./exit-codes.ts";
import { table } from "./output.ts";
import { progressBar } from "./progress.ts";

type BatchOptions = {
  readonly work: string;
  readonly project?: string;
  readonly output: string;
  readonly key?: string;
  readonly fileName?: string;
  readonly language?: readonly string[];
  readonly target?: readonly string[];
};

/** Thrown after the films that are made were downloaded. */
class FailedFilmsError extends Error {
  override readonly name = "FailedFilmsError";
}

/**
 * Makes films from a table and downloads them. Once more with the same table it goes on where it was stopped: the service
 * keeps the films that did not change, and files that are there are not downloaded again. Ctrl-C leaves the batch running.
 */
export async function batch(context: Context, path: string, options: BatchOptions): Promise<void> {
  const client = await signedInClient(context);
  const projectId = options.project ?? (await projectOf(context, client, options.work));
  const begun = await order(client, projectId, path, options, context.signal);
  const ended = await follow(context, client, begun);
  const films: BatchFilm[] = [];
  for await (const film of client.batchFilms(begun, context)) films.push(film);
  await download(context, client, films, options.output);
  const failed = films.filter(({ error }) => error);
  const rows = failed.map(({ key, error }) => [key, error?.language ?? "", error?.column ?? "", error?.message ?? ""]);
  if (rows.length > 0) context.output.note(table([["ROW", "LANGUAGE", "COLUMN", "WHY"], ...rows]));
  const { done, unchanged } = ended.counts;
  context.output.result(
    { ...ended, films },
    () => `${done} made, ${unchanged} unchanged, ${failed.length} failed, in ${options.output}`,
  );
  if (ended.status === "waiting") throw new FailedFilmsError(ended.waitingReason ?? "The batch waits.");
  if (ended.status !== "done") throw new FailedFilmsError(`${begun.id} ended as ${ended.status}.`);
}

async function projectOf({ signal }: Context, client: Client, workId: string): Promise<string> {
  const init = { init: { signal } };
  for (const { id: projectId } of await unwrap(client.api.projects.$get({ query: {} }, init))) {
    const route = client.api.projects[":projectId"].works;
    const works = await unwrap(route.$get({ param: { projectId }, query: {} }, init));
    if (works.some(({ id }) => id === workId)) return projectId;
  }
  throw new UsageError(`No project of yours has the work ${workId}.`);
}

const order = (
  client: Client,
  projectId: string,
  table: string,
  { work: workId, key, fileName, language, target }: BatchOptions,
  signal: AbortSignal,
): Promise<Batch> => {
  // safe because the service checks the ratios
  const targets = target as BatchOrder["targets"];
  const wanted = { base: { workId }, keyColumn: key, fileName, languages: language && [...language], targets };
  return client.orderBatch(projectId, wanted, { table, signal });
};

/** The batch when it rests: one without any film is told with its rows. */
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

/** Files of the same size are there already: names and sizes of films that changed differ almost always. */
async function download({ output, signal }: Context, client: Client, films: readonly BatchFilm[], folder: string) {
  const made = films.filter(({ url, exportId }) => url !== undefined && exportId !== undefined);
  if (made.length > 0) await mkdir(folder, { recursive: true });
  const bar = progressBar(output, "Download");
  try {
    for (const [at, { fileName, exportId = "", target, size }] of made.entries()) {
      bar.update(at / made.length, fileName);
      const to = join(folder, basename(fileName));
      const found = await stat(to).catch(() => undefined);
      if (found?.size !== size) await client.downloadExport(exportId, { to, target, signal });
    }
  } finally {
    bar.end();
  }
}
