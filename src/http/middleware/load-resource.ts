import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { requireAsset } from "../../domain/assets/assets.ts";
import type { Services } from "../../domain/services.ts";
import { isId } from "../../domain/shared/ids.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

/** After `needs`: finds the caller's project named in the path, before the body is looked at. */
export const loadProject = ({ projects }: Pick<Services, "projects">) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const id = c.req.param("projectId") ?? "";
    c.set("project", requireFound(isId("proj", id) ? await projects.find(c.var.caller.user.id, id) : undefined));
    await next();
  });

type WorkName = { readonly projectId?: string; readonly workId?: string };

/** Finds the caller's project and the work in it, wherever the request names them. */
export const loadWorkNamedBy = (
  { projects, works }: Pick<Services, "projects" | "works">,
  nameIn: (c: Context<AppEnv>) => WorkName | Promise<WorkName>,
) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { projectId = "", workId = "" } = await nameIn(c);
    if (!isId("proj", projectId) || !isId("work", workId)) throw new DomainError("not_found", {});
    const [project, work] = await Promise.all([
      projects.find(c.var.caller.user.id, projectId),
      works.find(projectId, workId),
    ]);
    c.set("project", requireFound(project));
    c.set("work", requireFound(work));
    await next();
  });

/** After `needs`: finds the caller's project and the work in it, both named in the path. */
export const loadWork = (services: Pick<Services, "projects" | "works">) =>
  loadWorkNamedBy(services, (c) => ({ projectId: c.req.param("projectId"), workId: c.req.param("workId") }));

/** After `ownProject`: finds the project's asset named in the path. */
export const loadAsset = ({ assets }: Pick<Services, "assets">) =>
  createMiddleware<AppEnv>(async (c, next) => {
    c.set("asset", await requireAsset(assets, c.var.project.id, c.req.param("assetId") ?? ""));
    await next();
  });
