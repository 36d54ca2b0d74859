import type { RenderCache } from "../../../src/engine/ports.ts";
import type { LeasePorts } from "../../../src/platform/leases.ts";

/** A cache that is always empty. */
export const noRenderCache: RenderCache = {
  sizeOf: async () => undefined,
  find: async () => new Set(),
  linkTo: async () => false,
  put: async () => {},
  listProjects: async () => [],
  removeProject: async () => {},
};

/** Leases that are always free, for one job at a time. */
export const freeLeases: LeasePorts["leases"] = {
  acquire: async () => true,
  renew: async () => [],
  release: async () => {},
};
