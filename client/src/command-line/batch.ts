import { openAsBlob } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { readError } from "../errors.ts";
import { type Client, unwrap } from "../index.ts";
import { sleep } from "../retry.ts";
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

type BatchState = {
  readonly id: string;
  readonly status: string;
  readonly waitingReason?: string;
  readonly counts: Readonly<Record<"films" | "done" | "unchanged" | "invalid" | "error" | "cancelled", number>>;
};

type BatchFilm = {
  readonly key: string;
  readonly fileName: string;
  readonly exportId?: string;
  readonly target?: string;
  readonly url?: string;
  readonly size?: number;
  readonly error?: { readonly column?: string; readonly language?: string; readonly message: string };
};

const pollMs = 1_500;

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
  const batches = `/api/projects/${encodeURIComponent(projectId)}/batches`;
  const begun = await order(context, client, batches, path, options);
  const ended = await follow(context, client, `${batches}/${begun.id}`);
  const films = await listFilms(context, client, `${batches}/${begun.id}/films`);
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

async function order(
  { signal }: Context,
  client: Client,
  batches: string,
  path: string,
  { work: workId, key, fileName, language, target }: BatchOptions,
): Promise<BatchState> {
  const body = new FormData();
  const fields = { base: { workId }, keyColumn: key, fileName, languages: language, targets: target };
  body.set("batch", JSON.stringify(fields));
  body.set("table", await openAsBlob(path), basename(path));
  return await jsonOf(client.fetch(batches, { method: "POST", body, signal }));
}

async function follow({ output, signal }: Context, client: Client, path: string): Promise<BatchState> {
  const bar = progressBar(output, "Films");
  try {
    for (;;) {
      const state: BatchState = await jsonOf(client.fetch(path, { signal }));
      const { films, done, unchanged, invalid, error } = state.counts;
      const ended = done + unchanged + invalid + error;
      bar.update(films === 0 ? 0 : ended / films, `${state.status}: ${ended} of ${films}, ${invalid + error} failed`);
      if (!["validating", "ready", "running"].includes(state.status)) return state;
      await sleep(pollMs, signal);
    }
  } finally {
    bar.end();
  }
}

async function listFilms({ signal }: Context, client: Client, path: string): Promise<readonly BatchFilm[]> {
  const films: BatchFilm[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await client.fetch(next, { signal });
    const page: { readonly films: readonly BatchFilm[] } = await jsonOf(response);
    films.push(...page.films);
    next = /^<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return films;
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

async function jsonOf<Body>(answer: Response | Promise<Response>): Promise<Body> {
  const response = await answer;
  if (!response.ok) throw await readError(response);
  return (await response.json()) as Body;
}
