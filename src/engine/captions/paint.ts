import type { SKRSContext2D } from "@napi-rs/canvas";
import { paintLayer } from "../drawing/layer.ts";
import { opaqueRgb } from "../text/text.ts";
import type { CaptionState, TextStyle } from "../timeline/overlay.ts";
import type { Layer, LineLayers } from "./layers.ts";
import type { CaptionLayout, PlacedLine } from "./layout.ts";
import type { WordPart } from "./line.ts";

/** Paints a state of a caption: boxes, then outlines, then glyphs, so that no outline lies over a glyph. */
export function paintState(
  context: SKRSContext2D,
  layout: CaptionLayout,
  layers: readonly LineLayers[],
  { spoken, shown, scale }: CaptionState,
): void {
  const moving = scale === undefined ? undefined : shown - 1;
  const resting = moving ?? shown;
  const isResting = (word: number) => word < resting;
  paintBackground(context, layout);
  for (const { line, strokeOf } of layers) copyStrokes(context, strokeOf(wordsBefore(line, resting)), line, isResting);
  if (spoken !== undefined && spoken < shown) paintWordBox(context, layout, spoken);
  if (layout.look.strokesActive && spoken !== undefined && spoken < resting) {
    const strokes = layers.map(({ line, strokeOf }) => ({ line, stroke: strokeOf(wordsBefore(line, spoken + 1)) }));
    for (const { line, stroke } of strokes) copyStrokes(context, stroke, line, (word) => word === spoken);
  }
  for (const { line, plain, active } of layers) {
    copyWords(context, plain, line, (word) => isResting(word) && word !== spoken);
    copyWords(context, active, line, (word) => isResting(word) && word === spoken);
  }
  if (moving !== undefined && scale !== undefined)
    paintMoving(context, layout, layers, { word: moving, spoken, scale });
}

/** The number of a line's words that precede a word of the page. */
const wordsBefore = ({ firstWord, prefixes }: PlacedLine, word: number): number =>
  Math.max(0, Math.min(prefixes.length, word - firstWord));

type Moving = { readonly word: number; readonly spoken: number | undefined; readonly scale: number };

function paintMoving(
  context: SKRSContext2D,
  { lineHeight }: CaptionLayout,
  layers: readonly LineLayers[],
  { word, spoken, scale }: Moving,
): void {
  for (const { line, strokeOf, plain, active } of layers) {
    const extent = extentOf(line, word);
    if (!extent) continue;
    const center = { x: (extent.left + extent.right) / 2, y: line.top + lineHeight / 2 };
    context.save();
    context.translate(center.x, center.y);
    context.scale(scale, scale);
    context.translate(-center.x, -center.y);
    context.imageSmoothingQuality = "high";
    const isMoving = (other: number) => other === word;
    copyStrokes(context, strokeOf(wordsBefore(line, word + 1)), line, isMoving);
    copyWords(context, word === spoken ? active : plain, line, isMoving);
    context.restore();
  }
}

/** Copies the outlines of words that are the last ones in their layer. */
function copyStrokes(context: SKRSContext2D, layer: Layer | undefined, line: PlacedLine, isWanted: IsWanted): void {
  const spans = joinedSpans(line, isWanted, context.canvas.width);
  const last = spans.at(-1);
  const isOpen = line.isForward && last;
  copySpans(context, layer, isOpen ? [...spans.slice(0, -1), { ...last, right: context.canvas.width }] : spans);
}

/** Copies words of a layer. Each extends to the middle of the space beside it. */
const copyWords = (context: SKRSContext2D, layer: Layer, line: PlacedLine, isWanted: IsWanted): void =>
  copySpans(context, layer, joinedSpans(line, isWanted, context.canvas.width));

function copySpans(context: SKRSContext2D, layer: Layer | undefined, spans: readonly Span[]): void {
  if (!layer) return;
  const { height } = context.canvas;
  context.globalAlpha = layer.alpha;
  for (const { left, right } of spans) {
    if (right > left) context.drawImage(layer.bitmap, left, 0, right - left, height, left, 0, right - left, height);
  }
  context.globalAlpha = 1;
}

