import type { Keyframe } from "../timeline/motion.ts";
import type { LottieContent, VideoContent } from "../timeline/overlay.ts";
import { valueAt } from "./keyframes.ts";

/** The time of the layer's own clock at the beginning of a frame, and half a frame on it. */
type Moment = { readonly seconds: number; readonly half: number };

type Played = Pick<VideoContent, "source" | "sourceStartSeconds" | "speed" | "reverses" | "repeats" | "seconds">;

/** The second of the source that a video shows. A keyed speed replaces the static one. */
export function footageTime(
  { source, sourceStartSeconds: start, speed, reverses, repeats, seconds }: Played,
  speeds: readonly Keyframe<number>[] | undefined,
  { seconds: time, half }: Moment,
): number {
  const played = (until: number) => (speeds ? playedBy(speeds, Math.max(0, until)) : speed * Math.max(0, until));
  // the first frame of a reversed part is its last one
  const offset = reverses ? played(seconds - 2 * half) - played(time) : played(time);
  const length = (source.facts.durationSeconds ?? Number.POSITIVE_INFINITY) - start;
  const within =
    repeats && length > 0 && Number.isFinite(length) ? offset - Math.floor(offset / length) * length : offset;
  return Math.max(0, start + within);
}

type Animated = Pick<LottieContent, "frameRate" | "from" | "to" | "repeats">;

/** The frame that a Lottie animation shows at a time of the layer; its last one is held. */
export function lottieFrame({ frameRate, from, to, repeats }: Animated, seconds: number): number {
  const played = Math.max(0, seconds) * frameRate;
  return repeats ? from + (played % (to - from)) : Math.min(from + played, lastFrame({ from, to }));
}

const lastFrame = ({ from, to }: Pick<Animated, "from" | "to">): number => Math.max(from, to - 1);

/** The seconds after which a Lottie animation holds its last frame. */
export const lottieSeconds = ({ frameRate, from, to, repeats }: Animated): number =>
  repeats ? Number.MAX_SAFE_INTEGER : (lastFrame({ from, to }) - from) / frameRate;

/** Steps per second of the sum that stands for the integral of a keyed speed. */
const steps = 240;

const sums = new WeakMap<readonly Keyframe<number>[], readonly number[]>();

/** The seconds that are played until a time: the integral of the speed, by the trapezoidal rule. */
export function playedBy(speeds: readonly Keyframe<number>[], until: number): number {
  const known = sums.get(speeds) ?? sumUp(speeds);
  sums.set(speeds, known);
  const at = until * steps;
  const whole = Math.min(Math.floor(at), known.length - 1);
  const rest = (at - whole) / steps;
  const [from, to] = [valueAt(speeds, whole / steps), valueAt(speeds, until)];
  return known[whole]! + (rest * (from + to)) / 2;
}

/** The sums at each step until the last keyframe, after which the speed stays. */
function sumUp(speeds: readonly Keyframe<number>[]): readonly number[] {
  const count = Math.ceil((speeds.at(-1)?.at ?? 0) * steps);
  const result = [0];
  for (let index = 0; index < count; index++) {
    const [from, to] = [valueAt(speeds, index / steps), valueAt(speeds, (index + 1) / steps)];
    result.push(result[index]! + (from + to) / 2 / steps);
  }
  return result;
}
