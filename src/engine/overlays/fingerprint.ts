import { sha256Of } from "../../platform/values.ts";
import type { DrawnOverlay } from "../compiler/video/overlays.ts";
import type { CaptionState, Overlay } from "../timeline/overlay.ts";
import type { FrameRate } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { bitmapStarts, motionOf } from "./animation.ts";

/** Overlays for a cache key, with fingerprints in place of file paths, so that nothing has to be drawn. */
export const describeOverlays = (
  overlays: readonly Overlay[],
  canvas: Canvas,
  rate: FrameRate,
  textEngine: string,
): readonly DrawnOverlay[] =>
  overlays.map((overlay) => ({
    pattern: overlayFingerprint(overlay, canvas, rate, textEngine),
    box: { x: 0, y: 0, ...canvas },
    range: overlay.range,
    starts: bitmapStarts(overlay, rate, canvas.height),
  }));

/**
 * Hashes everything that determines the bitmaps of an overlay on a canvas of one size. Images and project fonts count
 * by their content hash, because the same content may be stored as several files. The times of a caption's bitmaps do
 * not change them. `textEngine` identifies everything else that determines the pixels of a text.
 */
export function overlayFingerprint(overlay: Overlay, canvas: Canvas, rate: FrameRate, textEngine: string): string {
  const { content, opacity, rotationDegrees, within } = overlay;
  const motion = motionOf(overlay, rate, canvas.height);
  const pixels = content.kind === "caption" ? { ...content, states: content.states.map(withoutStart) } : content;
  const description = JSON.stringify([textEngine, pixels, opacity, rotationDegrees, within, motion], (key, value) =>
    key === "file" || key === "sizeBytes" ? undefined : value,
  );
  return sha256Of(description);
}

const withoutStart = ({ start: _, ...state }: CaptionState): Omit<CaptionState, "start"> => state;
