import type { Box, TextStyle } from "../../../../engine/timeline/overlay.ts";
import { safeZoneOf } from "../../../../engine/timeline/safe-zone.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { type Color, contrastRatio } from "../../../../platform/colors.ts";
import { placeholderFields } from "../../../templates/placeholders.ts";
import type { WarningDetail } from "../warnings.ts";
import type { VisibleText } from "./target-layouts.ts";

type Texts = { readonly texts: readonly VisibleText[] };
type FramedTexts = Texts & { readonly canvas: Canvas };

/** A rule with at most one message per text, about the given field of the text. */
const perText =
  (check: (text: VisibleText) => string | undefined, field: string) =>
  ({ texts }: Texts): readonly WarningDetail[] =>
    texts.flatMap((text) => {
      const message = check(text);
      return message ? [{ path: `${text.path}${field}`, message }] : [];
    });

/** Rules that do not depend on the frame. */
export const textRules = {
  text_low_contrast: perText(lowContrast, ".fontColor"),
  glyph_missing: perText(missingGlyphs, ".text"),
  placeholder_missing: perText(({ content }) => shownPlaceholders(content.text), ".text"),
};

const perTextInFrame =
  (check: (text: VisibleText, canvas: Canvas) => string | undefined) =>
  ({ texts, canvas }: FramedTexts): readonly WarningDetail[] =>
    perText((text) => check(text, canvas), "")({ texts });

export const frameTextRules = {
  text_too_wide: perTextInFrame(tooWide),
  text_cut: perTextInFrame(cutByFrame),
  text_outside_safe_zone: perTextInFrame(outsideSafeZone),
};

/** In pixels: antialiased edges may exceed a limit by this much. */
const tolerance = 1;

const isTooWide = (ink: Box, canvas: Canvas) => ink.width > canvas.width + tolerance;

function tooWide({ ink, overlay: { within } }: VisibleText, canvas: Canvas): string | undefined {
  if (!ink || !isTooWide(ink, canvas)) return undefined;
  const effect = within ? " and it is made smaller until it fits" : "";
  return `The text is ${Math.ceil(ink.width)} pixels wide, the frame ${canvas.width}${effect}: set a smaller maxWidth or fontSize.`;
}

/** The pixels outside the frame; undefined for overlays with `within`, which are moved inside. */
const cutPixels = ({ ink, overlay: { within } }: VisibleText, canvas: Canvas): string | undefined =>
  ink && !within ? excess(canvas, ink, { x: 0, y: 0, ...canvas }) : undefined;

function cutByFrame(text: VisibleText, canvas: Canvas): string | undefined {
  const amounts = cutPixels(text, canvas);
  return amounts && `The frame cuts off ${amounts} of the text.`;
}

function outsideSafeZone(text: VisibleText, canvas: Canvas): string | undefined {
  const { ink, overlay } = text;
  const amounts = ink && !overlay.within && !cutPixels(text, canvas) ? zoneExcess(canvas, ink) : undefined;
  return amounts && `The text leaves the safe zone, which apps do not cover with buttons and captions, by ${amounts}.`;
}

/** Describes how far, and on which sides, a box leaves the safe zone; undefined if it does not. */
export const zoneExcess = (canvas: Canvas, box: Box): string | undefined => excess(canvas, box, safeZoneOf(canvas));

function excess(canvas: Canvas, box: Box, zone: Box): string | undefined {
  const { left, right, ...vertical } = excessOver(zone, box);
  // no position would help a text that is wider than the frame
  const counted = isTooWide(box, canvas) ? vertical : { left, right, ...vertical };
  const sides = Object.entries(counted).filter(([, pixels]) => pixels > tolerance);
  if (sides.length === 0) return undefined;
  return sides.map(([side, pixels]) => `${Math.ceil(pixels)} pixels at the ${side}`).join(", ");
}

/** How far a box extends beyond a zone on each side; negative inside. */
const excessOver = (zone: Box, box: Box) => ({
  left: zone.x - box.x,
  right: box.x + box.width - zone.x - zone.width,
  top: zone.y - box.y,
  bottom: box.y + box.height - zone.y - zone.height,
});

/** WCAG 2 AA for large text. */
const minContrast = 3;

/** A more transparent stroke or box shows the video behind it, so it does not count as a background. */
export const minAlpha = 0.5;

/** Either a stroke or a box with enough contrast is sufficient. */
function lowContrast({ content, ink }: VisibleText): string | undefined {
  const own = ownContrastOf(content.style);
  if (!ink || !own || own.best >= minContrast) return undefined;
  const { best, grounds } = own;
  return `The text is hard to read on ${grounds.join(" and ")}: the contrast is ${best.toFixed(1)} to 1, below the minimum of ${minContrast} to 1.`;
}

/** The better contrast of its stroke and its box; undefined without either. */
export function ownContrastOf({ fontColor, stroke, background }: TextStyle) {
  const strokeColor = opaqueEnough(stroke?.color);
  const boxColor = opaqueEnough(background?.color);
  const contrasts = [strokeColor, boxColor].flatMap((color) => (color ? contrastRatio(fontColor, color) : []));
  const grounds = [...(strokeColor ? ["its stroke"] : []), ...(boxColor ? ["its box"] : [])];
  return contrasts.length === 0 ? undefined : { best: Math.max(...contrasts), grounds };
}

const opaqueEnough = (color: Color | undefined): Color | undefined =>
  color && color.alpha >= minAlpha ? color : undefined;

const maxNamed = 20;

function missingGlyphs({ missing }: VisibleText): string | undefined {
  if (missing.length === 0) return undefined;
  const named = missing.slice(0, maxNamed).map((character) => `${character} (${codePointOf(character)})`);
  const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : "";
  return `No font here has ${named.join(", ")}${more}: an empty box is drawn instead.`;
}

/** A message about the placeholders in a text that have no value. */
export function shownPlaceholders(text: string): string | undefined {
  const keys = placeholderFields(text).flatMap((field) => field.keys);
  if (keys.length === 0) return undefined;
  return `Shows ${keys.map((key) => `{{${key}}}`).join(", ")} as it is: apply the template with a value, or change the text.`;
}

const codePointOf = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
