import type { Canvas } from "./canvas.ts";
import { estimatedBox, overlapOf } from "./estimate.ts";
import type { Box, Overlay } from "./overlay.ts";
import type { Point } from "./place.ts";
import { safeZoneOf } from "./safe-zone.ts";
import { type FrameRange, intersection } from "./time.ts";

export const disclosurePlaces = ["top_left", "top", "top_right", "bottom_left", "bottom", "bottom_right"] as const;
type DisclosurePlace = (typeof disclosurePlaces)[number];

/** The notice that parts of a film are made by a machine. */
export type Disclosure = {
  readonly text: string;
  /** A range inside the film; never empty. */
  readonly range: FrameRange;
  /** Default: the position that overlays cover least, preferably on the side on which the script begins. */
  readonly place?: DisclosurePlace | undefined;
};

/** A share of the canvas's shorter side: the height of the small print that platforms require. */
const fontShare = 0.03;

const white = { red: 255, green: 255, blue: 255, alpha: 1 };
const ink = { red: 0x1d, green: 0x1d, blue: 0x1b, alpha: 1 };
const shade = { red: 0, green: 0, blue: 0, alpha: 0.72 };

/** The icon and the words on a dark ground, where no app covers them: laid out for each canvas. */
export function disclosureOverlay(disclosure: Disclosure, canvas: Canvas, others: readonly Overlay[]): Overlay {
  const { place, range } = disclosure;
  const shown = others.filter((other) => intersection(other.range, range) && !isBackdrop(other, canvas));
  const boxes = shown.map(estimatedBox);
  const points = place ? [pointOf(place)] : [...placesFor(disclosure).map(pointOf), ...between(disclosure)];
  const candidates = points.map((point) => labelAt(point, disclosure, canvas));
  const covered = (label: Overlay) => boxes.reduce((sum, box) => sum + overlapOf(grown(estimatedBox(label)), box), 0);
  return candidates.reduce((best, label) => (covered(label) < covered(best) ? label : best));
}

export const isFromTheRight = (text: string): boolean => /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text);

function placesFor({ text }: Disclosure): readonly DisclosurePlace[] {
  const [near, far] = isFromTheRight(text) ? (["right", "left"] as const) : (["left", "right"] as const);
  return [`top_${near}`, `top_${far}`, "top", `bottom_${near}`, `bottom_${far}`, "bottom"];
}

/** Estimates are rough, and a label beside words would read as one with them. */
const grown = ({ x, y, width, height }: Box): Box => ({ x, y: y - height / 4, width, height: height * 1.5 });

/** True for an image that lies behind everything else. */
const isBackdrop = ({ content }: Overlay, { width, height }: Canvas): boolean =>
  content.kind === "image" && content.box.width * content.box.height > (width * height) / 2;

/** The point of a position, as shares of the safe zone. */
function pointOf(place: DisclosurePlace): Point {
  const [vertical, side] = place.split("_");
  return { x: side === "left" ? 0 : side === "right" ? 1 : 0.5, y: vertical === "top" ? 0 : 1 };
}

/** The points between titles at the top and captions at the bottom. */
const between = ({ text }: Disclosure): readonly Point[] =>
  Array.from({ length: 9 }, (_, step) => ({ x: isFromTheRight(text) ? 1 : 0, y: (step + 1) / 10 }));

function labelAt({ x, y }: Point, { text, range }: Disclosure, canvas: Canvas): Overlay {
  const zone = safeZoneOf(canvas);
  const fontSize = Math.max(12, Math.round(Math.min(canvas.width, canvas.height) * fontShare));
  const padding = Math.round(fontSize * 0.5);
  const icon = { size: Math.round(fontSize * 1.8), color: white, letters: ink };
  return {
    range,
    content: {
      kind: "text",
      text,
      style: {
        fontSize,
        fontColor: white,
        fontWeight: 600,
        align: "center",
        maxWidth: zone.width - 3 * padding - icon.size,
        lineHeight: 1.2,
        letterSpacing: 0,
        background: { color: shade, padding, radius: Math.round(fontSize * 0.4) },
        icon,
      },
      // partly outside the zone, into which the overlay is then moved
      anchor: { at: "center", x: zone.x + x * zone.width, y: zone.y + y * zone.height },
    },
    opacity: 1,
    rotationDegrees: 0,
    animateIn: "none",
    animateOut: "none",
    within: zone,
  };
}
