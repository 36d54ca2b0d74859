import type { DrawnOverlay } from "../compiler/layers.ts";
import type { Overlay } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import type { FrameRate } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";

export type DrawingOptions = {
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  /** Takes the numbered PNG files. */
  readonly folder: string;
  /** Answers a local path. */
  openFile(source: Source): Promise<string>;
  readonly signal?: AbortSignal;
};

/** Draws overlays as bitmaps, in paint order. Those that would show nothing are left out. */
export async function drawOverlays(
  _overlays: readonly Overlay[],
  _options: DrawingOptions,
): Promise<readonly DrawnOverlay[]> {
  return [];
}
