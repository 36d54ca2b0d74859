import type { Placement } from "../../engine/timeline/place.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";

type Look = {
  readonly shadow?: unknown;
  readonly filter?: unknown;
  readonly mask?: unknown;
  readonly enter?: unknown;
  readonly exit?: unknown;
  readonly loop?: unknown;
  readonly motions?: unknown;
  readonly keyframes?: unknown;
};

type Frames = { readonly from: Canvas; readonly to: Canvas };

type Fields = { readonly [name: string]: unknown };

/** The lengths of an overlay's effects and motion for another frame; the outlines of path masks stay as they are. */
export function scaledLook<Overlay extends Look>(overlay: Overlay, placement: Placement, frames: Frames): Overlay {
  const { scale } = placement;
  const { shadow, filter, mask, enter, exit, loop, motions, keyframes } = overlay;
  const scaled: Look = {
    ...(isObject(shadow) && { shadow: withLengths(shadow, ["blur", "x", "y"], scale) }),
    ...(isObject(filter) && { filter: withLengths(filter, ["blur"], scale) }),
    ...(isObject(mask) && { mask: withLengths(mask, ["x", "y", "width", "height", "radius", "feather"], scale) }),
    ...(isObject(enter) && { enter: scaledMove(enter, scale) }),
    ...(isObject(exit) && { exit: scaledMove(exit, scale) }),
    ...(isObject(loop) && { loop: scaledMove(loop, scale) }),
    ...(Array.isArray(motions) && { motions: motions.map((move: Fields) => scaledMove(move, scale)) }),
    ...(isObject(keyframes) && { keyframes: scaledKeyframes(keyframes, placement, frames) }),
  };
  return { ...overlay, ...scaled };
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** The sizes of parts of a text. */
export const scaledSpans = <Spans>(spans: Spans, scale: number): Spans =>
  // safe because only numbers change
  (Array.isArray(spans) ? spans.map((span: Fields) => withLengths(span, ["fontSize"], scale)) : spans) as Spans;

const withLengths = (fields: Fields, names: readonly string[], scale: number): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      names.includes(name) && typeof value === "number" ? value * scale : value,
    ]),
  );

const scaledMove = (move: Fields, scale: number): Fields => withLengths(move, ["distance"], scale);

const keyedLengths = ["width", "height", "fontSize", "letterSpacing", "strokeWidth", "radius", "blur"];

function scaledKeyframes(keyframes: Fields, { move, scale }: Placement, { from, to }: Frames): Fields {
  const places: Readonly<Record<string, (value: number) => number>> = {
    centerX: (value) => move({ x: from.width / 2 + value, y: 0 }).x - to.width / 2,
    centerY: (value) => move({ x: 0, y: from.height / 2 + value }).y - to.height / 2,
    x: (value) => move({ x: value, y: 0 }).x,
    y: (value) => move({ x: 0, y: value }).y,
  };
  const convert = (name: string) =>
    places[name] ?? (keyedLengths.includes(name) ? (value: number) => value * scale : undefined);
  const converted = (name: string, frames: unknown): unknown => {
    const change = convert(name);
    if (!change || !Array.isArray(frames)) return frames;
    return frames.map((frame: { readonly value: number }) => ({ ...frame, value: change(frame.value) }));
  };
  return Object.fromEntries(Object.entries(keyframes).map(([name, frames]) => [name, converted(name, frames)]));
}
