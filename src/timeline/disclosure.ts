import type { Canvas } from "./canvas.ts";
import type { Overlay } from "./overlay.ts";
import { safeZoneOf } from "./safe-zone.ts";
import type { FrameRange } from "./time.ts";

export const disclosurePlaces = ["top_left", "top", "top_right", "bottom_left", "bottom", "bottom_right"] as const;
type DisclosurePlace = (typeof disclosurePlaces)[number];

/** The words that say that a film has parts made by a machine. */
export type Disclosure = {
  readonly text: string;
  /** Inside the film; never empty. */
  readonly range: FrameRange;
  readonly place: DisclosurePlace;
};

/** A share of the canvas's shorter side: as high as the small print that platforms ask for. */
const fontShare = 0.03;

const white = { red: 255, green: 255, blue: 255, alpha: 1 };
const shade = { red: 0, green: 0, blue: 0, alpha: 0.72 };

/** The words on a dark ground, where no app covers them: laid out for each canvas. */
export function disclosureOverlay({ text, range, place }: Disclosure, canvas: Canvas): Overlay {
  const zone = safeZoneOf(canvas);
  const fontSize = Math.max(12, Math.round(Math.min(canvas.width, canvas.height) * fontShare));
  const padding = Math.round(fontSize * 0.5);
  const [vertical, side] = place.split("_");
  // outside of the zone, into which the overlay is then moved
  const x = side === "left" ? zone.x : side === "right" ? zone.x + zone.width : zone.x + zone.width / 2;
  const y = vertical === "top" ? zone.y : zone.y + zone.height;
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
        maxWidth: zone.width - 2 * padding,
        lineHeight: 1.2,
        letterSpacing: 0,
        background: { color: shade, padding, radius: Math.round(fontSize * 0.4) },
      },
      anchor: { at: "center", x, y },
    },
    opacity: 1,
    rotationDegrees: 0,
    animateIn: "none",
    animateOut: "none",
    within: zone,
  };
}
