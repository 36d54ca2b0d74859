import type { Keyframe } from "../timeline/motion.ts";
import type { LottieContent, Pictures, VideoContent } from "../timeline/overlay.ts";
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
  const within = repeats && length > 0 && Number.isFinite(length) ? wrapped(offset, length) : offset;
  return Math.max(0, start + within);
}

/** In seconds, or in frames of an animation: a time that is rounded down belongs to the next round. */
const rounding = 1e-6;

/** A time within rounds of a length. */
const wrapped = (time: number, length: number): number =>
  Math.max(0, time - Math.floor((time + rounding) / length) * length);

type Animated = Pick<LottieContent, "frameRate" | "from" | "to" | "repeats">;

/** The frame that a Lottie animation shows at a time of the layer; its last one is held. */
export function lottieFrame({ frameRate, from, to, repeats }: Animated, seconds: number): number {
  const played = Math.max(0, seconds) * frameRate;
  return repeats ? from + wrapped(played, to - from) : Math.min(from + played, lastFrame({ from, to }));
}

const lastFrame = ({ from, to }: Pick<Animated, "from" | "to">): number => Math.max(from, to - 1);

/** The seconds after which a Lottie animation holds its last frame. */
export const lottieSeconds = ({ frameRate, from, to, repeats }: Animated): number =>
  repeats ? Number.MAX_SAFE_INTEGER : (lastFrame({ from, to }) - from) / frameRate;

/** In milliseconds: frames lie between those of the film. */
const tolerance = 1e-3;

/** The picture that a moving image shows at a time of the layer; its last one is held. */
export function pictureAt({ ends, speed, repeats }: Pictures, seconds: number): number {
  const length = ends.at(-1) ?? 0;
  const played = Math.max(0, seconds) * speed * 1000 + tolerance;
  const within = repeats && length > 0 ? played % length : played;
  const found = ends.findIndex((end) => within < end);
  return found < 0 ? ends.length - 1 : found;
}

/** The seconds after which a moving image holds its last picture. */
export const picturesSeconds = ({ ends, speed, repeats }: Pictures): number =>
  repeats ? Number.MAX_SAFE_INTEGER : (ends.at(-2) ?? 0) / 1000 / speed;

/** Steps per second of the sums that stand for the integrals of easings. */
const steps = 240;

/** Easings may leave the range of speeds between two keyframes. */
const speedAt = (keyframes: readonly Keyframe<number>[], seconds: number): number =>
  Math.min(10, Math.max(0, valueAt(keyframes, seconds)));

/** The seconds that are played until each keyframe. */
const sums = new WeakMap<readonly Keyframe<number>[], readonly number[]>();

/** The seconds that are played until a time: the integral of the speed, exact where it changes linearly or jumps. */
export function playedBy(speeds: readonly Keyframe<number>[], until: number): number {
  const known = sums.get(speeds) ?? sumUp(speeds);
  sums.set(speeds, known);
  const last = speeds.findLastIndex(({ at }) => at <= until);
  const [from, to] = [speeds[last], speeds[last + 1]];
  if (!from) return until * speedAt(speeds, until);
  return known[last]! + (to ? playedBetween(from, to, until) : (until - from.at) * speedAt(speeds, until));
}

function sumUp(speeds: readonly Keyframe<number>[]): readonly number[] {
  const [first] = speeds;
  const result = [first ? first.at * speedAt(speeds, 0) : 0];
  for (const [index, to] of speeds.entries()) {
    const from = speeds[index - 1];
    if (from) result.push(result.at(-1)! + (to.at > from.at ? playedBetween(from, to, to.at) : 0));
  }
  return result;
}

/** The integral from a keyframe to a time before or at the next one. */
function playedBetween(from: Keyframe<number>, to: Keyframe<number>, until: number): number {
  const seconds = until - from.at;
  if (to.easing === "step") return seconds * speedAt([from], 0);
  const pair = [from, to];
  // the value at the end of an interval is that before a jump
  const valueIn = (time: number) => (time < to.at ? speedAt(pair, time) : speedAt([to], 0));
  const trapezoid = (start: number, end: number) => ((end - start) * (valueIn(start) + valueIn(end))) / 2;
  if (to.easing === "linear") return trapezoid(from.at, until);
  const known = sumsOfEasings.get(to) ?? [0];
  sumsOfEasings.set(to, known);
  const whole = Math.floor(seconds * steps);
  for (let step = known.length - 1; step < whole; step++) {
    known.push(known[step]! + trapezoid(from.at + step / steps, from.at + (step + 1) / steps));
  }
  return known[whole]! + trapezoid(from.at + whole / steps, until);
}

/** The integrals of the steps from the keyframe before to one, as far as they were needed. */
const sumsOfEasings = new WeakMap<Keyframe<number>, number[]>();
