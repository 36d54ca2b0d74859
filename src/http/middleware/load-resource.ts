import type { Context, MiddlewareHandler } from "hono";
import { isId } from "../../domain/shared/ids.ts";
import { SceneIndex } from "../../domain/shared/schemas.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import { requireTemplate } from "../../domain/templates/templates.ts";
import { DomainError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { described } from "../openapi.ts";

/*
 * These run after `requireScopes` and before the body is read or validated. They throw not_found for a resource that
 * does not exist, belongs to another user, or is not inside the parent that the path names.
 */

async function findProject(c: Context<AppEnv>, projects: Services["projects"], id: string) {
  const foundProject = c.get("foundProject");
  return foundProject?.id === id ? foundProject.project : await projects.find(c.get("caller").user.id, id);
}

export const loads = (load: MiddlewareHandler<AppEnv>) => described({ errors: ["not_found"] }, load);

async function setProject(c: Context<AppEnv>, projects: Services["projects"]): Promise<void> {
  const id = c.req.param("projectId") ?? "";
  c.set("project", requireFound(isId("proj", id) ? await findProject(c, projects, id) : undefined));
}

/** Sets `project` from the path. */
export const loadProject = ({ projects }: Pick<Services, "projects">) =>
  loads(async (c, next) => {
    await setProject(c, projects);
    await next();
  });

type WorkIds = { readonly projectId?: string | undefined; readonly workId?: string | undefined };

/** Sets `project` and `work` from the ids that `readIds` finds in the request. */
export const loadWorkFrom = (
  { projects, works }: Pick<Services, "projects" | "works">,
  readIds: (c: Context<AppEnv>) => WorkIds | Promise<WorkIds>,
) =>
  loads(async (c, next) => {
    const { projectId = "", workId = "" } = await readIds(c);
    if (!isId("proj", projectId) || !isId("work", workId)) throw new DomainError("not_found", {});
    const [project, work] = await Promise.all([findProject(c, projects, projectId), works.find(projectId, workId)]);
    c.set("project", requireFound(project));
    c.set("work", requireFound(work));
    await next();
  });

/** Sets `project` and `work` from the path. */
export const loadWork = (services: Pick<Services, "projects" | "works">) =>
  loadWorkFrom(services, (c) => ({ projectId: c.req.param("projectId"), workId: c.req.param("workId") }));

async function findAsset(c: Context<AppEnv>, assets: Services["assets"]) {
  const projectId = c.req.param("projectId") ?? "";
  const assetId = c.req.param("assetId") ?? "";
  if (!isId("proj", projectId) || !isId("asset", assetId)) return undefined;
  const foundAsset = c.get("foundAsset");
  return foundAsset ? foundAsset.asset : await assets.findOfUser(c.get("caller").user.id, { projectId, assetId });
}

/** Sets `asset` from the path. */
export const loadAsset = ({ assets }: Pick<Services, "assets">) =>
  loads(async (c, next) => {
    c.set("asset", requireFound(await findAsset(c, assets)));
    await next();
  });

/** Sets `project` and `template` from the path. */
export const loadTemplate = ({ projects, templates }: Pick<Services, "projects" | "templates">) =>
  loads(async (c, next) => {
    await setProject(c, projects);
    c.set("template", await requireTemplate(templates, c.var.project.id, c.req.param("templateId") ?? ""));
    await next();
  });

/** Parses a scene index in canonical form only (no `01`), so that each scene has one URL; else not_found. */
export function parseSceneIndex(text: string): number {
  const parsed = SceneIndex.safeParse(/^(0|[1-9]\d*)$/.test(text) ? Number(text) : undefined);
  if (!parsed.success) throw new DomainError("not_found", {});
  return parsed.data;
}

/** Sets `sceneIndex` from the path. Runs after the ownership check. */
export const loadSceneIndex = described({ errors: ["not_found"] }, async (c, next) => {
  c.set("sceneIndex", parseSceneIndex(c.req.param("sceneIndex") ?? ""));
  await next();
});
