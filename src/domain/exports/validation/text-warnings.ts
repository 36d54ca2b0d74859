import type { Box, Color, Overlay, TextPicture } from "../../../timeline/overlay.ts";
import { safeZoneOf } from "../../../timeline/safe-zone.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import { contrastOn } from "../../shared/colors.ts";
import type { Remark } from "../warnings.ts";
import type { MeasuredText } from "./text-measurer.ts";

/** A text that the film shows. */
export type ShownText = MeasuredText & {
  readonly path: string;
  readonly overlay: Overlay;
  readonly picture: TextPicture;
};

type Texts = { readonly texts: readonly ShownText[] };

/** A rule that looks at one text after the other, and says at most one thing of each. */
const ofEach =
  (look: (text: ShownText) => string | undefined, field = "") =>
  ({ texts }: Texts): readonly Remark[] =>
    texts.flatMap((text) => {
      const message = look(text);
      return message ? [{ path: `${text.path}${field}`, message }] : [];
    });

export const textRules = {
  text_low_contrast: ofEach(lowContrast, ".fontColor"),
  glyph_missing: ofEach(missingGlyphs, ".text"),
};

const inFrame =
  (look: (text: ShownText, canvas: Canvas) => string | undefined) =>
  (film: Texts & { readonly canvas: Canvas }): readonly Remark[] =>
    ofEach((text) => look(text, film.canvas))(film);

/** Those that depend on the frame. */
export const framedTextRules = {
  text_too_wide: inFrame(tooWide),
  text_outside_safe_zone: inFrame(outsideSafeZone),
};

/** A pixel is lost to nobody: glyphs are smoothed over their edges. */
const slack = 1;

const isTooWide = (ink: Box, canvas: Canvas) => ink.width > canvas.width + slack;

function tooWide({ ink, overlay: { within } }: ShownText, canvas: Canvas): string | undefined {
  if (!ink || !isTooWide(ink, canvas)) return undefined;
  const [pixels, effect] = [Math.ceil(ink.width), within ? " and it is made smaller until it fits" : ""];
  return `The text is ${pixels} pixels wide, the frame ${canvas.width}${effect}: set maxWidth, so that it wraps, or a smaller fontSize.`;
}

function outsideSafeZone({ ink, overlay: { within } }: ShownText, canvas: Canvas): string | undefined {
  // what has to lie within the zone is moved there
  if (!ink || within) return undefined;
  const { left, right, ...aboveAndBelow } = beyond(ink, safeZoneOf(canvas));
  // of one that is too wide no place would mend the sides
  const judged = isTooWide(ink, canvas) ? aboveAndBelow : { left, right, ...aboveAndBelow };
  const sides = Object.entries(judged).filter(([, pixels]) => pixels > slack);
  if (sides.length === 0) return undefined;
  const told = sides.map(([side, pixels]) => `${Math.ceil(pixels)} pixels at the ${side}`).join(", ");
  return `The text leaves the zone that no app covers with its own buttons and captions: by ${told}.`;
}

/** By how much one box leaves another at each side. */
const beyond = (box: Box, zone: Box) => ({
  left: zone.x - box.x,
  right: box.x + box.width - zone.x - zone.width,
  top: zone.y - box.y,
  bottom: box.y + box.height - zone.y - zone.height,
});

/** WCAG's bound for large text. */
const leastContrast = 3;

/** What is clearer than this lets through what lies behind, and carries no text. */
const leastAlpha = 0.5;

/** Either a stroke or a box is enough to read a text by. */
function lowContrast({ picture, ink }: ShownText): string | undefined {
  const { fontColor, stroke, background } = picture.style;
  const grounds = [stroke?.color, background?.color].filter((color) => color !== undefined && isSolid(color));
  if (!ink || grounds.length === 0) return undefined;
  const best = Math.max(...grounds.map((ground) => contrastOn(fontColor, ground!)));
  if (best >= leastContrast) return undefined;
  const what =
    grounds.length > 1 ? "its stroke and its box" : stroke && isSolid(stroke.color) ? "its stroke" : "its box";
  return `The text is hard to read on ${what}: their contrast is ${best.toFixed(1)} to 1, and ${leastContrast} to 1 is the least.`;
}

const isSolid = ({ alpha }: Color): boolean => alpha >= leastAlpha;

const mostNamed = 20;

function missingGlyphs({ missing }: ShownText): string | undefined {
  if (missing.length === 0) return undefined;
  const named = missing.slice(0, mostNamed).map((character) => `${character} (${codeOf(character)})`);
  const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : "";
  return `No font here has ${named.join(", ")}${more}: an empty box stands in its place.`;
}

const codeOf = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
