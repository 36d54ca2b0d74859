import { scaleEffects } from "./clip-effects.ts";
import type { Mask, Motion, Move } from "./motion.ts";
import type {
  Box,
  GroupLayer,
  HtmlContent,
  ImageContent,
  Overlay,
  OverlayVersion,
  ShapeContent,
  TextContent,
  View,
} from "./overlay.ts";
import { boxAroundAll, type Placement, type Point, placeBox, shorterSide } from "./place.ts";
import { movedOverlayZoneOf } from "./safe-zone.ts";
import type { Canvas, Timeline } from "./timeline.ts";
import { type Clip, mapClips, type Track } from "./track.ts";

/** Returns the edit at half the width and height: a quarter of the pixels to draw. */
export function halveTimeline(timeline: Timeline): Timeline {
  const { canvas: full } = timeline;
  const canvas = halfSize(full);
  const overlays = timeline.overlays.map((overlay) => {
    const versions = overlay.versions?.map((version) => ({
      canvas: halfSize(version.canvas),
      overlay: version.overlay && halved(version.overlay, version.canvas),
    }));
    return { ...halved(overlay, full), ...(versions && { versions }) };
  });
  const track = mapEffects(timeline.track, { x: half, y: half, lengths: half });
  return { ...timeline, canvas, overlays, track };
}

const half = 0.5;

function halved(overlay: Overlay, full: Canvas): Overlay {
  const { within, content } = overlay;
  const canvas = halfSize(full);
  const scale = half;
  const move = ({ x, y }: Point) => ({
    x: canvas.width / 2 + (x - full.width / 2) * scale,
    y: canvas.height / 2 + (y - full.height / 2) * scale,
  });
  if (content.kind === "caption") return overlay;
  if (!isSimple(overlay)) return { ...overlay, view: viewAfter(overlay.view, viewOf({ move, scale })) };
  const motion = overlay.motion && scaleMoves(overlay.motion, scale);
  return {
    ...{ ...overlay, content: transformContent(overlay.content, { move, scale }), motion },
    ...(within && { within: transformBox(within, { move, scale }) }),
  };
}

/** Scales the effects of all clips. */
const mapEffects = (track: Track, by: Parameters<typeof scaleEffects>[1]): Track =>
  mapClips(track, (clip) => (clip.effects ? { ...clip, effects: scaleEffects(clip.effects, by) } : clip));

export const halfSize = ({ width, height }: Canvas): Canvas => ({
  width: 2 * Math.round(width / 4),
  height: 2 * Math.round(height / 4),
});

/**
 * Returns the edit for another aspect ratio. Clips keep their focus visible. Overlays keep their size and their
 * relative distance from the center but stay within the zone of moved overlays; an image that covered the canvas covers
 * the new one. Texts that wrap at the canvas wrap at the same share of the new one. A group of overlays moves as one.
 * Overlays with a version for the canvas are replaced by it.
 */
export function reframe(timeline: Timeline, canvas: Canvas): Timeline {
  const { canvas: original } = timeline;
  if (canvas.width === original.width && canvas.height === original.height)
    return timeline.overlays.some(({ versions }) => versions)
      ? { ...timeline, overlays: withVersions(timeline.overlays, canvas, (overlay) => overlay) }
      : timeline;

  const scaleX = canvas.width / original.width;
  const scaleY = canvas.height / original.height;
  const move = ({ x, y }: Point) => ({ x: x * scaleX, y: y * scaleY });
  const scale = shorterSide(canvas) / shorterSide(original);
  const within = movedOverlayZoneOf(canvas);
  const moving = timeline.overlays.filter((overlay) => !versionOn(overlay, canvas));
  const groups = placeGroups(moving, original, canvas);
  const overlays = withVersions(timeline.overlays, canvas, (overlay) => {
    if (overlay.content.kind === "caption") return overlay;
    if (overlay.masks !== undefined) return stretched(overlay, { move, scale }, { original, canvas, within });
    const placement = overlay.group !== undefined && groups.get(overlay.group);
    if (!isSimple(overlay)) return inView(overlay, placement || { move, scale }, { original, canvas, within });
    const { content } = overlay;
    if (placement)
      return { ...withMoves(overlay, placement.scale), content: transformContent(content, placement), within };
    if (content.kind === "text") {
      const rewrapped = scaleWrapping(content, scaleX / scale);
      return { ...withMoves(overlay, scale), content: transformContent(rewrapped, { move, scale }), within };
    }
    if (coversCanvas(content.box, original)) {
      const { width, height } = content.box;
      const box = { ...move(content.box), width: width * scaleX, height: height * scaleY };
      return { ...overlay, content: { ...content, box, fit: reframedFit(content, original) } };
    }
    return { ...withMoves(overlay, scale), content: transformContent(content, { move, scale }), within };
  });
  const track = mapEffects(mapClips(timeline.track, withFocus), { x: scaleX, y: scaleY, lengths: scale });
  return { ...timeline, canvas, overlays, track };
}

