import type { ApplyGlobalResponse, hc, InferResponseType } from "hono/client";
import type { createApp } from "../../src/app.ts";
import type { ErrorBody, ErrorStatus } from "../../src/http/response/error-response.ts";

export type { ErrorBody };

/** All routes, and the error responses that any of them may return. */
export type Api = ApplyGlobalResponse<ReturnType<typeof createApp>, { [Status in ErrorStatus]: { json: ErrorBody } }>;

/** The routes as functions. The build of the package writes this type out (scripts/client/flatten.ts). */
export type Rpc = Pick<ReturnType<typeof hc<Api>>, "api">;

type Exports = Rpc["api"]["exports"];
type Project = Rpc["api"]["projects"][":projectId"];

/** An export as the service describes it. */
export type ExportJob = InferResponseType<Exports[":exportId"]["$get"], 200>;

/** A film as the service describes it. */
export type Film = InferResponseType<Project["films"][":filmId"]["$get"], 200>;

/** The order of a film. */
export type FilmOrder = Parameters<Project["films"]["$post"]>[0]["json"];

type Batches = Project["batches"];

/** A table of films as the service describes it. */
export type Batch = InferResponseType<Batches[":batchId"]["$get"], 200>;

/** A film of a batch. */
export type BatchFilm = InferResponseType<Batches[":batchId"]["films"]["$get"], 200>["films"][number];

/** The report about a table. */
export type BatchReport = InferResponseType<Batches["validate"]["$post"], 200>;

type NewBatch = Parameters<Batches["$post"]>[0]["json"];

/** The order of a batch; its rows may be in a file. */
export type BatchOrder = Omit<NewBatch, "rows"> & { readonly rows?: NewBatch["rows"] };

/** An uploaded asset. */
export type Asset = InferResponseType<Project["assets"]["$post"], 201>;

/** The tokens of a login. */
export type Tokens = Pick<
  InferResponseType<Rpc["api"]["auth"]["refresh"]["$post"], 200>,
  "accessToken" | "refreshToken"
>;
