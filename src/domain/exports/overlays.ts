import type { Color, ImageContent, Overlay, TextContent, TextStyle } from "../../timeline/overlay.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRange, type FrameRate, intersection, toFrame } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { parseColor } from "../shared/colors.ts";
import type { ImageRequest, TextRequest } from "./schema.ts";

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
    style: textStyle(text, font),
    anchor: textAnchor(text, bounds.canvas),
  };
  return { range, content, opacity, rotationDegrees: rotation, animateIn, animateOut };
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
    fit: image.maintainAspectRatio ? "contain" : "stretch",
  };
  return { range, content, opacity, rotationDegrees: rotation, animateIn: "none", animateOut: "none" };
}

/** At least one frame long, and cut off at the end of the video. */
function visibleRange(
  { position, end }: { readonly position: number; readonly end: number },
  { rate, frames }: VideoBounds,
): FrameRange | undefined {
  const start = toFrame(position, rate);
  return intersection({ start, end: Math.max(start + 1, toFrame(end, rate)) }, { start: 0, end: frames });
}

function textStyle(text: TextRequest, font: Source | undefined): TextStyle {
  const strokeWidth = text.strokeWidth ?? 0;
  return {
    fontSize: text.fontSize ?? 48,
    fontColor: colorOf(text.fontColor, "#ffffff"),
    font,
    fontFamily: text.fontFamily,
    fontWeight: text.fontWeight ?? 400,
    align: text.align ?? "center",
    maxWidth: text.maxWidth,
    lineHeight: text.lineHeight ?? 1.2,
    letterSpacing: text.letterSpacing ?? 0,
    stroke: strokeWidth > 0 ? { color: colorOf(text.strokeColor, "#000000"), width: strokeWidth } : undefined,
    shadow: shadowOf(text),
    background: text.background
      ? { color: colorOf(text.background, "transparent"), padding: text.padding ?? 0, radius: text.radius ?? 0 }
      : undefined,
  };
}

function shadowOf({ shadowColor, shadowBlur, shadowOffsetX, shadowOffsetY }: TextRequest): TextStyle["shadow"] {
  if ([shadowColor, shadowBlur, shadowOffsetX, shadowOffsetY].every((value) => value === undefined)) return undefined;
  const color = colorOf(shadowColor, "rgb(0 0 0 / 0.5)");
  return { color, blur: shadowBlur ?? 0, offsetX: shadowOffsetX ?? 0, offsetY: shadowOffsetY ?? 0 };
}

// safe because the schema accepts valid colors only, and the fallbacks are valid
const colorOf = (text: string | undefined, fallback: string): Color => parseColor(text ?? fallback)!;

/** `centerX` and `centerY` take precedence over `x` and `y`: for images it is the other way round. */
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

/** The asset's own size by default; in its proportions if the request gives one side. */
function imageSize({ width, height }: ImageRequest, { facts }: Source) {
  const ownWidth = facts.width ?? 1;
  const ownHeight = facts.height ?? 1;
  if (width !== undefined) return { width, height: height ?? (width * ownHeight) / ownWidth };
  if (height !== undefined) return { width: (height * ownWidth) / ownHeight, height };
  return { width: ownWidth, height: ownHeight };
}
