import type { RenderCache } from "../../../src/domain/exports/renderer.ts";

/** A cache that is always empty. */
export const noRenderCache: RenderCache = {
  sizeOf: async () => undefined,
  linkTo: async () => false,
  put: async () => {},
  listProjects: async () => [],
  removeProject: async () => {},
};
