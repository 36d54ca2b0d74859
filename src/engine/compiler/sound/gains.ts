import { valueAt } from "../../motion/keyframes.ts";
import type { Keyframe } from "../../timeline/motion.ts";
import type { GainCurve } from "../../timeline/sound.ts";
import type { Line } from "../filters/sound.ts";
import type { Seconds } from "./profile.ts";

type Point = { readonly at: number; readonly value: number };

const sampleSeconds = 0.01;

/** A jump takes this long, so that it does not click. */
const jumpSeconds = 0.005;

/** The lines of a curve, on the clock of a sound of this length. */
export function gainLines({ keyframes, startSeconds }: GainCurve, seconds: number): readonly Line[] {
  const heard = { start: startSeconds, end: startSeconds + seconds };
  const points = simplified(pointsOf(keyframes, heard)).map(({ at, value }) => ({ at: at - startSeconds, value }));
  const [first] = points;
  if (!first) return [];
  const lines = points.map(({ at, value }, index): Line => {
    const next = points[index + 1];
    return { startSeconds: at, value, slope: next ? (next.value - value) / (next.at - at) : 0 };
  });
  const before = { startSeconds: Math.min(0, first.at), value: first.value, slope: 0 };
  return [before, ...lines].filter(({ startSeconds: from }, index, all) => {
    const end = all[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY;
    return end > 0 && from < seconds;
  });
}

/** The corners of the curve, in rising order: curves of easings are sampled where they are heard. */
function pointsOf(keyframes: readonly Keyframe<number>[], heard: Seconds): readonly Point[] {
  const points: Point[] = [];
  const add = (at: number, value: number) => {
    const last = points.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    points.push({ at: Math.max(at, last + (at - last < jumpSeconds ? jumpSeconds : 0)), value });
  };
  for (const [index, keyframe] of keyframes.entries()) {
    const previous = keyframes[index - 1];
    if (previous && keyframe.easing !== "linear") {
      const pair = [previous, keyframe];
      const stepAt = (seconds: number) => (seconds - previous.at) / sampleSeconds;
      const last = Math.min(Math.floor(stepAt(keyframe.at) - 0.5), Math.ceil(stepAt(heard.end)));
      for (let step = Math.max(1, Math.floor(stepAt(heard.start))); step <= last; step++) {
        const at = previous.at + step * sampleSeconds;
        add(at, Math.max(0, valueAt(pair, at)));
      }
    }
    add(keyframe.at, Math.max(0, keyframe.value));
  }
  return points;
}

/** A hundredth of a decibel at full volume. */
const tolerance = 0.001;

/** Leaves out points that lie on a line between others: keeps the range of slopes that all of them allow. */
function simplified(points: readonly Point[]): readonly Point[] {
  const [first] = points;
  if (!first) return [];
  const kept = [first];
  let [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const [index, point] of points.entries()) {
    if (index === 0) continue;
    let from = kept.at(-1)!;
    const slope = (point.value - from.value) / (point.at - from.at);
    if (slope < least || slope > most) {
      from = points[index - 1]!;
      kept.push(from);
      [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    }
    const seconds = point.at - from.at;
    least = Math.max(least, (point.value - tolerance - from.value) / seconds);
    most = Math.min(most, (point.value + tolerance - from.value) / seconds);
  }
  return [...kept, points.at(-1)!].filter((point, index, all) => point !== all[index - 1]);
}
