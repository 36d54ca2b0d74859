import { createHash } from "node:crypto";
import type { DrawnOverlay } from "../../compiler/video/overlays.ts";
import type { Overlay } from "../../timeline/overlay.ts";
import type { FrameRate } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { type Motion, motionOf } from "./animation.ts";

/** Overlays for a cache key, with fingerprints in place of file paths, so that nothing has to be drawn. */
export const describeOverlays = (
  overlays: readonly Overlay[],
  canvas: Canvas,
  rate: FrameRate,
  textEngine: string,
): readonly DrawnOverlay[] =>
  overlays.map((overlay) => {
    const motion = motionOf(overlay, rate, canvas.height);
    return {
      pattern: overlayFingerprint(overlay, motion, textEngine),
      box: { x: 0, y: 0, ...canvas },
      range: overlay.range,
      intro: motion.intro.length,
      outro: motion.outro.length,
    };
  });

/**
 * Hashes everything that determines the bitmaps of an overlay on a canvas of one size. Images and project fonts count
 * by their content hash, because the same content may be stored as several files. `textEngine` identifies everything
 * else that determines the pixels of a text.
 */
export function overlayFingerprint(
  { content, opacity, rotationDegrees, within }: Overlay,
  motion: Motion,
  textEngine: string,
): string {
  const description = JSON.stringify([textEngine, content, opacity, rotationDegrees, within, motion], (key, value) =>
    key === "file" ? undefined : value,
  );
  return createHash("sha256").update(description).digest("hex");
}
