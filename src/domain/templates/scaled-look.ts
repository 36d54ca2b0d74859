import type { Placement } from "../../engine/timeline/place.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import type { TemplateImageOverlay, TemplateTextOverlay } from "./templates.ts";

type Look = Pick<
  TemplateTextOverlay & TemplateImageOverlay,
  "shadow" | "filter" | "mask" | "enter" | "exit" | "loop" | "motions" | "keyframes"
>;

type Frames = { readonly from: Canvas; readonly to: Canvas };

type Fields = { readonly [name: string]: unknown };

/** The lengths of an overlay's effects and motion for another frame; the outlines of path masks stay as they are. */
export function scaledLook<Overlay extends Look>(overlay: Overlay, placement: Placement, frames: Frames): Overlay {
  const { scale } = placement;
  const { shadow, filter, mask, enter, exit, loop, motions, keyframes } = overlay;
  const scaled = {
    ...(shadow && { shadow: withLengths(shadow, ["blur", "x", "y"], scale) }),
    ...(filter && { filter: withLengths(filter, ["blur"], scale) }),
    ...(mask && { mask: withLengths(mask, ["x", "y", "width", "height", "radius", "feather"], scale) }),
    ...(enter !== undefined && { enter: scaledMove(enter, scale) }),
    ...(exit !== undefined && { exit: scaledMove(exit, scale) }),
    ...(loop !== undefined && { loop: scaledMove(loop, scale) }),
    ...(motions && { motions: motions.map((move) => scaledMove(move, scale)) }),
    ...(keyframes && { keyframes: scaledKeyframes(keyframes, placement, frames) }),
  };
  // safe because only numbers change
  return { ...overlay, ...(scaled as Partial<Overlay>) };
}

const withLengths = (fields: Fields, names: readonly string[], scale: number): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      names.includes(name) && typeof value === "number" ? value * scale : value,
    ]),
  );

const scaledMove = (move: string | Fields, scale: number): string | Fields =>
  typeof move === "string" ? move : withLengths(move, ["distance"], scale);

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
