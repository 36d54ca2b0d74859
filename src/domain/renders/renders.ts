import { DomainError, isDomainError, isUnavailable } from "../../errors.ts";
import { RetryAfterError } from "../../platform/async.ts";
import { type LeasePorts, outageProofLeaseMs, takeLease } from "../../platform/leases.ts";
import { assertScopes, type Caller } from "../accounts/caller.ts";
import type { Scope } from "../accounts/scopes.ts";
import type { UserStore } from "../accounts/users.ts";
import { newExportId } from "../exports/lifecycle/jobs.ts";
import { type RequestExportPorts, requestExport } from "../exports/lifecycle/request.ts";
import type { Fetcher } from "../files/fetcher.ts";
import { type Checkpoints, noCheckpoints } from "../idempotency/checkpoints.ts";
import { type ImportEditPorts, importEdit } from "../imports/import-edit.ts";
import type { Project, ProjectStore } from "../projects/projects.ts";
import { isId, newId } from "../shared/ids.ts";
import { requireFound } from "../shared/versioned.ts";

type RenderApi = "shotstack" | "creatomate";

/** An order of a client of another service: its edit becomes a work, and the work an export. */
export type Render = {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly api: RenderApi;
  readonly scopes: readonly Scope[];
  /** Absent once the work is imported. */
  readonly edit?: object;
  /** Fields of the order that its answers repeat. */
  readonly repeated: { readonly [name: string]: unknown };
  readonly webhookUrl?: string;
  readonly workId?: string;
  /** Known before the export exists, so that a later attempt finds it. */
  readonly exportId: string;
  readonly state: "importing" | "exporting" | "failed";
  readonly error?: string;
  readonly attempt: number;
  readonly createdAt: number;
  readonly endedAt?: number;
  readonly expiresAt: number;
};

export type RenderStore = {
  /** Enqueues its import. Returns false if the user already imports `maxRunning`. */
  add(render: Render, maxRunning: number): Promise<boolean>;
  find(userId: string, renderId: string): Promise<Render | undefined>;
  /** Counts an attempt. Undefined for a render that is imported, has failed, or was removed. */
  acquire(renderId: string): Promise<Render | undefined>;
  save(renderId: string, changes: Partial<Pick<Render, "workId" | "attempt">>): Promise<void>;
  /** The export tells how the render ends. */
  startExport(renderId: string): Promise<void>;
  /** Ends it, and enqueues its event. */
  fail(render: Render, error: string, now: number): Promise<void>;
  removeExpired(now: number): Promise<number>;
};

/** Scopes of the routes whose work a render does. */
const renderScopes = ["projects:read", "projects:write", "works:read", "works:write"] as const;

const keptMs = 24 * 60 * 60 * 1000;
const maxRunning = 20;

type RenderOrder = Pick<Render, "projectId" | "api" | "repeated"> &
  Required<Pick<Render, "edit">> & { readonly webhookUrl?: string | undefined };

/** Accepts an order. Throws insufficient_scope, rate_limited, and url_not_allowed for its webhook. */
export async function requestRender(
  ports: { readonly renders: Pick<RenderStore, "add">; readonly fetcher: Pick<Fetcher, "resolveHost"> },
  caller: Caller,
  { webhookUrl, ...order }: RenderOrder,
): Promise<Render> {
  assertScopes(caller, renderScopes);
  if (webhookUrl !== undefined) await ports.fetcher.resolveHost(webhookUrl, { path: "webhook.url" });
  const createdAt = Date.now();
  const render: Render = {
    ...order,
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...{ id: newId("render"), userId: caller.user.id, scopes: caller.scopes, exportId: newExportId() },
    ...{ state: "importing", attempt: 0, createdAt, expiresAt: createdAt + keptMs },
  };
  if (await ports.renders.add(render, maxRunning)) return render;
  throw new DomainError("rate_limited", { retryAfterSeconds: 10 });
}

