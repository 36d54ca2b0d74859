import type { SceneMetrics, Tempo, VideoMetrics } from "../../domain/ai/video-metrics.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Reading, Stretch } from "./meter.ts";

/** Puts what was seen onto the film's own length. What was not reached belongs to the last scene. */
export function measuresOf({ stretches, palette }: Reading, facts: MediaFacts): VideoMetrics {
  const durationSeconds = facts.durationSeconds ?? stretches.at(-1)?.lastSeconds ?? 0;
  const shown = stretches.filter(({ firstSeconds }, at) => at === 0 || firstSeconds < durationSeconds);
  const scenes = shown.map((stretch, at) =>
    sceneOf(stretch, at === 0 ? 0 : stretch.firstSeconds, shown[at + 1]?.firstSeconds ?? durationSeconds),
  );
  const motion = overall(scenes);
  return {
    durationSeconds,
    scenes: scenes.length > 0 ? scenes : [{ ...unseen, endSeconds: durationSeconds }],
    palette,
    tempo: tempoOf(durationSeconds / Math.max(1, scenes.length), motion),
    motion,
    hasSound: facts.hasSound ?? false,
  };
}

const unseen: SceneMetrics = { startSeconds: 0, endSeconds: 0, palette: [], motion: 0, brightness: 0 };

function sceneOf(stretch: Stretch, startSeconds: number, endSeconds: number): SceneMetrics {
  const { firstSeconds, lastSeconds, movement, palette, brightness } = stretch;
  const motion = motionOf(movement, lastSeconds - firstSeconds);
  return { startSeconds, endSeconds, palette, motion, brightness: round(brightness) };
}

/**
 * By the change in a second and not in a picture, so that a film has the motion it had before its rate was converted.
 * Ten levels in a twenty-fifth of a second, as when a hand waves close by, are 0.63.
 */
const motionOf = (movement: number, seconds: number) =>
  seconds > 0 ? round(1 - Math.exp(-movement / seconds / 250)) : 0;

function overall(scenes: readonly SceneMetrics[]): number {
  const lengthOf = ({ startSeconds, endSeconds }: SceneMetrics) => endSeconds - startSeconds;
  const length = scenes.reduce((sum, scene) => sum + lengthOf(scene), 0);
  return length > 0 ? round(scenes.reduce((sum, scene) => sum + scene.motion * lengthOf(scene), 0) / length) : 0;
}

const round = (value: number) => Math.round(value * 1000) / 1000;

/**
 * Cutting and movement both make a film fast: scenes of two seconds do, or of four when much moves in them.
 * A film is slow when its scenes last longer than four seconds and little moves, or than ten whatever moves.
 */
function tempoOf(meanSceneSeconds: number, motion: number): Tempo {
  const pace = 3 / meanSceneSeconds + motion;
  if (pace >= 1.5) return "fast";
  return pace < 0.75 ? "slow" : "medium";
}
