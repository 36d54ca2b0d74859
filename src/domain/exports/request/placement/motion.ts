import { defaultSeconds, type MoveRole } from "../../../../engine/ports.ts";
import {
  type Keyframe,
  type Keyframes,
  type Motion,
  type Move,
  numberProperties,
} from "../../../../engine/timeline/motion.ts";
import { type Animation, animationSeconds } from "../../../../engine/timeline/overlay.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { invalid } from "../../../../errors.ts";
import { withoutUndefined } from "../../../../platform/values.ts";
import type { Instant, KeyframesRequest } from "../layers/keyframes.ts";
import type { MoveFields } from "../layers/moves.ts";
import { fillOf, parsedColor } from "./fills.ts";
import type { Report } from "./report.ts";

type Moving = MoveFields & { readonly keyframes?: KeyframesRequest | undefined };

/** Where a layer moves: the canvas that its coordinates refer to, its visible seconds, and its path in the request. */
export type Stage = {
  readonly canvas: Canvas;
  readonly seconds: number;
  readonly path: string;
  readonly report: Report;
};

/** Times are equal in every run and for every rate. */
export const roundedSeconds = (seconds: number): number => Math.round(seconds * 1e9) / 1e9;

/** How a layer moves; undefined for one that does not. */
export function motionOf(layer: Moving, stage: Stage): Omit<Motion, "lead"> | undefined {
  const { enter, exit, loop, motions = [], keyframes } = layer;
  const keyed = keyframes && keyframesOf(keyframes, stage);
  const hasKeyframes = keyed !== undefined && Object.keys(keyed).length > 0;
  if (!hasKeyframes && !enter && !exit && !loop && motions.length === 0) return undefined;
  return {
    seconds: roundedSeconds(stage.seconds),
    ...(hasKeyframes && { keyframes: keyed }),
    ...(enter && { enter: moveOf(enter, "enter") }),
    ...(exit && { exit: moveOf(exit, "exit") }),
    ...(loop && { loop: moveOf(loop, "loop") }),
    ...(motions.length > 0 && { motions: motions.map(({ at, ...move }) => ({ at, ...moveOf(move, "middle") })) }),
  };
}

export type Animated = { readonly animateIn?: Animation | undefined; readonly animateOut?: Animation | undefined };

/** The older animations of a text as moves, for a text that has other motion or effects. */
export function withAnimations(
  motion: Omit<Motion, "lead"> | undefined,
  { animateIn = "none", animateOut = "none" }: Animated,
  { canvas, seconds }: Pick<Stage, "canvas" | "seconds">,
): Omit<Motion, "lead"> | undefined {
  const [enter, exit] = [animationMoves[animateIn], animationMoves[animateOut]];
  if (!enter && !exit) return motion;
  const distance = animationDistance * canvas.height;
  const moved = (move: Omit<Move, "seconds">): Move => ({ ...move, seconds: animationSeconds, distance });
  return {
    seconds: roundedSeconds(seconds),
    ...motion,
    ...(enter && { enter: moved(enter) }),
    ...(exit && { exit: moved(exit) }),
  };
}

/** A share of the frame's height. */
const animationDistance = 0.06;

const animationMoves: Readonly<Record<Animation, Omit<Move, "seconds"> | undefined>> = {
  none: undefined,
  fade: { name: "fade", easing: "linear" },
  slideup: { name: "slide", direction: "up", easing: "out-cubic" },
  slidedown: { name: "slide", direction: "down", easing: "out-cubic" },
  pop: { name: "pop", from: 0.8, easing: "out-back" },
};

type NamedMove = string | NonNullable<MoveFields["enter"] | MoveFields["loop"]>;

/** A move of a request for the engine, which knows the defaults of each name. */
export function moveOf(move: NamedMove, role: MoveRole | "middle"): Move {
  if (typeof move === "string") return { name: move, seconds: defaultSeconds(move, role) };
  const { name, seconds = defaultSeconds(name, role), ...parameters } = move;
  const color = "color" in parameters ? parameters.color : undefined;
  const given: Omit<Move, "name" | "seconds"> = withoutUndefined({
    ...parameters,
    color: color === undefined ? undefined : parsedColor(color),
  });
  return { ...given, name, seconds };
}

/** The smallest side of a keyed box: one of 0 has no shape to draw. */
const minSide = 0.01;

type NumberName = (typeof numberProperties)[number];

function keyframesOf(keyframes: KeyframesRequest, stage: Stage): Keyframes {
  const { canvas } = stage;
  const conversions: Readonly<Partial<Record<NumberName, (value: number) => number>>> = {
    centerX: (value) => canvas.width / 2 + value,
    centerY: (value) => canvas.height / 2 + value,
    width: (value) => Math.max(minSide, value),
    height: (value) => Math.max(minSide, value),
  };
  const numbers = numberProperties.flatMap((name) => {
    const frames = name in keyframes ? keyframes[name as keyof typeof conversions & keyof KeyframesRequest] : undefined;
    // safe because the names of numbers have numbers
    return timed(
      frames as readonly Requested<number>[] | undefined,
      name,
      conversions[name] ?? ((value) => value),
      stage,
    );
  });
  return {
    ...Object.fromEntries(numbers),
    ...Object.fromEntries(timed(keyframes.fontColor, "fontColor", parsedColor, stage)),
    ...Object.fromEntries(timed(keyframes.strokeColor, "strokeColor", parsedColor, stage)),
    ...Object.fromEntries(timed(keyframes.fill, "fill", fillOf, stage)),
    ...Object.fromEntries(timed(keyframes.text, "text", (text) => text, stage)),
  };
}

type Requested<Value> = { readonly at: Instant; readonly value: Value; readonly easing?: string | undefined };

/** The keyframes of one property as an entry, none for an empty list. Reports the first one before its predecessor. */
export function timed<Value, Result>(
  frames: readonly Requested<Value>[] | undefined,
  name: string,
  convert: (value: Value) => Result,
  { seconds, path, report }: Omit<Stage, "canvas">,
): readonly (readonly [string, readonly Keyframe<Result>[]])[] {
  if (!frames || frames.length === 0) return [];
  const placed = frames.map(({ at, value, easing = "linear" }) => ({
    at: secondsOf(at, seconds),
    value: convert(value),
    easing,
  }));
  const falling = placed.findIndex(({ at }, index) => index > 0 && at < placed[index - 1]!.at);
  if (falling > 0) {
    report(invalid(`${path}.keyframes.${name}.${falling}.at`, "Must not be earlier than the keyframe before it."));
  }
  return [[name, falling > 0 ? placed.toSorted((one, other) => one.at - other.at) : placed]];
}

const secondsOf = (at: Instant, length: number): number =>
  roundedSeconds(typeof at === "number" ? at : (Number.parseFloat(at) / 100) * length);
