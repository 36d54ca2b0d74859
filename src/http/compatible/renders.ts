import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { type EditType, ignoredOfEdit } from "../../domain/imports/import-edit.ts";
import { operationView, requireOperation, startOperation } from "../../domain/operations/operations.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import type { CallRoute } from "../call-route.ts";
import type { DeferredRequests } from "../operations/respond-async.ts";

export type CompatibleOptions = {
  readonly callRoute: CallRoute;
  readonly deferredRequests: DeferredRequests;
  /** The base URL for callers; by default, the request's. */
  readonly publicUrl?: string | undefined;
};

/** Accepts the key of another API, which is a token of this service. */
export const keyAsToken = createMiddleware<AppEnv>((c, next) => {
  const key = c.req.header("x-api-key");
  if (key !== undefined && c.req.header("authorization") === undefined) {
    const headers = new Headers(c.req.raw.headers);
    headers.set("authorization", `Bearer ${key}`);
    c.req.raw = new Request(c.req.raw, { headers });
  }
  return next();
});

/** A failed call of a route, with its answer. */
export class RouteFailed extends Error {
  override readonly name = "RouteFailed";

  constructor(
    readonly status: number,
    readonly answer: { readonly error?: string; readonly code?: string },
  ) {
    super(answer.error ?? "The request failed.");
  }
}

/** Calls a route of this service for the caller of a request. Throws RouteFailed. */
export async function sendTo(
  c: Context<AppEnv>,
  callRoute: CallRoute,
  method: string,
  path: string,
  json?: object,
): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const request = new Request(new URL(path, c.req.url), { method, ...(json && { headers, body: "{}" }) });
  const response = await callRoute(c, { request, ...(json && { json }) });
  const answer: unknown = response.status === 204 ? {} : await response.json();
  if (!response.ok) throw new RouteFailed(response.status, answer as RouteFailed["answer"]);
  return answer;
}

const Project = z.looseObject({ id: z.string(), name: z.string() });

/** The project of a name, which is made if there is none. */
export async function projectNamed(c: Context<AppEnv>, callRoute: CallRoute, name: string): Promise<string> {
  const projects = z.array(Project).parse(await sendTo(c, callRoute, "GET", "/api/projects?limit=1000"));
  const found = projects.find((project) => project.name === name);
  return (found ?? Project.parse(await sendTo(c, callRoute, "POST", "/api/projects", { name }))).id;
}

export const importedProject = "Imported";

/** What an edit asks for and a film cannot have; empty for an edit that can be rendered as it is meant. */
export const unsupportedIn = (edit: unknown, type: EditType, allowed: (path: string) => boolean) =>
  ignoredOfEdit(edit, type).filter(({ path }) => !allowed(path));

const Work = z.looseObject({ id: z.string(), missingMedia: z.array(z.string()) });

/** Those of the routes that a render calls. */
const scopes = ["projects:read", "projects:write", "works:read", "works:write"] as const;

/**
 * Starts to import and to render an edit, and returns the id of the render: the operation, whose response is that of the
 * export. Throws RouteFailed, and rate_limited if too many run.
 */
export async function startRender(
  c: Context<AppEnv>,
  services: Services,
  { callRoute, deferredRequests }: CompatibleOptions,
  { edit, type }: { readonly edit: object; readonly type: EditType },
): Promise<string> {
  const projectId = await projectNamed(c, callRoute, c.var.caller.rendersInto ?? importedProject);
  const { operation, end } = await startOperation(services, c.var.caller, scopes, () => {});
  const run = async (): Promise<Response> => {
    try {
      const path = `/api/projects/${projectId}/works/from-edit?type=${type}`;
      const work = Work.parse(await sendTo(c, callRoute, "POST", path, edit));
      const [missing] = work.missingMedia;
      if (missing !== undefined) throw new RouteFailed(422, { error: `The file ${missing} could not be had.` });
      const request = { projectId, workId: work.id };
      const job = await sendTo(c, callRoute, "POST", "/api/exports", request);
      await end({ status: 202, body: JSON.stringify(job) });
    } catch (error) {
      const failed =
        error instanceof RouteFailed ? error : new RouteFailed(500, { error: "Something broke on our side." });
      if (!(error instanceof RouteFailed)) c.var.logError(error);
      await end({ status: failed.status, body: JSON.stringify(failed.answer) });
    }
    return new Response();
  };
  const running = run();
  deferredRequests.track(running);
  return operation.id;
}

const ExportJob = z.looseObject({
  id: z.string(),
  status: z.string(),
  format: z.string(),
  error: z.string().optional(),
  url: z.string().optional(),
  posterUrl: z.string().optional(),
  size: z.number().optional(),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  files: z.array(z.looseObject({ width: z.number(), height: z.number() })).optional(),
});

export type RenderState = {
  readonly id: string;
  readonly status: "fetching" | "queued" | "rendering" | "done" | "failed";
  readonly error?: string | undefined;
  readonly url?: string | undefined;
  readonly posterUrl?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly format?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly renderMs: number;
};

const ErrorAnswer = z.looseObject({ error: z.string() });

/** The state of a render. Throws not_found. */
export async function renderState(
  c: Context<AppEnv>,
  services: Services,
  { callRoute, publicUrl }: CompatibleOptions,
  id: string,
): Promise<RenderState> {
  const {
    status,
    response,
    error,
    createdAt,
    endedAt = createdAt,
  } = operationView(await requireOperation(services, c.var.caller, id));
  const begun = { id, createdAt, updatedAt: endedAt, renderMs: 0 };
  if (status === "running") return { ...begun, status: "fetching" };
  if (status === "error") return { ...begun, status: "failed", error: ErrorAnswer.parse(error).error };
  const job = ExportJob.parse(await sendTo(c, callRoute, "GET", `/api/exports/${ExportJob.parse(response).id}`));
  const base = publicUrl ?? new URL(c.req.url).origin;
  const [file] = job.files ?? [];
  const states = { queued: "queued", rendering: "rendering", done: "done" } as const;
  return {
    ...begun,
    status: states[job.status as "done"] ?? "failed",
    ...(job.status === "cancelled" && { error: "The render was cancelled." }),
    ...(job.error && { error: job.error }),
    ...(job.url && { url: base + job.url }),
    ...(job.posterUrl && { posterUrl: base + job.posterUrl }),
    sizeBytes: job.size,
    format: job.format,
    width: file?.width,
    height: file?.height,
    updatedAt: job.finishedAt ?? job.startedAt ?? job.createdAt,
    renderMs: Math.max(0, (job.finishedAt ?? Date.now()) - (job.startedAt ?? Date.now())),
  };
}
