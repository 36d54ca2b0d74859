import type { VideoMetrics } from "../video-metrics.ts";

/** What a model can take in at once, and what its caller should pay for. */
const maxFrames = 24;

/** Nearer to each other, two pictures of a scene show the same. */
const leastStepSeconds = 1;

/**
 * When to take a film's pictures: each scene at least once, long ones more often, from the middle of equal parts, so that
 * none lies on a cut. A film of too many scenes shows some of them.
 */
export function chooseFrameTimes({ scenes }: Pick<VideoMetrics, "scenes">): readonly number[] {
  const shown = evenly(scenes, maxFrames);
  const counts = frameCounts(shown.map(({ startSeconds, endSeconds }) => endSeconds - startSeconds));
  return shown.flatMap(({ startSeconds, endSeconds }, scene) => {
    const count = counts[scene]!;
    const partSeconds = (endSeconds - startSeconds) / count;
    return Array.from({ length: count }, (_, part) => startSeconds + (part + 0.5) * partSeconds);
  });
}

/** One picture for each scene; the others go, one after the other, to whoever has the longest time between two. */
function frameCounts(lengths: readonly number[]): readonly number[] {
  const counts = lengths.map(() => 1);
  for (let left = maxFrames - counts.length; left > 0; left--) {
    const steps = lengths.map((length, scene) => length / (counts[scene]! + 1));
    const scene = steps.indexOf(Math.max(...steps));
    if (scene < 0 || steps[scene]! < leastStepSeconds) break;
    counts[scene]!++;
  }
  return counts;
}

const evenly = <Item>(items: readonly Item[], most: number): readonly Item[] =>
  items.length <= most
    ? items
    : Array.from({ length: most }, (_, index) => items[Math.floor(((index + 0.5) * items.length) / most)]!);