/** The version of an overlay for a canvas, of which rounding may miss two pixels. */
const versionOn = ({ versions }: Overlay, { width, height }: Canvas): OverlayVersion | undefined =>
  versions?.find(({ canvas }) => Math.abs(canvas.width - width) <= 2 && Math.abs(canvas.height - height) <= 2);

/** False if a canvas does not show the overlay. */
export const isShownOn = (overlay: Overlay, canvas: Canvas): boolean => {
  const version = versionOn(overlay, canvas);
  return version === undefined || version.overlay !== undefined;
};

/** Replaces overlays by their versions for a canvas, and maps the others. */
const withVersions = (overlays: readonly Overlay[], canvas: Canvas, map: (overlay: Overlay) => Overlay): Overlay[] =>
  overlays.flatMap(({ versions, ...overlay }) => {
    const version = versionOn({ versions, ...overlay }, canvas);
    return version ? (version.overlay ?? []) : map(overlay);
  });

/** A text or an image of which no motion, effect or part is in pixels of its canvas: it is moved by its own fields. */
type Simple = Overlay & { readonly content: TextContent | ImageContent };

const isSimple = (overlay: Overlay): overlay is Simple =>
  (overlay.content.kind === "text" || overlay.content.kind === "image") &&
  overlay.effects === undefined &&
  overlay.view === undefined &&
  overlay.motion?.keyframes === undefined;

const viewOf = ({ move, scale }: Placement): View => ({ scale, ...move({ x: 0, y: 0 }) });

const viewAfter = (first: View | undefined, next: View): View => {
  const { scale, x, y } = first ?? { scale: 1, x: 0, y: 0 };
  return { scale: scale * next.scale, x: x * next.scale + next.x, y: y * next.scale + next.y };
};

type Reframed = { readonly original: Canvas; readonly canvas: Canvas; readonly within: Box };

/** Moves the middle of the layer's box at rest. What covered the canvas covers the new one. */
function inView(overlay: Overlay, { move, scale }: Placement, { original, canvas, within }: Reframed): Overlay {
  const { content, motion } = overlay;
  const box = overlay.content.kind === "caption" ? { x: 0, y: 0, ...original } : areaOf(overlay.content);
  if (fitsAnyCanvas(content) && coversCanvas(box, original) && !motion?.keyframes) {
    const covering = { x: 0, y: 0, ...canvas };
    const { mask } = overlay.effects ?? {};
    const moved = mask?.kind === "layer" && { mask: replaced(mask, { move, scale }, { original, canvas, within }) };
    const effects = moved ? { ...overlay.effects, ...moved } : overlay.effects;
    return { ...withMoves(overlay, scale), ...(effects && { effects }), content: { ...content, box: covering } };
  }
  const factor = coversCanvas(box, original)
    ? Math.max(canvas.width / original.width, canvas.height / original.height)
    : scale;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const to = move(middle);
  const view = { scale: factor, x: to.x - middle.x * factor, y: to.y - middle.y * factor };
  const isPlaced = (["x", "y", "centerX", "centerY"] as const).some((property) => motion?.keyframes?.[property]);
  const limits = {
    ...{ x: (within.x - view.x) / factor, y: (within.y - view.y) / factor },
    ...{ width: within.width / factor, height: within.height / factor },
  };
  const isLimited = (content.kind === "text" || content.kind === "image") && !isPlaced && factor === scale;
  return { ...overlay, view, ...(isLimited && { within: limits }) };
}

/** A shape that covers the canvas covers any other one, and a card with media queries sets itself for its size. */
const fitsAnyCanvas = (content: Overlay["content"]): content is ShapeContent | HtmlContent =>
  content.kind === "shape" || (content.kind === "html" && /@media\b/i.test(content.css));

/** The plane of a clip's mask on another canvas, with what lies on it; a layer that masks is placed as others are. */
function stretched(overlay: Overlay, placement: Placement, reframed: Reframed): Overlay {
  const { content, effects: { mask, ...effects } = {} } = overlay;
  const { original, canvas } = reframed;
  if (content.kind !== "shape" || !mask) return overlay;
  if (mask.kind === "layer") {
    const box = { x: 0, y: 0, ...canvas };
    return {
      ...overlay,
      content: { ...content, box },
      effects: { ...effects, mask: replaced(mask, placement, reframed) },
    };
  }
  const box = { ...original, x: (canvas.width - original.width) / 2, y: (canvas.height - original.height) / 2 };
  const [scaleX, scaleY] = [canvas.width / original.width, canvas.height / original.height];
  return { ...overlay, content: { ...content, box }, effects: { ...effects, mask, scaleX, scaleY } };
}

