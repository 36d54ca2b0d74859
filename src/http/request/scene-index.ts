import { SceneIndex } from "../../domain/shared/schemas.ts";
import { DomainError } from "../../errors.ts";
import { described } from "../openapi.ts";

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
