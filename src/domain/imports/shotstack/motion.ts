import type { KeyframeInput, LoopInput, MoveInput } from "../../exports/request/layers/inputs.ts";
import { easingOf } from "../reading/easings.ts";
import { changed, ignored, type Property, used, type Verdict } from "../reading/property.ts";
import { type Bounds, markKnown, rounded, within } from "../reading/rows.ts";

type Direction = NonNullable<LoopInput["direction"]>;

/** A transition as an entrance, or as an exit. `width` is that of the frame. */
type Transition = {
  readonly move: (phase: "in" | "out", width: number) => Omit<MoveInput, "seconds">;
  readonly seconds: (speed: string) => number;
  readonly why?: string;
};

const lasting = (normal: number, fast: number) => (speed: string) =>
  speed === "Slow" ? 2 : speed === "Fast" ? fast : normal;

const slide = (direction: Direction): Transition => ({
  move: (phase, width) => ({
    name: "slide",
    direction,
    distance: rounded(0.025 * width),
    easing: phase === "in" ? "linear" : "ease",
  }),
  seconds: lasting(0.5, 0.25),
});

const fly = (direction: Direction): Transition => ({
  move: (phase) => ({ name: "fly", direction, easing: phase === "in" ? "linear" : "ease" }),
  seconds: lasting(0.5, 0.25),
  why: "Moves from outside of the frame, or out of it.",
});

const wipe = (direction: Direction): Transition => ({
  move: () => ({ name: "wipe", direction, easing: "ease-in-out" }),
  seconds: lasting(1, 0.5),
});

/** The transitions of clips, without their speeds. */
const transitions: Readonly<Record<string, Transition>> = {
  fade: { move: () => ({ name: "fade", easing: "ease-in-out" }), seconds: lasting(1, 0.5) },
  zoom: {
    move: (phase) =>
      phase === "in" ? { name: "scale", from: 10, easing: "ease-in" } : { name: "scale", to: 10, easing: "ease-out" },
    seconds: () => 0.4,
  },
  reveal: wipe("right"),
  wipeLeft: wipe("left"),
  wipeRight: wipe("right"),
  slideLeft: slide("left"),
  slideRight: slide("right"),
  slideUp: slide("up"),
  slideDown: slide("down"),
  carouselLeft: fly("left"),
  carouselRight: fly("right"),
  carouselUp: fly("up"),
  carouselDown: fly("down"),
  shuffleTopRight: fly("right"),
  shuffleRightTop: fly("up"),
  shuffleRightBottom: fly("down"),
  shuffleBottomRight: fly("right"),
  shuffleBottomLeft: fly("left"),
  shuffleLeftBottom: fly("down"),
  shuffleLeftTop: fly("up"),
  shuffleTopLeft: fly("left"),
};

/** `slideLeftFast` is `slideLeft` and `Fast`. */
const nameAndSpeed = (name: string): readonly [name: string, speed: string] => {
  const [, plain = name, speed = ""] = /^(.*?)(Slow|Fast|VeryFast)?$/.exec(name) ?? [];
  return [plain, speed];
};

/** The entrance or the exit of a clip. */
export function transitionOf(
  property: Property,
  phase: "in" | "out",
  width: number,
): { readonly move?: MoveInput; readonly verdict: Verdict } {
  const [name, speed] = nameAndSpeed(property.text ?? "");
  if (name === "none") return { verdict: used("no move") };
  const transition = Object.hasOwn(transitions, name) ? transitions[name] : undefined;
  if (!transition) return { verdict: ignored("Is not a transition.") };
  const move = { ...transition.move(phase, width), seconds: transition.seconds(speed) };
  const as = `${phase === "in" ? "enter" : "exit"}: ${move.name}`;
  return { move, verdict: transition.why ? changed(`Is ${as}. ${transition.why}`) : used(as) };
}

/** How far an effect scales, or how far it moves as a share of the frame. */
type Effect = { readonly zoom?: readonly [number, number]; readonly pan?: { axis: "x" | "y"; towards: 1 | -1 } };

const zooms: Readonly<Record<string, number>> = { "": 1.3, Slow: 1.1, Fast: 1.7 };
export const pans: Readonly<Record<string, number>> = { "": 0.12, Slow: 0.03, Fast: 0.2 };

const panTable: Readonly<Record<string, NonNullable<Effect["pan"]>>> = {
  slideLeft: { axis: "x", towards: -1 },
  slideRight: { axis: "x", towards: 1 },
  slideUp: { axis: "y", towards: -1 },
  slideDown: { axis: "y", towards: 1 },
};

/** The camera move of a clip: the scales at its start and end, and its offsets as shares of the frame. */
export type CameraMove = {
  readonly scale: readonly [number, number];
  readonly offset?: { readonly axis: "x" | "y"; readonly from: number; readonly to: number };
};

export function effectOf(text: string): CameraMove | undefined {
  const [name, speed] = nameAndSpeed(text);
  const zoom = zooms[speed] ?? 1.3;
  if (name === "zoomIn") return { scale: [1, zoom] };
  if (name === "zoomOut") return { scale: [zoom, 1] };
  const pan = Object.hasOwn(panTable, name) ? panTable[name] : undefined;
  if (!pan) return undefined;
  const share = pans[speed] ?? 0.12;
  const scale = 1 + 2 * share;
  return {
    scale: [scale, scale],
    offset: { axis: pan.axis, from: -pan.towards * share, to: pan.towards * share },
  };
}

const tweenKeys = ["from", "to", "start", "length", "interpolation", "easing"];

/** The keyframes of a list of tweens, whose values `map` converts. Marks the list. */
export function tweensOf(
  list: Property,
  as: string,
  bounds: Bounds,
  map: (value: number) => number = (value) => value,
): KeyframeInput<number>[] {
  const tweens = list.items
    .map((tween) => ({ tween, start: Math.max(0, tween.at("start").number ?? 0) }))
    .toSorted((one, other) => one.start - other.start);
  const frames: KeyframeInput<number>[] = [];
  let value: number | undefined;
  let latest = 0;
  const valueAt = (property: Property) => property.number;
  for (const { tween, start } of tweens.slice(0, 100)) {
    if (!tween.isObject) continue;
    const from = valueAt(tween.at("from")) ?? value;
    const to = valueAt(tween.at("to")) ?? from;
    if (from === undefined || to === undefined) continue;
    const at = Math.max(latest, start);
    const end = Math.max(at, start + Math.max(0, tween.at("length").number ?? 0));
    const name = tween.at("easing").text ?? tween.at("interpolation").text ?? "linear";
    const easing = tween.at("interpolation").text === "constant" ? "step" : (easingOf(name) ?? "linear");
    const kept = (number: number) => rounded(within(map(number), bounds));
    frames.push({ at: rounded(at), value: kept(from) }, { at: rounded(end), value: kept(to), easing });
    markKnown(tween, tweenKeys, as);
    value = to;
    latest = end;
  }
  if (list.items.length > 0 && list.items.every((tween) => tween.keys.every((key) => tweenKeys.includes(key)))) {
    const isCut = tweens.length > 100 || frames.length < 2 * tweens.length;
    list.mark(isCut ? changed("Tweens without values, and those after the first 100, are left out.") : used(as));
  }
  return frames;
}
