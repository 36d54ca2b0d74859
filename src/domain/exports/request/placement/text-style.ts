import type { TextContent, TextStyle } from "../../../../engine/timeline/overlay.ts";
import type { Source } from "../../../../engine/timeline/source.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { type Color, parseColor } from "../../../../platform/colors.ts";
import { withoutUndefined } from "../../../../platform/values.ts";
import type { TextLook } from "../layers/overlays.ts";
import { shadowOf } from "./effects.ts";
import { gradientOf } from "./fills.ts";

/** Shares of the frame's width at which lines without their own width wrap. */
const wrapShares = { most: 0.9, least: 0.5, margin: 0.05 };

/** The wrapping width in pixels of a text without one: the text stays inside the frame at any rotation. */
function freeWidth(text: TextLook, canvas: Canvas): number {
  const { at, x } = textAnchor(text, canvas);
  const toEdge = canvas.width * (1 - wrapShares.margin) - x;
  const room = at === "center" ? 2 * Math.min(toEdge, x - canvas.width * wrapShares.margin) : toEdge;
  return Math.max(Math.min(wrapShares.most * canvas.width, room), wrapShares.least * canvas.width);
}

export function textStyle(text: TextLook, font: Source | undefined, canvas: Canvas): TextStyle {
  const isAuto = text.fontSize === "auto";
  const fontSize = text.fontSize === "auto" ? (text.max ?? sizeBounds.max) : (text.fontSize ?? 48);
  const { width, height } = isAuto ? text : {};
  const { maxWidth = width, maxHeight = height } = text;
  const stroke = strokeOf(text);
  const background = backgroundOf(text);
  return {
    fontSize,
    fontColor: colorOf(text.fontColor, "#ffffff"),
    font,
    fontFamily: text.fontFamily,
    fontWeight: text.fontWeight ?? 700,
    align: text.align ?? "center",
    maxWidth: maxWidth ?? freeWidth(text, canvas),
    ...(maxWidth === undefined && maxHeight === undefined && { maxWordWidth: wrapShares.most * canvas.width }),
    ...(maxHeight !== undefined && { maxHeight, verticalAlign: text.verticalAlign ?? "middle" }),
    lineHeight: text.lineHeight ?? 1.2,
    letterSpacing: text.letterSpacing ?? 0,
    stroke,
    shadow: shadowOfText(text, {
      fontSize: isAuto ? Math.min(fontSize, (maxHeight ?? 0) / 5) : fontSize,
      stroke,
      background,
    }),
    background,
    ...(text.backgroundBy === "line" && { backgroundBy: "line" }),
    ...(text.fill && { fill: gradientOf(text.fill) }),
    ...(isAuto && { minFontSize: Math.min(text.min ?? sizeBounds.min, fontSize) }),
    ...(text.wrap === false && { wrap: false }),
    ...(text.italic && { italic: true }),
  };
}

/** The sizes that a text takes by default to fill its box. */
const sizeBounds = { min: 1, max: 1000 };

function shadowOfText(text: TextLook, style: Parameters<typeof defaultShadow>[0]): TextStyle["shadow"] {
  if (text.shadow) {
    const shadow = shadowOf(text.shadow);
    return shadow.color.alpha > 0 ? shadow : undefined;
  }
  return hasShadowField(text) ? ownShadow(text) : defaultShadow(style);
}

const isVisible = (paint: { readonly color: Color } | undefined): boolean => (paint?.color.alpha ?? 0) > 0;

const strokeOf = ({ strokeWidth = 0, strokeColor }: TextLook): TextStyle["stroke"] =>
  strokeWidth > 0 ? { color: colorOf(strokeColor, "#000000"), width: strokeWidth } : undefined;

const backgroundOf = (text: TextLook): TextStyle["background"] => {
  const { background, padding = 0, radius = 0, paddingX, paddingY } = text;
  if (!background) return undefined;
  const sides = withoutUndefined({ paddingX, paddingY });
  return { color: colorOf(background, "transparent"), padding, radius, ...sides };
};

/** True if the request names the shadow of a text. */
export const hasShadow = (text: TextLook): boolean => text.shadow !== undefined || hasShadowField(text);

const hasShadowField = ({ shadowColor, shadowBlur, shadowOffsetX, shadowOffsetY }: TextLook): boolean =>
  [shadowColor, shadowBlur, shadowOffsetX, shadowOffsetY].some((value) => value !== undefined);

function ownShadow(text: TextLook): TextStyle["shadow"] {
  const { shadowBlur: blur = 0, shadowOffsetX: offsetX = 0, shadowOffsetY: offsetY = 0 } = text;
  const color = colorOf(text.shadowColor, "rgb(0 0 0 / 0.5)");
  return color.alpha > 0 ? { color, blur, offsetX, offsetY } : undefined;
}

/** Soft and dark, so that a text without stroke and background is readable on any footage. */
function defaultShadow({
  fontSize,
  stroke,
  background,
}: Pick<TextStyle, "fontSize" | "stroke" | "background">): TextStyle["shadow"] {
  if (isVisible(stroke) || isVisible(background)) return undefined;
  const color = colorOf(undefined, "rgb(0 0 0 / 0.6)");
  return { color, blur: 0.12 * fontSize, offsetX: 0, offsetY: 0.04 * fontSize };
}

// safe because the schema accepts valid colors only, and the fallbacks are valid
const colorOf = (text: string | undefined, fallback: string): Color => parseColor(text ?? fallback)!;

/** `centerX` and `centerY` take precedence over `x` and `y`; for images it is the reverse. */
export function textAnchor(
  { centerX, centerY, x, y, keyframes }: TextLook,
  { width, height }: Canvas,
): TextContent["anchor"] {
  const isKeyed = (...names: readonly ("centerX" | "centerY" | "x" | "y")[]) => names.some((name) => keyframes?.[name]);
  const isCentered = centerX !== undefined || centerY !== undefined || (x === undefined && y === undefined);
  // the keyframes decide, because those of one form have no meaning for the other
  const byCorner = isKeyed("centerX", "centerY") ? false : isKeyed("x", "y") || !isCentered;
  if (byCorner) return { at: "top_left", x: x ?? 0, y: y ?? 0 };
  return { at: "center", x: width / 2 + (centerX ?? 0), y: height / 2 + (centerY ?? 0) };
}
