import type { ImageContent, Overlay, TextContent, TextStyle } from "../../../../engine/timeline/overlay.ts";
import type { Source } from "../../../../engine/timeline/source.ts";
import {
  type FrameRange,
  type FrameRate,
  intersection,
  type Times,
  toFrame,
  toSeconds,
} from "../../../../engine/timeline/time.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { type Color, parseColor } from "../../../../platform/colors.ts";
import { withoutUndefined } from "../../../../platform/values.ts";
import { defaultLayers } from "../../../shared/text-style.ts";
import type { ImageRequest, TextRequest } from "../layers/overlays.ts";
import { type MotionFields, wordsOf } from "../layers/refinements.ts";
import { type EffectSources, effectsOf, shadowOf } from "./effects.ts";
import { gradientOf } from "./fills.ts";
import { motionOf, roundedSeconds } from "./motion.ts";
import type { Report } from "./report.ts";
import { shownWords } from "./words.ts";

/** The area and the frames in which overlays are visible. */
export type VideoBounds = { readonly canvas: Canvas; readonly rate: FrameRate; readonly frames: number };

/** What a text or an image refers to, besides its own file. */
export type LayerContext = EffectSources & {
  /** The language of texts that name none. */
  readonly language?: string | undefined;
  readonly report: Report;
};

const alone: LayerContext = { path: "", files: new Map(), maskLayer: () => undefined, report: () => {} };

/** A text on the timeline; undefined if it is empty or starts after the end of the video. */
export function textOverlay(
  text: TextRequest,
  font: Source | undefined,
  bounds: VideoBounds,
  context: LayerContext = alone,
): Overlay | undefined {
  const range = visibleRange(text, bounds);
  if (!range || (wordsOf(text) === "" && !text.keyframes?.text)) return undefined;
  const { opacity = 1, rotation = 0, animateIn = "none", animateOut = "none" } = text;
  const content = textContent(text, font, bounds.canvas, context.language);
  const looks = looksOf(text, { range, bounds, context }, {});
  return { range, content, opacity, rotationDegrees: rotation, animateIn, animateOut, group: text.group, ...looks };
}

/** An image on the timeline; undefined if it starts after the end of the video. */
export function imageOverlay(
  image: ImageRequest,
  source: Source,
  bounds: VideoBounds,
  context: LayerContext = alone,
): Overlay | undefined {
  const range = visibleRange(image, bounds);
  if (!range) return undefined;
  const { opacity = 1, rotation = 0, group } = image;
  const content = imageContent(image, source, bounds.canvas);
  const looks = looksOf(image, { range, bounds, context }, { box: content.box });
  return { range, content, opacity, rotationDegrees: rotation, animateIn: "none", animateOut: "none", group, ...looks };
}

type Placed = { readonly range: FrameRange; readonly bounds: VideoBounds; readonly context: LayerContext };

/** The effects and the motion of a text or an image; neither for one without any. */
function looksOf(
  layer: Pick<TextRequest, "position" | "end"> & MotionFields,
  { range, bounds, context }: Placed,
  boxed: Parameters<typeof effectsOf>[2],
): Pick<Overlay, "effects" | "motion"> {
  const effects = effectsOf(layer, context, boxed);
  const { canvas } = bounds;
  const seconds = visibleSeconds(layer, bounds);
  const motion = motionOf(layer, { canvas, seconds, path: context.path, report: context.report });
  return {
    ...(effects && { effects }),
    ...(motion && { motion: { ...motion, lead: leadOf(layer.position, range, bounds) } }),
  };
}

/** The seconds from the start of a layer to the end of its visibility. */
export const visibleSeconds = ({ position, end }: Required<Times>, { rate, frames }: VideoBounds): number =>
  Math.max(0, Math.min(end!, toSeconds(frames, rate)) - position!);

/** The seconds from the start of a layer to the start of its first frame. */
export const leadOf = (position: number, range: FrameRange, { rate }: VideoBounds): number =>
  roundedSeconds(toSeconds(range.start, rate) - position);

export function textContent(
  text: TextLook,
  font: Source | undefined,
  canvas: Canvas,
  language: string | undefined,
): TextContent {
  const shownLanguage = text.language ?? (counts(text) ? language : undefined);
  return {
    kind: "text",
    ...shownWords(text, text.language ?? language),
    style: textStyle(text, font, canvas),
    anchor: textAnchor(text, canvas),
    wrapsAtCanvas: text.maxWidth === undefined && text.fontSize !== "auto",
    ...(shownLanguage !== undefined && { language: shownLanguage }),
  };
}

