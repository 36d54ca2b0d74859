import { type Color, mixColors } from "../../platform/colors.ts";
import { type Fill, type Gradient, isGradient, type Keyframe } from "../timeline/motion.ts";
import { easingOf } from "./easing.ts";

type Mix<Value> = (from: Value, to: Value, share: number) => Value;

/** The value at a time in seconds from the layer's start. At equal times the last keyframe counts. */
function mixedAt<Value>(keyframes: readonly Keyframe<Value>[], seconds: number, mix: Mix<Value>): Value {
  const next = keyframes.findIndex(({ at }) => at > seconds);
  if (next === 0 || keyframes.length === 1) return keyframes[0]!.value;
  if (next < 0) return keyframes.at(-1)!.value;
  const [from, to] = [keyframes[next - 1]!, keyframes[next]!];
  const share = easingOf(to.easing)((seconds - from.at) / (to.at - from.at));
  return mix(from.value, to.value, share);
}

const mixNumbers: Mix<number> = (from, to, share) => from + (to - from) * share;

export const valueAt = (keyframes: readonly Keyframe<number>[], seconds: number): number =>
  mixedAt(keyframes, seconds, mixNumbers);

/** Travels in OKLab. */
export const colorAt = (keyframes: readonly Keyframe<Color>[], seconds: number): Color =>
  mixedAt(keyframes, seconds, mixColors);

/** Jumps at each keyframe. */
export const textAt = (keyframes: readonly Keyframe<string>[], seconds: number): string =>
  mixedAt(keyframes, seconds, (from, to, share) => (share < 1 ? from : to));

/** Gradients of one type travel between equal counts of stops; other pairs jump in the middle. */
export const fillAt = (keyframes: readonly Keyframe<Fill>[], seconds: number): Fill =>
  mixedAt(keyframes, seconds, (from, to, share) => {
    if (!isGradient(from) && !isGradient(to)) return mixColors(from, to, share);
    const pair = isGradient(from) && isGradient(to) ? mixGradients(from, to, share) : undefined;
    return pair ?? (share < 0.5 ? from : to);
  });

function mixGradients(from: Gradient, to: Gradient, share: number): Gradient | undefined {
  if (from.type !== to.type || from.stops.length !== to.stops.length) return undefined;
  return {
    type: from.type,
    angle: mixNumbers(from.angle, to.angle, share),
    stops: from.stops.map(({ at, color }, index) => {
      const other = to.stops[index]!;
      return { at: mixNumbers(at, other.at, share), color: mixPremultiplied(color, other.color, share) };
    }),
  };
}

/** As CSS interpolates the stops of gradients: in sRGB, weighted by their alpha. */
function mixPremultiplied(from: Color, to: Color, share: number): Color {
  const alpha = Math.min(1, Math.max(0, mixNumbers(from.alpha, to.alpha, share)));
  const channel = (name: "red" | "green" | "blue") => {
    const mixed = mixNumbers(from[name] * from.alpha, to[name] * to.alpha, share) / (alpha || 1);
    return Math.min(255, Math.max(0, Math.round(mixed)));
  };
  return { red: channel("red"), green: channel("green"), blue: channel("blue"), alpha };
}