/** True for words of the page to copy. */
type IsWanted = (word: number) => boolean;

type Span = { readonly left: number; readonly right: number };

/** The columns of pixels of the wanted words of a line; those of adjacent words are joined. */
function joinedSpans({ parts, x, firstWord }: PlacedLine, isWanted: IsWanted, width: number): readonly Span[] {
  const edges = [
    0,
    ...parts.slice(1).map((part, index) => Math.round(x + (parts[index]!.right + part.left) / 2)),
    width,
  ];
  const spans: Span[] = [];
  for (const [index, { word }] of parts.entries()) {
    if (!isWanted(firstWord + word)) continue;
    const [left, right] = [edges[index]!, edges[index + 1]!];
    const last = spans.at(-1);
    if (last?.right === left) spans[spans.length - 1] = { ...last, right };
    else spans.push({ left, right });
  }
  return spans;
}

const partsOf = ({ parts, firstWord }: PlacedLine, word: number): readonly WordPart[] =>
  parts.filter((part) => firstWord + part.word === word);

/** The extent of a word on a line, from its left to its right end. */
function extentOf(line: PlacedLine, word: number): Span | undefined {
  const parts = partsOf(line, word);
  if (parts.length === 0) return undefined;
  const [left, right] = [Math.min(...parts.map((part) => part.left)), Math.max(...parts.map((part) => part.right))];
  return { left: line.x + left, right: line.x + right };
}

type Rectangle = Span & { readonly top: number; readonly bottom: number; readonly radius: number };

/** A rounded box behind each line. Boxes of a translucent color are painted as one, because they overlap. */
function paintBackground(context: SKRSContext2D, { look: { background }, lines, lineHeight }: CaptionLayout): void {
  if (!background) return;
  const { padding, radius } = background;
  const boxes = lines.map(({ x, width, top }) => ({
    left: x - padding,
    right: x + width + padding,
    top: top - padding * verticalShare,
    bottom: top + lineHeight + padding * verticalShare,
    radius,
  }));
  paintBoxes(context, background, boxes);
}

/** The share of the padding above and below: lines already have room there. */
const verticalShare = 0.3;

/** Between words without spaces, boxes are no wider than the word. */
function paintWordBox(
  context: SKRSContext2D,
  { look: { activeBackground }, lines, lineHeight }: CaptionLayout,
  word: number,
) {
  if (!activeBackground) return;
  const { padding, radius } = activeBackground;
  const boxes = lines.flatMap((line) => {
    const extent = extentOf(line, word);
    if (!extent) return [];
    const [before, after] = paddingsOf(line, extent, padding);
    const rectangle = { left: extent.left - before, right: extent.right + after, radius };
    return [{ ...rectangle, top: line.top, bottom: line.top + lineHeight }];
  });
  paintBoxes(context, activeBackground, boxes);
}

/** At most half of the space to the next word on each side. */
function paddingsOf(
  { parts, x, width }: PlacedLine,
  { left, right }: Span,
  padding: number,
): readonly [number, number] {
  const lefts = parts.map((part) => x + part.left).filter((at) => at >= right - 1);
  const rights = parts.map((part) => x + part.right).filter((at) => at <= left + 1);
  const limit = (space: number) => Math.min(padding, Math.max(padding / 4, space * 0.45));
  return [
    rights.length > 0 && left - Math.max(...rights) < width ? limit(left - Math.max(...rights)) : padding,
    lefts.length > 0 ? limit(Math.min(...lefts) - right) : padding,
  ];
}

function paintBoxes(
  context: SKRSContext2D,
  { color }: NonNullable<TextStyle["background"]>,
  boxes: readonly Rectangle[],
): void {
  paintLayer(context, { alpha: color.alpha }, (layer) => {
    layer.fillStyle = opaqueRgb(color);
    for (const { left, right, top, bottom, radius } of boxes) {
      layer.beginPath();
      layer.roundRect(left, top, right - left, bottom - top, radius);
      layer.fill();
    }
  });
}
