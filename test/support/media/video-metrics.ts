import type { SceneMetrics, VideoMetrics } from "../../../src/engine/ports.ts";

/** Metrics of a video with scenes of these lengths, in seconds, and cuts between them. */
export function metricsOf(lengths: readonly number[], look: Partial<SceneMetrics> = {}): VideoMetrics {
  let end = 0;
  const scenes = lengths.map((length, index): SceneMetrics => {
    end += length;
    return {
      startSeconds: end - length,
      endSeconds: end,
      palette: ["#14213d", "#f77f00"],
      motion: 0.1,
      brightness: 0.4,
      ...(index < lengths.length - 1 && { transition: "cut" }),
      ...look,
    };
  });
  return { durationSeconds: end, scenes, palette: ["#14213d"], tempo: "medium", motion: 0.1, hasSound: true };
}
