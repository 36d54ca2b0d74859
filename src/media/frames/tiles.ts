import type { Canvas } from "../../timeline/timeline.ts";

const maxTileSide = 320;

/** The size of a frame on a contact sheet. */
export function tileSize({ width, height }: Canvas): Canvas {
  const scale = Math.min(1, maxTileSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
