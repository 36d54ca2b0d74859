import { sum, toThousandths } from "../../platform/values.ts";
import type { SceneMetrics, Tempo, VideoMetrics } from "../ports.ts";
import type { MediaFacts } from "../timeline/source.ts";
import type { CollectedMetrics, CollectedScene } from "./measure/metrics/collector.ts";

/** Fits the scenes to the video's duration. Frames that were not decoded belong to the last scene. */
export function toVideoMetrics(collected: CollectedMetrics, facts: MediaFacts): VideoMetrics {
  const durationSeconds = facts.durationSeconds ?? collected.scenes.at(-1)?.lastSeconds ?? 0;
  const inside = collected.scenes.filter(({ firstSeconds }, index) => index === 0 || firstSeconds < durationSeconds);
  const scenes = inside.map((scene, index): SceneMetrics => {
    const next = inside[index + 1];
    const startSeconds = index === 0 ? 0 : scene.firstSeconds;
    return {
      ...toSceneMetrics(scene, startSeconds, next?.firstSeconds ?? durationSeconds),
      ...(next && scene.transition && { transition: scene.transition }),
    };
  });
  const motion = overallMotion(scenes);
  return {
    durationSeconds,
    scenes: scenes.length > 0 ? scenes : [{ ...emptyScene, endSeconds: durationSeconds }],
    palette: collected.palette,
    tempo: tempoOf(durationSeconds / Math.max(1, scenes.length), motion),
    motion,
    hasSound: facts.hasSound ?? false,
  };
}

const emptyScene: SceneMetrics = { startSeconds: 0, endSeconds: 0, palette: [], motion: 0, brightness: 0 };

function toSceneMetrics(scene: CollectedScene, startSeconds: number, endSeconds: number): SceneMetrics {
  const { firstSeconds, lastSeconds, movement, palette, brightness } = scene;
  const motion = motionOf(movement, lastSeconds - firstSeconds);
  return { startSeconds, endSeconds, palette, motion, brightness: toThousandths(brightness) };
}

/**
 * Computed from the change per second instead of per frame, so that a conversion of the frame rate does not affect it.
 * Ten levels in 1/25 s, as when a hand waves close to the camera, give 0.63.
 */
const motionOf = (movement: number, seconds: number) =>
  seconds > 0 ? toThousandths(1 - Math.exp(-movement / seconds / 250)) : 0;

/** The mean motion, weighted by duration. */
function overallMotion(scenes: readonly SceneMetrics[]): number {
  const durationOf = ({ startSeconds, endSeconds }: SceneMetrics) => endSeconds - startSeconds;
  const total = sum(scenes.map(durationOf));
  if (total <= 0) return 0;
  return toThousandths(sum(scenes.map((scene) => scene.motion * durationOf(scene))) / total);
}

/**
 * Cuts and motion both add to the tempo. Fast: scenes of 2 s, or of 4 s with much motion.
 * Slow: scenes longer than 4 s with little motion, or longer than 10 s with any.
 */
function tempoOf(meanSceneSeconds: number, motion: number): Tempo {
  const pace = 3 / meanSceneSeconds + motion;
  if (pace >= 1.5) return "fast";
  return pace < 0.75 ? "slow" : "medium";
}
