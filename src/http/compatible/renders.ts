import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { type ExportState, requireExportState } from "../../domain/exports/lifecycle/jobs.ts";
import { type EditType, ignoredOfEdit } from "../../domain/imports/import-edit.ts";
import { type Render, requestRender, requireRender } from "../../domain/renders/renders.ts";
import { isDomainError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import type { CallRoute } from "../call-route.ts";
import { statusOf } from "../response/error-status.ts";

export type CompatibleOptions = {
  readonly callRoute: CallRoute;
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

type RenderOrder = Parameters<typeof requestRender>[2];

/** Accepts a render in the project that the token names. Throws RouteFailed, and the errors of `requestRender`. */
export async function startRender(
  c: Context<AppEnv>,
  services: Services,
  { callRoute }: CompatibleOptions,
  order: Omit<RenderOrder, "projectId">,
): Promise<Render> {
  const { caller } = c.var;
  const projectId = await projectNamed(c, callRoute, caller.rendersInto ?? importedProject);
  return await requestRender(services, caller, { ...order, projectId });
}

/** Where the files of renders are for the caller. */
export const filesAt = (c: Context<AppEnv>, { internalUrls: urls }: Services, { publicUrl }: CompatibleOptions) => ({
  urls,
  baseUrl: publicUrl ?? new URL(c.req.url).origin,
});

/** A render, and its export once there is one. Throws not_found. */
export async function findRender(
  c: Context<AppEnv>,
  services: Services,
  id: string,
): Promise<readonly [Render, ExportState | undefined]> {
  const render = await requireRender(services, c.var.caller, id);
  if (render.state !== "exporting") return [render, undefined];
  return [render, await requireExportState(services.exports, render.userId, render.exportId)];
}

/** The status of an error in the answers of other APIs, which know no 422. */
export function statusOfFailure(error: Error): number {
  const status = error instanceof RouteFailed ? error.status : isDomainError(error) ? statusOf(error.code) : 500;
  return status === 422 ? 400 : status;
}