/** The caller's own render. Throws not_found, and insufficient_scope without the scopes of its order. */
export async function requireRender(
  { renders }: { readonly renders: Pick<RenderStore, "find"> },
  caller: Caller,
  renderId: string,
): Promise<Render> {
  const render = requireFound(isId("render", renderId) ? await renders.find(caller.user.id, renderId) : undefined);
  assertScopes(caller, renderScopes);
  return render;
}

type AdvancePorts = LeasePorts &
  ImportEditPorts &
  RequestExportPorts & {
    readonly renders: Pick<RenderStore, "acquire" | "save" | "startExport" | "fail">;
    readonly users: Pick<UserStore, "find">;
    readonly projects: Pick<ProjectStore, "find">;
  };

/** An edit whose import ends its process each time is given up. */
const maxAttempts = 5;

const brokenMessage = "Something broke on our side.";

/**
 * Job handler: imports the edit of a render and orders its export, from where an earlier attempt has stopped. Throws if
 * the queue must call again.
 */
export async function advanceRender(
  ports: AdvancePorts,
  renderId: string,
  stopped: AbortSignal,
  logError: (error: unknown) => void = () => {},
): Promise<void> {
  const lease = await takeLease(ports, [`render/${renderId}`], { leaseMs: outageProofLeaseMs });
  if (!lease) throw new RetryAfterError("The render is being imported.", 1);
  try {
    const render = await ports.renders.acquire(renderId);
    const user = render && (await ports.users.find(render.userId));
    const project = user && (await ports.projects.find(user.id, render.projectId));
    // a render of a removed account or project sends no webhook
    if (!render || !user || !project) return;
    if (render.attempt > maxAttempts) return await ports.renders.fail(render, brokenMessage, Date.now());
    try {
      const missing = await startExport(ports, render, { user, project }, stopped);
      if (missing === undefined) await ports.renders.startExport(renderId);
      else await ports.renders.fail(render, `The file ${missing} could not be had.`, Date.now());
    } catch (error) {
      stopped.throwIfAborted();
      if (isForLater(error)) {
        await ports.renders.save(renderId, { attempt: 0 });
        throw new RetryAfterError("The service is busy.", 5);
      }
      if (!isDomainError(error)) logError(error);
      await ports.renders.fail(render, isDomainError(error) ? error.message : brokenMessage, Date.now());
    }
  } finally {
    await lease.release();
  }
}

const isForLater = (error: unknown): boolean =>
  isUnavailable(error) || (isDomainError(error) && ["busy", "rate_limited"].includes(error.code));

/** Equal in all attempts: a process may end between the storing of a work and that of its id. */
const workIdOf = ({ id }: Render): string => id.replace(/^render_/, "work_");

type Owner = { readonly user: Caller["user"]; readonly project: Project };

/** Returns the address of a file that could not be had, without which nothing is exported. */
async function startExport(
  ports: AdvancePorts,
  render: Render,
  { user, project }: Owner,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { id, userId, projectId, api, scopes, edit = {}, webhookUrl, exportId } = render;
  const caller: Caller = { user, via: "login", scopes };
  let work = render.workId ? await ports.works.find(projectId, render.workId) : undefined;
  if (!work) {
    const order = { body: edit, type: api, workId: workIdOf(render) };
    const imported = await importEdit(ports, { caller, project }, order, { owner: userId, signal });
    const [missing] = imported.missingMedia;
    if (missing !== undefined) return missing;
    work = imported.work;
    await ports.renders.save(id, { workId: work.id });
  }
  const request = { projectId, workId: work.id, ...(webhookUrl !== undefined && { webhook: { url: webhookUrl } }) };
  const createOnce: Checkpoints["createOnce"] = async (_, { find, create }) =>
    (await find(exportId)) ?? (await create(exportId));
  await requestExport(ports, { caller, checkpoints: { ...noCheckpoints, createOnce } }, work, request);
  return undefined;
}
