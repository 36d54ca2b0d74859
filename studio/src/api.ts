import type { InferResponseType } from "hono/client";
import type { Rpc } from "../../client/src/api.ts";
import { ApiError, readError } from "../../client/src/errors.ts";
import { unwrap } from "../../client/src/unwrap.ts";
import { requestKeys } from "./request-keys.ts";
import { t } from "./words.ts";

export { ApiError } from "../../client/src/errors.ts";
export { newId } from "./request-keys.ts";
export { unwrap };

/** The service refuses changes without it: pages of other sites cannot send it. */
export const pageHeader = { "x-reelwright-page": "1" };

export const keyOf = requestKeys({
  // looked up at each call, because a browser without cookies throws
  getItem: (name) => sessionStorage.getItem(name),
  setItem: (name, value) => sessionStorage.setItem(name, value),
});

/** The login is a cookie that scripts cannot read. */
const page = {
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(pageHeader)) headers.set(name, value);
    const sent = keyOf({ ...init, url: path, headers });
    if (sent) headers.set("idempotency-key", sent.key);
    let response: Response | undefined;
    try {
      response = await fetch(path, { ...init, headers });
      return response;
    } finally {
      await sent?.end(response);
    }
  },
};

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;
type Input = { readonly param?: Fields; readonly query?: Fields; readonly header?: Fields; readonly json?: unknown };
type Options = { readonly headers?: Record<string, string>; readonly init?: RequestInit };

/** The part of hono's client that the page needs; the whole is three times as large. */
const routeAt = (path: string): unknown =>
  new Proxy(() => {}, {
    get: (_, name) => (name === "then" ? undefined : routeAt(`${path}/${String(name)}`)),
    apply: (_, __, [input, options]: [Input?, Options?]) => callRoute(path, input, options),
  });

function callRoute(path: string, { param = {}, query = {}, header = {}, json }: Input = {}, options: Options = {}) {
  const [, route = "", method = ""] = /^(.*)\/\$(\w+)$/.exec(path) ?? [];
  const url = new URL(
    route.replace(/:(\w+)/g, (_, name: string) => `${param[name]}`),
    location.origin,
  );
  for (const [name, values] of Object.entries(query))
    for (const value of [values ?? []].flat()) url.searchParams.append(name, value);
  if (method === "url") return url;
  const headers = new Headers(options.headers);
  for (const [name, value] of Object.entries(header)) if (value !== undefined) headers.set(name, `${value}`);
  if (json !== undefined) headers.set("content-type", "application/json");
  const body = json === undefined ? null : JSON.stringify(json);
  return page.fetch(url.href, { method: method.toUpperCase(), headers, body, ...options.init });
}

// safe because its routes are called as hono's client calls them
export const api = routeAt("/api") as Rpc["api"];

type Frames = Api["export"]["frame"]["$post"];

/** Requests a frame drawn by the service, and returns a URL for this page. */
export async function drawFrame(
  json: ExportRequest,
  query: Parameters<Frames>[0]["query"],
  init: RequestInit = {},
): Promise<string> {
  const answer = await unwrap(api.export.frame.$post({ json, query }, { init }));
  return URL.createObjectURL(await answer.blob());
}

/** Sends a form, which the types of the routes do not describe, and reads the answer. */
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
/** A video as a reviewer sees it. */
export type SharedReview = InferResponseType<Api["reviews"][":secret"]["$get"], 200>;
export type { Batch, BatchFilm, BatchOrder, BatchReport } from "../../client/src/api.ts";
/** A target; films with a single target may omit its name. */
export type Target = Exclude<Film["files"][number]["target"], "">;

export const formats: readonly Target[] = ["9:16", "4:5", "1:1", "16:9"];

/** The sentence of an error, for people. */
export const sentenceOf = (error: unknown, offline = t("offline")): string =>
  error instanceof TypeError ? offline : String(error instanceof Error ? error.message : error);

export const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined);

/** Error sentences by the first part of their fields' paths. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError) || error.code !== "validation_error") return {};
  return Object.fromEntries(error.details.map(({ path, message }) => [path.split(".").at(-1) ?? "", message]));
}
