import { createMiddleware } from "hono/factory";
import { SceneIndex } from "../../domain/shared/schemas.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

/** The number of a scene in a path, written in one way only, so that each scene has one address. */
export function requireSceneIndex(text: string): number {
  const parsed = SceneIndex.safeParse(/^(0|[1-9]\d*)$/.test(text) ? Number(text) : undefined);
  if (!parsed.success) throw new DomainError("not_found", {});
  return parsed.data;
}

/** After the owner was asked for: a path that names no possible scene leads nowhere. */
export const sceneInPath = createMiddleware<AppEnv>(async (c, next) => {
  c.set("sceneIndex", requireSceneIndex(c.req.param("sceneIndex") ?? ""));
  await next();
});
