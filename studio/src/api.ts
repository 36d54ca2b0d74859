import { hc, type InferResponseType } from "hono/client";
import type { Api as Routes, Rpc } from "../../client/src/api.ts";
import { ApiError, readError } from "../../client/src/errors.ts";
import { unwrap } from "../../client/src/unwrap.ts";
import { t } from "./words.ts";

export { ApiError } from "../../client/src/errors.ts";
export { unwrap };

/** Without it the service refuses changes: no page of another site can send it. */
export const pageHeader = { "x-reelwright-page": "1" };

/** The login is a cookie, which no script reads. */
const page = {
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(pageHeader)) headers.set(name, value);
    return fetch(path, { ...init, headers });
  },
};

// of the client only what the page calls: it uploads and waits by means of the browser. Safe because hc calls with a URL
export const { api }: Rpc = hc<Routes>(location.origin, { fetch: page.fetch as typeof fetch });

type Frames = Api["export"]["frame"]["$post"];

/** The address of a frame as the service draws it, for this page. */
export async function drawFrame(
  json: ExportRequest,
  query: Parameters<Frames>[0]["query"],
  init: RequestInit = {},
): Promise<string> {
  const answer = await unwrap(api.export.frame.$post({ json, query }, { init }));
  return URL.createObjectURL(await answer.blob());
}

/** Sends a form, which the types of the routes do not know, and reads the answer. */
export async function sendForm<Answer>(
  path: string,
  fields: Readonly<Record<string, string | Blob>>,
  init: RequestInit = {},
): Promise<Answer> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const response = await page.fetch(path, { ...init, method: "POST", body });
  if (!response.ok) throw await readError(response);
  return await response.json();
}

/** Unlike those of `crypto.randomUUID`, there on addresses without TLS, too. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");

type Api = typeof api;
type ProjectRoutes = Api["projects"][":projectId"];

export type User = InferResponseType<Api["auth"]["me"]["$get"], 200>;
export type Project = InferResponseType<Api["projects"]["$get"], 200>[number];
export type Film = InferResponseType<ProjectRoutes["films"][":filmId"]["$get"], 200>;
export type Step = Film["steps"][number];
export type Work = InferResponseType<ProjectRoutes["works"][":workId"]["$get"], 200>;
export type Preview = InferResponseType<Api["export"]["preview"]["$post"], 200>;
export type ExportRequest = Parameters<Api["export"]["preview"]["$post"]>[0]["json"];
export type Asset = InferResponseType<ProjectRoutes["assets"]["$get"], 200>["assets"][number];
export type Review = InferResponseType<ProjectRoutes["works"][":workId"]["reviews"]["$get"], 200>[number];
export type WorkComment = InferResponseType<ProjectRoutes["works"][":workId"]["comments"]["$get"], 200>[number];
/** A film as a reviewer sees it. */
export type SharedReview = InferResponseType<Api["reviews"][":secret"]["$get"], 200>;
export type { Batch, BatchFilm, BatchOrder, BatchReport } from "../../client/src/api.ts";
/** A film of one target may leave its name out. */
export type Target = Exclude<Film["files"][number]["target"], "">;

export const formats: readonly Target[] = ["9:16", "4:5", "1:1", "16:9"];

/** The sentence of an error for a person. */
export const sentenceOf = (error: unknown, offline = t("offline")): string =>
  error instanceof TypeError ? offline : String(error instanceof Error ? error.message : error);

export const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined);

/** Sentences by the first part of their fields' paths. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError) || error.code !== "validation_error") return {};
  return Object.fromEntries(error.details.map(({ path, message }) => [path.split(".").at(-1) ?? "", message]));
}
