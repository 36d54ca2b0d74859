import type { Overlay } from "./draft.ts";
import type { OverlayKind } from "./overlays.ts";
import { wordsOf } from "./words-in.ts";

type Size = { readonly width: number; readonly height: number };
/** The center relative to the frame's center, and the sides, in pixels of the frame. */
export type Box = Size & { readonly x: number; readonly y: number };
export type Point = { readonly x: number; readonly y: number };

const numberOr = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback);

/** Measures the width of a line in pixels. */
export type Measure = (line: string, font: { readonly size: number; readonly weight: number }) => number;

function textSize(overlay: Overlay, frame: Size, measure: Measure): Size {
  const size = numberOr(overlay.fontSize, 48);
  const width = numberOr(overlay.maxWidth, frame.width * 0.9);
  const padding = 2 * numberOr(overlay.padding, 0);
  if (typeof overlay.maxHeight === "number") return { width: width + padding, height: overlay.maxHeight + padding };
  const font = { size, weight: numberOr(overlay.fontWeight, 700) };
  const lines: string[] = [];
  for (const paragraph of wordsOf(overlay).split("\n")) {
    lines.push("");
    for (const word of paragraph.split(/\s+/)) {
      const longer = `${lines.at(-1)} ${word}`.trim();
      if (lines.at(-1) !== "" && measure(longer, font) > width) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
  }
  const widest = Math.max(size, ...lines.map((line) => measure(line, font)));
  return { width: widest + padding, height: lines.length * size * numberOr(overlay.lineHeight, 1.2) + padding };
}

const isGiven = (...values: readonly unknown[]): boolean => values.some((value) => typeof value === "number");

/** True for images and layers, which are positioned by their corner; texts by their center, if they have one. */
const isByCorner = (kind: OverlayKind, { x, y, centerX, centerY }: Overlay): boolean =>
  isGiven(x, y) && (kind !== "text" || !isGiven(centerX, centerY));

/** The approximate box of an overlay: only the service knows the exact letters. */
export function boxOf(kind: OverlayKind, overlay: Overlay, frame: Size, measure: Measure): Box {
  const { width, height } = overlay;
  const side = numberOr(width, numberOr(height, 300));
  const size = kind === "text" ? textSize(overlay, frame, measure) : { width: side, height: numberOr(height, side) };
  if (!isByCorner(kind, overlay)) return { ...size, x: numberOr(overlay.centerX, 0), y: numberOr(overlay.centerY, 0) };
  return {
    ...size,
    x: numberOr(overlay.x, 0) + (size.width - frame.width) / 2,
    y: numberOr(overlay.y, 0) + (size.height - frame.height) / 2,
  };
}

/** The fields that move an overlay's center to this point. */
export function placeAt(kind: OverlayKind, overlay: Overlay, box: Box, frame: Size): Overlay {
  const { x, y, width, height } = box;
  if (!isByCorner(kind, overlay)) return { centerX: Math.round(x), centerY: Math.round(y) };
  return { x: Math.round(x + (frame.width - width) / 2), y: Math.round(y + (frame.height - height) / 2) };
}

const scaled = {
  text: ["fontSize", "maxWidth", "maxHeight", "padding", "radius", "strokeWidth", "letterSpacing"],
  image: ["width", "height"],
  layer: ["width", "height", "fontSize"],
} as const;

/** The fields that resize an overlay. */
export function sizeBy(kind: OverlayKind, overlay: Overlay, factor: number): Overlay {
  const defaults: Overlay = kind === "text" ? { fontSize: 48 } : {};
  const all: Overlay = { ...defaults, ...overlay };
  return Object.fromEntries(
    scaled[kind].flatMap((field) => {
      const value = all[field];
      return typeof value === "number" ? [[field, Math.round(value * factor * 10) / 10]] : [];
    }),
  );
}

/** Fractions of a full-screen frame, and of others, that apps cover; as in the checks of an export. */
export function safeZoneOf({ width, height }: Size) {
  const isTall = height / width >= 1.6;
  const shares = isTall
    ? { top: 288 / 1920, bottom: 672 / 1920, left: 120 / 1080, right: 192 / 1080 }
    : { top: 0.05, bottom: 0.05, left: 0.05, right: 0.05 };
  return {
    left: (shares.left - 0.5) * width,
    right: (0.5 - shares.right) * width,
    top: (shares.top - 0.5) * height,
    bottom: (0.5 - shares.bottom) * height,
  };
}

type Snapped = { readonly at: number; readonly line: number | undefined };

/** The nearest position where the center or an edge lies on a line. */
function snapAxis(center: number, side: number, edges: readonly number[], within: number): Snapped {
  const places = [
    { at: 0, line: 0 },
    ...edges.flatMap((line) => [
      { at: line + side / 2, line },
      { at: line - side / 2, line },
    ]),
  ];
  const near = places
    .map((place) => ({ ...place, distance: Math.abs(place.at - center) }))
    .filter(({ distance }) => distance <= within)
    .toSorted((one, other) => one.distance - other.distance)[0];
  return near ?? { at: center, line: undefined };
}

/** Snaps a box to near center lines and edges of the safe zone, and returns which. */
export function snap(box: Box, frame: Size, within: number) {
  const { left, right, top, bottom } = safeZoneOf(frame);
  const x = snapAxis(box.x, box.width, [left, right], within);
  const y = snapAxis(box.y, box.height, [top, bottom], within);
  return { box: { ...box, x: x.at, y: y.at }, lines: { x: x.line, y: y.line } };
}
