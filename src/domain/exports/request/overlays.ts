import type { ImageContent, Overlay, TextContent, TextStyle } from "../../../engine/timeline/overlay.ts";
import type { Source } from "../../../engine/timeline/source.ts";
import { type FrameRange, type FrameRate, intersection, toFrame } from "../../../engine/timeline/time.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { type Color, parseColor } from "../../../platform/colors.ts";
import { defaultLayers } from "../../shared/text-style.ts";
import type { ImageRequest, TextRequest } from "./overlay-schemas.ts";

/** The area and the frames in which overlays are visible. */
export type VideoBounds = { readonly canvas: Canvas; readonly rate: FrameRate; readonly frames: number };

/** A text on the timeline; undefined if it is empty or starts after the end of the video. */
export function textOverlay(text: TextRequest, font: Source | undefined, bounds: VideoBounds): Overlay | undefined {
  const range = visibleRange(text, bounds);
  if (!range || text.text === "") return undefined;
  const { opacity = 1, rotation = 0, animateIn = "none", animateOut = "none" } = text;
  const content: TextContent = {
    kind: "text",
    text: text.text,
    style: textStyle(text, font, bounds.canvas),
    anchor: textAnchor(text, bounds.canvas),
    wrapsAtCanvas: text.maxWidth === undefined,
  };
  return { range, content, opacity, rotationDegrees: rotation, animateIn, animateOut, group: text.group };
}

/** An image on the timeline; undefined if it starts after the end of the video. */
export function imageOverlay(image: ImageRequest, source: Source, bounds: VideoBounds): Overlay | undefined {
  const range = visibleRange(image, bounds);
  if (!range) return undefined;
  const { opacity = 1, rotation = 0 } = image;
  const content: ImageContent = {
    kind: "image",
    source,
    box: imageBox(image, source, bounds.canvas),
    fit: image.maintainAspectRatio === false ? "stretch" : "contain",
  };
  const { group } = image;
  return { range, content, opacity, rotationDegrees: rotation, animateIn: "none", animateOut: "none", group };
}

type Layered = { readonly layer?: number | undefined };

/** Bottom first. In one layer images lie below texts, each in the order of the request. */
export function inPaintOrder<Entry>(
  images: readonly (Entry & Layered)[],
  texts: readonly (Entry & Layered)[],
): readonly Entry[] {
  const layered = [
    ...images.map((entry) => ({ entry, layer: entry.layer ?? defaultLayers.image })),
    ...texts.map((entry) => ({ entry, layer: entry.layer ?? defaultLayers.text })),
  ];
  return layered.sort((one, other) => one.layer - other.layer).map(({ entry }) => entry);
}

/** At least one frame long, and cut off at the end of the video. */
function visibleRange(
  { position, end }: { readonly position: number; readonly end: number },
  { rate, frames }: VideoBounds,
): FrameRange | undefined {
  const start = toFrame(position, rate);
  return intersection({ start, end: Math.max(start + 1, toFrame(end, rate)) }, { start: 0, end: frames });
}

/** Shares of the frame's width at which lines without their own width wrap. */
const wrapShares = { most: 0.9, least: 0.5, margin: 0.05 };

/** The wrapping width in pixels of a text without one: the text stays inside the frame at any rotation. */
function freeWidth(text: TextRequest, canvas: Canvas): number {
  const { at, x } = textAnchor(text, canvas);
  const toEdge = canvas.width * (1 - wrapShares.margin) - x;
  const room = at === "center" ? 2 * Math.min(toEdge, x - canvas.width * wrapShares.margin) : toEdge;
  return Math.max(Math.min(wrapShares.most * canvas.width, room), wrapShares.least * canvas.width);
}

function textStyle(text: TextRequest, font: Source | undefined, canvas: Canvas): TextStyle {
  const fontSize = text.fontSize ?? 48;
  const stroke = strokeOf(text);
  const background = backgroundOf(text);
  return {
    fontSize,
    fontColor: colorOf(text.fontColor, "#ffffff"),
    font,
    fontFamily: text.fontFamily,
    fontWeight: text.fontWeight ?? 700,
    align: text.align ?? "center",
    maxWidth: text.maxWidth ?? freeWidth(text, canvas),
    ...(text.maxWidth === undefined &&
      text.maxHeight === undefined && { maxWordWidth: wrapShares.most * canvas.width }),
    ...(text.maxHeight !== undefined && { maxHeight: text.maxHeight, verticalAlign: text.verticalAlign ?? "middle" }),
    lineHeight: text.lineHeight ?? 1.2,
    letterSpacing: text.letterSpacing ?? 0,
    stroke,
    shadow: hasShadowField(text) ? shadowOf(text) : defaultShadow({ fontSize, stroke, background }),
    background,
  };
}

const isVisible = (paint: { readonly color: Color } | undefined): boolean => (paint?.color.alpha ?? 0) > 0;

const strokeOf = ({ strokeWidth = 0, strokeColor }: TextRequest): TextStyle["stroke"] =>
  strokeWidth > 0 ? { color: colorOf(strokeColor, "#000000"), width: strokeWidth } : undefined;

const backgroundOf = ({ background, padding = 0, radius = 0 }: TextRequest): TextStyle["background"] =>
  background ? { color: colorOf(background, "transparent"), padding, radius } : undefined;

const hasShadowField = ({ shadowColor, shadowBlur, shadowOffsetX, shadowOffsetY }: TextRequest): boolean =>
  [shadowColor, shadowBlur, shadowOffsetX, shadowOffsetY].some((value) => value !== undefined);

function shadowOf(text: TextRequest): TextStyle["shadow"] {
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
function textAnchor({ centerX, centerY, x, y }: TextRequest, { width, height }: Canvas): TextContent["anchor"] {
  const byCorner = centerX === undefined && centerY === undefined && (x !== undefined || y !== undefined);
  if (byCorner) return { at: "top_left", x: x ?? 0, y: y ?? 0 };
  return { at: "center", x: width / 2 + (centerX ?? 0), y: height / 2 + (centerY ?? 0) };
}

/** `x` and `y` take precedence over `centerX` and `centerY`. */
function imageBox(image: ImageRequest, source: Source, canvas: Canvas): ImageContent["box"] {
  const { width, height } = imageSize(image, source);
  const { x, y, centerX = 0, centerY = 0 } = image;
  if (x !== undefined || y !== undefined) return { x: x ?? 0, y: y ?? 0, width, height };
  return { x: (canvas.width - width) / 2 + centerX, y: (canvas.height - height) / 2 + centerY, width, height };
}

/** The asset's own size by default; proportional if the request gives one side. */
function imageSize({ width, height }: ImageRequest, { facts }: Source) {
  const ownWidth = facts.width ?? 1;
  const ownHeight = facts.height ?? 1;
  if (width !== undefined) return { width, height: height ?? (width * ownHeight) / ownWidth };
  if (height !== undefined) return { width: (height * ownWidth) / ownHeight, height };
  return { width: ownWidth, height: ownHeight };
}
