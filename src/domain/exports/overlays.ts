import type { Color, ImagePicture, Overlay, TextPicture, TextStyle } from "../../timeline/overlay.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRange, type FrameRate, intersection, toFrame } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { parseColor } from "../shared/colors.ts";
import type { ImageRequest, TextRequest } from "./schema.ts";

/** Where and when the film can show anything. */
export type Stage = { readonly canvas: Canvas; readonly rate: FrameRate; readonly frames: number };

/** A text on the timeline; undefined when it begins after the film's end. */
export function textOverlay(text: TextRequest, font: Source | undefined, stage: Stage): Overlay | undefined {
  const range = visibleRange(text, stage);
  if (!range || text.text === "") return undefined;
  const { opacity = 1, rotation = 0, animateIn = "none", animateOut = "none" } = text;
  const picture: TextPicture = {
    kind: "text",
    text: text.text,
    style: textStyle(text, font),
    anchor: textAnchor(text, stage.canvas),
  };
  return { range, picture, opacity, rotationDegrees: rotation, animateIn, animateOut };
}

/** An image on the timeline; undefined when it begins after the film's end. */
export function imageOverlay(image: ImageRequest, source: Source, stage: Stage): Overlay | undefined {
  const range = visibleRange(image, stage);
  if (!range) return undefined;
  const picture: ImagePicture = {
    kind: "image",
    source,
    box: imageBox(image, source, stage.canvas),
    fit: image.maintainAspectRatio ? "contain" : "stretch",
  };
  const { opacity = 1, rotation = 0 } = image;
  return { range, picture, opacity, rotationDegrees: rotation, animateIn: "none", animateOut: "none" };
}

/** At least one frame, and none past the film's end. */
function visibleRange({ position, end }: { position: number; end: number }, stage: Stage): FrameRange | undefined {
  const start = toFrame(position, stage.rate);
  return intersection({ start, end: Math.max(start + 1, toFrame(end, stage.rate)) }, { start: 0, end: stage.frames });
}

function textStyle(text: TextRequest, font: Source | undefined): TextStyle {
  const stroke = text.strokeWidth ?? 0;
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
    stroke: stroke > 0 ? { color: colorOf(text.strokeColor, "#000000"), width: stroke } : undefined,
    shadow: shadowOf(text),
    background: text.background
      ? { color: colorOf(text.background, "transparent"), padding: text.padding ?? 0, radius: text.radius ?? 0 }
      : undefined,
  };
}

function shadowOf({ shadowColor, shadowBlur, shadowOffsetX, shadowOffsetY }: TextRequest): TextStyle["shadow"] {
  if ([shadowColor, shadowBlur, shadowOffsetX, shadowOffsetY].every((part) => part === undefined)) return undefined;
  const color = colorOf(shadowColor, "rgb(0 0 0 / 0.5)");
  return { color, blur: shadowBlur ?? 0, offsetX: shadowOffsetX ?? 0, offsetY: shadowOffsetY ?? 0 };
}

// safe because the schema let only colors through, and the fallbacks are colors
const colorOf = (text: string | undefined, fallback: string): Color => parseColor(text ?? fallback)!;

/** A text's centre wins over its corner. */
function textAnchor({ centerX, centerY, x, y }: TextRequest, { width, height }: Canvas): TextPicture["anchor"] {
  const byCorner = centerX === undefined && centerY === undefined && (x !== undefined || y !== undefined);
  if (byCorner) return { at: "top_left", x: x ?? 0, y: y ?? 0 };
  return { at: "center", x: width / 2 + (centerX ?? 0), y: height / 2 + (centerY ?? 0) };
}

/** An image's corner wins over its centre. */
function imageBox(image: ImageRequest, source: Source, canvas: Canvas): ImagePicture["box"] {
  const { width, height } = imageSize(image, source);
  const { x, y, centerX = 0, centerY = 0 } = image;
  if (x !== undefined || y !== undefined) return { x: x ?? 0, y: y ?? 0, width, height };
  return { x: (canvas.width - width) / 2 + centerX, y: (canvas.height - height) / 2 + centerY, width, height };
}

/** The asset's own size where the request gives none, in proportion where it gives one side. */
function imageSize({ width, height }: ImageRequest, { facts }: Source) {
  const [ownWidth, ownHeight] = [facts.width ?? 1, facts.height ?? 1];
  if (width !== undefined) return { width, height: height ?? (width * ownHeight) / ownWidth };
  if (height !== undefined) return { width: (height * ownWidth) / ownHeight, height };
  return { width: ownWidth, height: ownHeight };
}