/** True if the number in a text counts, which is written as the language writes numbers. */
const counts = ({ enter, exit, motions = [] }: TextLook): boolean =>
  [enter, exit, ...motions].some((move) => (typeof move === "string" ? move : move?.name) === "count");

export const imageContent = (image: ImageLook, source: Source, canvas: Canvas): ImageContent => ({
  kind: "image",
  source,
  box: imageBox(image, source, canvas),
  fit: image.fit ?? (image.maintainAspectRatio === false ? "stretch" : "contain"),
  ...(image.focus && { focus: image.focus }),
  ...(image.zoom !== undefined && { zoom: image.zoom }),
});

/** A text or an image without its times. */
export type TextLook = Omit<TextRequest, "position" | "end">;
export type ImageLook = Omit<ImageRequest, "position" | "end">;

type Layered = { readonly layer?: number | undefined };

/** Bottom first. At one height images lie below texts, and texts below layers, each in the order of the request. */
export function inPaintOrder<Entry>(
  images: readonly (Entry & Layered)[],
  texts: readonly (Entry & Layered)[],
  layers: readonly (Entry & Layered)[] = [],
): readonly Entry[] {
  const layered = [
    ...images.map((entry) => ({ entry, layer: entry.layer ?? defaultLayers.image })),
    ...texts.map((entry) => ({ entry, layer: entry.layer ?? defaultLayers.text })),
    ...layers.map((entry) => ({ entry, layer: entry.layer ?? defaultLayers.layer })),
  ];
  return layered.sort((one, other) => one.layer - other.layer).map(({ entry }) => entry);
}

/** At least one frame long, and cut off at the end of the video. */
export function visibleRange(
  { position, end }: { readonly position: number; readonly end: number },
  { rate, frames }: VideoBounds,
): FrameRange | undefined {
  const start = toFrame(position, rate);
  return intersection({ start, end: Math.max(start + 1, toFrame(end, rate)) }, { start: 0, end: frames });
}

/** Shares of the frame's width at which lines without their own width wrap. */
const wrapShares = { most: 0.9, least: 0.5, margin: 0.05 };

/** The wrapping width in pixels of a text without one: the text stays inside the frame at any rotation. */
function freeWidth(text: TextLook, canvas: Canvas): number {
  const { at, x } = textAnchor(text, canvas);
  const toEdge = canvas.width * (1 - wrapShares.margin) - x;
  const room = at === "center" ? 2 * Math.min(toEdge, x - canvas.width * wrapShares.margin) : toEdge;
  return Math.max(Math.min(wrapShares.most * canvas.width, room), wrapShares.least * canvas.width);
}

function textStyle(text: TextLook, font: Source | undefined, canvas: Canvas): TextStyle {
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
function textAnchor({ centerX, centerY, x, y, keyframes }: TextLook, { width, height }: Canvas): TextContent["anchor"] {
  const isKeyed = (...names: readonly ("centerX" | "centerY" | "x" | "y")[]) => names.some((name) => keyframes?.[name]);
  const isCentered = centerX !== undefined || centerY !== undefined || (x === undefined && y === undefined);
  // the keyframes decide, because those of one form have no meaning for the other
  const byCorner = isKeyed("centerX", "centerY") ? false : isKeyed("x", "y") || !isCentered;
  if (byCorner) return { at: "top_left", x: x ?? 0, y: y ?? 0 };
  return { at: "center", x: width / 2 + (centerX ?? 0), y: height / 2 + (centerY ?? 0) };
}

/** `x` and `y` take precedence over `centerX` and `centerY`. */
function imageBox(image: ImageLook, source: Source, canvas: Canvas): ImageContent["box"] {
  const { width, height } = imageSize(image, source);
  const { x, y, centerX = 0, centerY = 0 } = image;
  if (x !== undefined || y !== undefined) return { x: x ?? 0, y: y ?? 0, width, height };
  return { x: (canvas.width - width) / 2 + centerX, y: (canvas.height - height) / 2 + centerY, width, height };
}

/** The asset's own size by default; proportional if the request gives one side. */
function imageSize({ width, height }: ImageLook, { facts }: Source) {
  const ownWidth = facts.width ?? 1;
  const ownHeight = facts.height ?? 1;
  if (width !== undefined) return { width, height: height ?? (width * ownHeight) / ownWidth };
  if (height !== undefined) return { width: (height * ownWidth) / ownHeight, height };
  return { width: ownWidth, height: ownHeight };
}
