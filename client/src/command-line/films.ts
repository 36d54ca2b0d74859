import { type Client, type Film, type FilmKeys, type FilmOrder, unwrap } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { InterruptedError, UsageError, WaitsError } from "./exit-codes.ts";
import { destinationsOf, downloadVideos } from "./exports.ts";

type FilmOptions = {
  readonly output: string;
  readonly project?: string;
  readonly budget?: string;
  readonly seconds?: string;
  readonly scenes?: string;
  readonly language?: string;
  readonly page?: string;
  readonly name?: string;
  readonly look?: string;
  readonly target?: readonly string[];
  readonly stopAt?: readonly string[];
  readonly to?: readonly string[];
  readonly model?: readonly string[];
  readonly detach?: boolean;
};

/** Orders a film, follows its steps and downloads it. Ctrl-C cancels it, because only this command waits for it. */
export async function makeFilm(context: Context, brief: string | undefined, options: FilmOptions): Promise<void> {
  const client = await signedInClient(context);
  const projectId = options.project ?? (await projectForFilms(client));
  const destinations = options.to && (await destinationsOf(client, projectId, options.to));
  const order = { ...orderOf(brief, options), ...(destinations && { destinations }) };
  const film = await client.orderFilm(projectId, order, { keys: keysIn(process.env) });
  if (options.detach) return context.output.result(film, () => film.id);
  context.output.note(`${film.id} in ${projectId}`);
  try {
    await finish(context, client, film, options.output);
  } catch (error) {
    if (context.signal.aborted) {
      await cancel(client, film);
      context.output.note(`${film.id} is cancelled; finished parts stay in ${film.workId} of ${projectId}.`);
    }
    throw error;
  }
}

type ApproveOptions = { readonly project: string; readonly output: string };

/** Resumes a film that waits for an approval, and follows it. Ctrl-C leaves it running. */
export async function approveFilm(context: Context, filmId: string, options: ApproveOptions): Promise<void> {
  const client = await signedInClient(context);
  const param = { projectId: options.project, filmId };
  const route = client.api.projects[":projectId"].films[":filmId"].approve;
  const film: Film = await unwrap(route.$post({ param, json: {} }));
  await finish(context, client, film, options.output);
}

async function finish(context: Context, client: Client, { id, projectId }: Film, output: string): Promise<void> {
  const report = stepLines(context);
  const film = await client.waitForFilm({ id, projectId }, { signal: context.signal, onProgress: report });
  if (film.status === "waiting") {
    const next =
      film.waitingFor === "approval" ? ` Continue with: reelwright approve ${id} --project ${projectId}` : "";
    throw new WaitsError(`${film.waitingReason ?? `The film waits for ${film.waitingFor}.`}${next}`, { film });
  }
  for (const { message } of film.warnings) context.output.note(`Warning: ${message}`);
  const { exportId } = film;
  if (exportId === undefined) throw new Error("The film has no video.");
  const { files = [] } = await client.waitForExport(exportId, { signal: context.signal });
  // a single video gets the name unchanged
  const videos = files.length === 1 ? files.map(({ size }) => ({ size })) : files;
  await downloadVideos(context, client, { id: exportId, files: videos, result: film }, output);
}

/** Prints a line for each step that begins, ends or fails. */
function stepLines({ output }: Context): (film: Film) => void {
  const known = new Map<string, string>();
  return ({ steps }) => {
    const ended = steps.filter(({ status }) => status === "done" || status === "skipped").length;
    for (const step of steps) {
      const before = known.get(step.id);
      known.set(step.id, step.status);
      if (step.status === before || step.status === "waiting" || step.status === "running") continue;
      output.note(`${`${ended}/${steps.length}`.padStart(6)}  ${lineOf(step)}`);
    }
  };
}

function lineOf({ id, status, attempts, cost }: Film["steps"][number]): string {
  const last = attempts.at(-1);
  const model = last?.provider && `by ${[last.provider, last.model].filter(Boolean).join(" ")}`;
  const seconds = last?.endedAt !== undefined && `${((last.endedAt - last.startedAt) / 1000).toFixed(1)} s`;
  const paid = Number(cost) > 0 && `${cost} USD`;
  return [id.padEnd(16), status, model, seconds, paid, last?.error?.message].filter(Boolean).join("  ");
}

const projectName = "Films";

/** The default project of films: found by its name, or created. */
export async function projectForFilms({ api }: Client): Promise<string> {
  const projects = await unwrap(api.projects.$get({ query: {} }));
  const found = projects.find(({ name }) => name === projectName);
  return found?.id ?? (await unwrap(api.projects.$post({ json: { name: projectName } }))).id;
}

function orderOf(text: string | undefined, options: FilmOptions): FilmOrder {
  const { budget, seconds, scenes, language, page, name, look, target, stopAt, model } = options;
  if (text === undefined && page === undefined)
    throw new UsageError("A film needs a brief, or --page with an address.");
  // the service validates the values, and reports errors
  return {
    brief: { ...(text !== undefined && { text }), ...(page !== undefined && { url: page }) },
    ...(name !== undefined && { name }),
    ...(look !== undefined && { look }),
    ...(seconds !== undefined && { seconds: Number(seconds) }),
    ...(scenes !== undefined && { scenes: Number(scenes) }),
    ...(language !== undefined && { language }),
    ...(target && { targets: target }),
    ...(stopAt && { stopAt }),
    ...(budget !== undefined && { budget: { limit: budget } }),
    ...(model && { models: Object.fromEntries(model.map(modelIn)) }),
  } as FilmOrder;
}

/** Parses `image=openai`, `image=openai/gpt-image-1` or `video=none`. */
export function modelIn(text: string): readonly [string, object | false] {
  const [, category, provider, model] = /^(\w+)=([^/]+)(?:\/(.+))?$/.exec(text) ?? [];
  if (!category) throw new UsageError(`${text} is no model: write image=openai or image=openai/MODEL.`);
  return [category, provider === "none" ? false : { provider, ...(model && { model }) }];
}

const keyNames = ["llm", "image", "video", "speech", "vision", "music"] as const;

export const keysIn = (env: NodeJS.ProcessEnv): FilmKeys => ({
  ...Object.fromEntries(keyNames.map((name) => [name, env[`REELWRIGHT_${name.toUpperCase()}_API_KEY`]])),
  any: env.REELWRIGHT_API_KEY,
});

const cancelTimeoutMs = 10_000;

async function cancel({ api }: Client, { id: filmId, projectId }: Film): Promise<void> {
  const init = { signal: AbortSignal.timeout(cancelTimeoutMs) };
  const route = api.projects[":projectId"].films[":filmId"].cancel;
  await unwrap(route.$post({ param: { projectId, filmId } }, { init })).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InterruptedError(`Interrupted, but ${filmId} may continue: ${reason}`);
  });
}
