import type { VideoMetrics } from "../video-metrics.ts";

/** Limits both the size of a model call and its price. */
const maxFrames = 24;

/** Frames of one scene that are closer than this look alike. */
const minStepSeconds = 1;

/**
 * The times, in seconds, of the frames that a model sees. Each scene gives at least one frame, long scenes give more,
 * each from the middle of an equal section of its scene, so that no frame lies on a cut. With more than 24 scenes,
 * only an even selection of them gives frames.
 */
export function chooseFrameTimes({ scenes }: Pick<VideoMetrics, "scenes">): readonly number[] {
  const selected = selectEvenly(scenes, maxFrames);
  const counts = frameCounts(selected.map(({ startSeconds, endSeconds }) => endSeconds - startSeconds));
  return selected.flatMap(({ startSeconds, endSeconds }, scene) => {
    const count = counts[scene]!;
    const sectionSeconds = (endSeconds - startSeconds) / count;
    return Array.from({ length: count }, (_, section) => startSeconds + (section + 0.5) * sectionSeconds);
  });
}

/** One frame for each scene; each remaining frame goes to the scene that then has the longest time between frames. */
function frameCounts(durations: readonly number[]): readonly number[] {
  const counts = durations.map(() => 1);
  for (let remaining = maxFrames - counts.length; remaining > 0; remaining--) {
    const steps = durations.map((duration, scene) => duration / (counts[scene]! + 1));
    const scene = steps.indexOf(Math.max(...steps));
    if (scene < 0 || steps[scene]! < minStepSeconds) break;
    counts[scene]!++;
  }
  return counts;
}

const selectEvenly = <Item>(items: readonly Item[], max: number): readonly Item[] =>
  items.length <= max
    ? items
    : Array.from({ length: max }, (_, index) => items[Math.floor(((index + 0.5) * items.length) / max)]!);
