import type { RenderCache } from "../../src/domain/exports/renderer.ts";

/** Every part is rendered, and none kept. */
export const nothingKept: RenderCache = {
  sizeOf: async () => undefined,
  read: async () => undefined,
  take: async () => false,
  put: async () => {},
};
