import type { InferResponseType } from "hono/client";
import { connect } from "../../client/src/connect.ts";
import { ApiError } from "../../client/src/errors.ts";

export { ApiError } from "../../client/src/errors.ts";
export { unwrap } from "../../client/src/unwrap.ts";

/** Without it the service refuses changes: no page of another site can send it. */
export const pageHeader = { "x-reelwright-page": "1" };

/** The login is a cookie, which no script reads. */
export const { api } = connect(location.origin, {
  fetch(url, init = {}) {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(pageHeader)) headers.set(name, value);
    return fetch(url, { ...init, headers });
  },
});

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
/** A film of one target may leave its name out. */
export type Target = Exclude<Film["files"][number]["target"], "">;

/** The sentence of an error for a person, and where it belongs. */
export function sentenceOf(error: unknown, offline: string): string {
  if (ApiError[Symbol.hasInstance](error)) return (error as ApiError).message;
  return error instanceof TypeError ? offline : String(error instanceof Error ? error.message : error);
}

/** Sentences by the first part of their fields' paths. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError) || error.code !== "validation_error") return {};
  return Object.fromEntries(error.details.map(({ path, message }) => [path.split(".").at(-1) ?? "", message]));
}