type LayerMask = Extract<Mask<GroupLayer>, { kind: "layer" }>;

function replaced(mask: LayerMask, placement: Placement, reframed: Reframed): LayerMask {
  const { start, end, ...layer } = mask.layer;
  const { range: _, ...moved } = inView({ ...layer, range: { start: 0, end: 1 } }, placement, reframed);
  return { ...mask, layer: { ...moved, start, end } };
}

/** Lengths of moves that are given in pixels follow the size of the layer. */
const scaleMoves = (motion: Motion, by: number): Motion => {
  const scaled = <M extends Move>(move: M): M =>
    move.distance === undefined ? move : { ...move, distance: move.distance * by };
  const { enter, exit, loop, motions } = motion;
  return {
    ...motion,
    enter: enter && scaled(enter),
    exit: exit && scaled(exit),
    loop: loop && scaled(loop),
    motions: motions?.map(scaled),
  };
};

const withMoves = (overlay: Overlay, by: number): Overlay =>
  overlay.motion ? { ...overlay, motion: scaleMoves(overlay.motion, by) } : overlay;

/** The movement and scale of each group of overlays. */
function placeGroups(overlays: readonly Overlay[], from: Canvas, to: Canvas): ReadonlyMap<string, Placement> {
  const grouped = overlays.flatMap(({ group, content }) =>
    group === undefined || content.kind === "caption" ? [] : [{ group, box: areaOf(content) }],
  );
  const groups = Map.groupBy(grouped, ({ group }) => group);
  return new Map(
    [...groups].map(([group, members]) => [group, placeBox(boxAroundAll(members.map(({ box }) => box)), from, to)]),
  );
}

/** The area of a text: the box of its limits with the padding, or one line without a width if it has none. */
function areaOf(content: Exclude<Overlay["content"], { kind: "caption" }>): Box {
  if (content.kind !== "text") return content.box;
  const { anchor, style, scale = 1, wrapsAtCanvas } = content;
  const { fontSize, lineHeight, maxWidth = 0, maxHeight = fontSize * lineHeight, background } = style;
  const padding = 2 * (background?.padding ?? 0);
  const width = ((wrapsAtCanvas ? 0 : maxWidth) + padding) * scale;
  const height = (maxHeight + padding) * scale;
  return anchor.at === "center" ? boxAround(anchor, width, height) : { x: anchor.x, y: anchor.y, width, height };
}

const withFocus = (clip: Clip): Clip => ({ ...clip, focus: clip.focus ?? { x: 0.5, y: 0.5 } });

/** Pixels by which rounded sizes may miss the edge of the canvas. */
const tolerance = 1;

const coversCanvas = ({ x, y, width, height }: Box, canvas: Canvas): boolean =>
  Math.max(x, y, canvas.width - x - width, canvas.height - y - height) <= tolerance;

/** A contained image that covered the whole canvas is cropped, so that it also covers the new one. */
const reframedFit = (content: ImageContent, original: Canvas): ImageContent["fit"] =>
  content.fit === "contain" && coversCanvas(containedArea(content), original) ? "cover" : content.fit;

function containedArea({ box, source: { facts } }: ImageContent): Box {
  const { width = box.width, height = box.height } = facts;
  const scale = Math.min(box.width / width, box.height / height);
  return boxAround({ x: box.x + box.width / 2, y: box.y + box.height / 2 }, width * scale, height * scale);
}

function scaleWrapping(content: TextContent, by: number): TextContent {
  const { maxWidth, maxWordWidth } = content.style;
  if (!content.wrapsAtCanvas || maxWidth === undefined) return content;
  const words = maxWordWidth !== undefined && { maxWordWidth: maxWordWidth * by };
  return { ...content, style: { ...content.style, maxWidth: maxWidth * by, ...words } };
}

function transformContent<C extends TextContent | ImageContent>(content: C, transform: Placement): C {
  if (content.kind === "image") return { ...content, box: transformBox(content.box, transform) };
  const anchor = { ...content.anchor, ...transform.move(content.anchor) };
  return { ...content, anchor, scale: (content.scale ?? 1) * transform.scale };
}

/** Moves the box's center and scales its sides. */
function transformBox(box: Box, { move, scale }: Placement): Box {
  const center = move({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  return boxAround(center, box.width * scale, box.height * scale);
}

const boxAround = ({ x, y }: Point, width: number, height: number): Box => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
});
