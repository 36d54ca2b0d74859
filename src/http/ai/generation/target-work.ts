import type { Context } from "hono";
import { assertScopes } from "../../../domain/accounts/caller.ts";
import type { Scope } from "../../../domain/accounts/scopes.ts";
import { isId } from "../../../domain/shared/ids.ts";
import { requireFound } from "../../../domain/shared/versioned.ts";
import type { Services } from "../../../services.ts";
import type { AppEnv } from "../../app-env.ts";
import { loads, loadWorkFrom } from "../../middleware/load-resource.ts";
import { readJsonBody } from "../../request/json-body.ts";
import { GenerationTarget } from "./schemas.ts";

/** Sets `targetWork` if the body names a work to store the result in, which also needs `works:write`. */
export function loadTargetWork(services: Pick<Services, "projects" | "works">) {
  const readTarget = async (c: Context<AppEnv>) => GenerationTarget.parse(await readJsonBody(c));
  const loadNamedWork = loadWorkFrom(services, readTarget);
  return loads(async (c, next) => {
    if ((await readTarget(c)).workId === undefined) return next();
    assertScopes(c.var.caller, ["works:write"]);
    return loadNamedWork(c, async () => {
      c.set("targetWork", { project: c.var.project, work: c.var.work });
      await next();
    });
  });
}

/** Sets `project` if the body names one; `scopes` are those needed in addition to the route's. */
export const loadNamedProject = ({ projects }: Pick<Services, "projects">, scopes: readonly Scope[] = []) =>
  loads(async (c, next) => {
    const body = await readJsonBody(c);
    const projectId = body && typeof body === "object" && "projectId" in body ? body.projectId : undefined;
    if (projectId === undefined || projectId === null) return next();
    const caller = c.get("caller");
    assertScopes(caller, scopes);
    const id = typeof projectId === "string" && isId("proj", projectId) ? projectId : undefined;
    const found = id === undefined ? undefined : await projects.find(caller.user.id, id);
    c.set("project", requireFound(found));
    await next();
  });
