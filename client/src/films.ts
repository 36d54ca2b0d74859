import type { Film, FilmOrder } from "./api.ts";
import type { Connection } from "./connection.ts";
import { FilmFailedError, readError } from "./errors.ts";
import { withRetries } from "./retry.ts";
import { lastState, type WaitOptions } from "./wait.ts";

/** Provider keys; `any` is for the one provider without a key of its own. */
export type FilmKeys = {
  readonly [Name in "llm" | "image" | "video" | "speech" | "vision" | "music" | "any"]?: string | undefined;
};

export type OrderFilmOptions = {
  readonly keys?: FilmKeys | undefined;
  /** Two orders with the same key are one film; by default, each call has a new key. */
  readonly idempotencyKey?: string | undefined;
};

/** The headers of keys. */
export const headersOf = (keys: FilmKeys): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(keys).flatMap(([name, key]) =>
      key ? [[name === "any" ? "x-api-key" : `x-${name}-api-key`, key]] : [],
    ),
  );

const orderAttempts = 5;

/** Orders a film. An order whose answer was lost is retried with the same key, so that no second film begins. */
export async function orderFilm(
  connection: Connection,
  projectId: string,
  order: FilmOrder,
  { keys = {}, idempotencyKey = crypto.randomUUID() }: OrderFilmOptions = {},
): Promise<Film> {
  const headers = {
    "content-type": "application/json",
    "idempotency-key": idempotencyKey,
    ...headersOf(keys),
  };
  const send = async (): Promise<Film> => {
    const init = { method: "POST", headers, body: JSON.stringify(order) };
    const response = await connection.fetch(`/api/projects/${encodeURIComponent(projectId)}/films`, init);
    if (!response.ok) throw await readError(response);
    return await response.json();
  };
  return await withRetries(send, { attempts: orderAttempts });
}

type FilmReference = Pick<Film, "id" | "projectId">;

/** True unless the film resumes automatically, as it does after waiting for a provider. */
const isAtRest = ({ status, waitingFor }: Film) =>
  status === "done" ||
  status === "error" ||
  status === "cancelled" ||
  (status === "waiting" && waitingFor !== "provider");

/** Merges an event: an event of a step contains only that step. */
function merge(known: Film | undefined, data: Film & { readonly step?: Film["steps"][number] }): Film {
  const { step, ...film } = data;
  if (!step || !known) return film;
  return { ...known, ...film, steps: known.steps.map((each) => (each.id === step.id ? step : each)) };
}

/**
 * Waits until a film is done, or waits for its owner: its `waitingReason` then says what to do. Follows its events like
 * `waitForExport`. Throws FilmFailedError if it has failed or was cancelled.
 */
export async function waitForFilm(
  connection: Connection,
  { projectId, id }: FilmReference,
  options: WaitOptions<Film> = {},
): Promise<Film> {
  const path = `/api/projects/${encodeURIComponent(projectId)}/films/${encodeURIComponent(id)}`;
  const film = await lastState<Film>(connection, { path, hasEnded: isAtRest, merge }, options);
  if (film.status === "error" || film.status === "cancelled") throw new FilmFailedError(film);
  return film;
}
