import type { ImageContent, Overlay, Pictures, TextContent } from "../../../../engine/timeline/overlay.ts";
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
import { defaultLayers } from "../../../shared/text-style.ts";
import type { ImageLook, ImageRequest, TextLook, TextRequest } from "../layers/overlays.ts";
import { type MotionFields, wordsOf } from "../layers/refinements.ts";
import { type EffectSources, effectsOf } from "./effects.ts";
import { type Animated, motionOf, roundedSeconds, withAnimations } from "./motion.ts";
import type { Report } from "./report.ts";
import { textAnchor, textStyle } from "./text-style.ts";
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
  const { opacity = 1, rotation = 0 } = text;
  const content = textContent(text, font, bounds.canvas, context.language);
  const looks = looksOf(text, { range, bounds, context }, { hasOwnRadius: true });
  const { animateIn = "none", animateOut = "none" } = text;
  // a text with motion or effects of its own is drawn by these alone
  const hasLooks = looks.effects !== undefined || looks.motion !== undefined;
  const animations = hasLooks ? unanimated : { animateIn, animateOut };
  return { range, content, opacity, rotationDegrees: rotation, group: text.group, ...animations, ...looks };
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

const unanimated = { animateIn: "none", animateOut: "none" } as const;

type Placed = { readonly range: FrameRange; readonly bounds: VideoBounds; readonly context: LayerContext };

/** The effects and the motion of a text or an image; neither for one without any. */
function looksOf(
  layer: Pick<TextRequest, "position" | "end"> & MotionFields & Animated,
  { range, bounds, context }: Placed,
  boxed: Parameters<typeof effectsOf>[2],
): Pick<Overlay, "effects" | "motion"> {
  const effects = effectsOf(layer, context, boxed);
  const { canvas } = bounds;
  const seconds = visibleSeconds(layer, bounds);
  const stage = { canvas, seconds, path: context.path, report: context.report };
  const own = motionOf(layer, stage);
  const motion = effects || own ? withAnimations(own, layer, stage) : own;
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

/** True if a text looks different in other languages. */
export const dependsOnLanguage = (text: TextLook): boolean => text.case !== undefined || counts(text);

/** True if the number in a text counts, which is written as the language writes numbers. */
const counts = ({ enter, exit, motions = [] }: TextLook): boolean =>
  [enter, exit, ...motions].some((move) => (typeof move === "string" ? move : move?.name) === "count");

export function imageContent(image: ImageLook, source: Source, canvas: Canvas): ImageContent {
  const { pictureMilliseconds, ...facts } = source.facts;
  const plays = pictureMilliseconds && image.repeat !== undefined ? picturesOf(image, pictureMilliseconds) : undefined;
  return {
    kind: "image",
    // each frame is described with its source
    source: pictureMilliseconds ? { ...source, facts } : source,
    box: imageBox(image, source, canvas),
    fit: image.fit ?? (image.maintainAspectRatio === false ? "stretch" : "contain"),
    ...(image.focus && { focus: image.focus }),
    ...(image.zoom !== undefined && { zoom: image.zoom }),
    ...(plays && { plays }),
  };
}

function picturesOf({ repeat = false, speed = 1 }: ImageLook, milliseconds: readonly number[]): Pictures {
  let end = 0;
  return { ends: milliseconds.map((each) => (end += each)), speed, repeats: repeat };
}

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

/** `x` and `y` take precedence over `centerX` and `centerY`. */
function imageBox(image: ImageLook, source: Source, canvas: Canvas): ImageContent["box"] {
  const { width, height } = sizeByFile(image, source);
  const { x, y, centerX = 0, centerY = 0 } = image;
  if (x !== undefined || y !== undefined) return { x: x ?? 0, y: y ?? 0, width, height };
  return { x: (canvas.width - width) / 2 + centerX, y: (canvas.height - height) / 2 + centerY, width, height };
}

/** The file's own size by default; proportional if the request gives one side. */
export function sizeByFile({ width, height }: Pick<ImageLook, "width" | "height">, { facts }: Source): Canvas {
  const ownWidth = facts.width ?? 1;
  const ownHeight = facts.height ?? 1;
  if (width !== undefined) return { width, height: height ?? (width * ownHeight) / ownWidth };
  if (height !== undefined) return { width: (height * ownWidth) / ownHeight, height };
  return { width: ownWidth, height: ownHeight };
}
