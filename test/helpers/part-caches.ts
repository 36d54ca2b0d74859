import type { PartCache } from "../../src/domain/exports/renderer.ts";

/** Every part is rendered, and none kept. */
export const nothingKept: PartCache = {
  sizeOf: async () => undefined,
  read: async () => undefined,
  take: async () => false,
  put: async () => {},
};
