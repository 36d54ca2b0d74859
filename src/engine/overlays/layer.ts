import type { Canvas as Bitmap, SKRSContext2D } from "@napi-rs/canvas";
import { compositeOf } from "../drawing/blend.ts";
import { type Box, grow, intersect, isEmpty, move, type Point, snapOutward, union } from "../drawing/box.ts";
import { type Drawing, fitWithin } from "../drawing/drawing.ts";
import { filterBitmap, filterReach } from "../drawing/filter.ts";
import { setShadow } from "../drawing/layer.ts";
import { freeDrawn, newCanvas } from "../drawing/new-canvas.ts";
import { roundCorners } from "../drawing/round-corners.ts";
import { type Moved, type MovePose, restingPose } from "../motion/move-table.ts";
import type { BlendMode, Filter, Shadow } from "../timeline/motion.ts";
import type { DrawnState } from "../timeline/overlay.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { type ContentLoader, type LayerContent, loadContent, type PreparedLayer } from "./content.ts";
import { type LoadedMask, loadMask } from "./layer-mask.ts";
import { poseOfWhole, splitMoves } from "./moved.ts";
import { keepRevealed } from "./reveal.ts";
import { paintShine } from "./shine.ts";

/** Loads what a layer is drawn from. `frame` is the canvas, or the size of the group that it lies in. */
export async function prepareLayer(
  state: DrawnState,
  frame: Canvas,
  loader: ContentLoader,
): Promise<PreparedLayer | undefined> {
  const { view = noView, effects, within, rotationDegrees } = state;
  const own = { width: frame.width / view.scale, height: frame.height / view.scale };
  const moves = splitMoves(state);
  const loaded = await loadContent(state, { moves, frame: own, loader, prepare: prepareLayer });
  if (!loaded) return undefined;
  const drawing: LayerContent = within ? { ...loaded, ...fitWithin(loaded, rotationDegrees, within) } : loaded;
  const pose = poseOfWhole(moves.whole, movedBy(drawing, own));
  const placed = placeLayer(state, drawing, pose);
  const mask = effects?.mask && (await loadMask(effects.mask, { frame, loader, prepare: prepareLayer }));
  const look = lookOf(state, pose, mask);
  const bounds = boundsOf(drawing, placed, look);
  if (look.alpha <= 0 || isEmpty(bounds)) return undefined;
  const inView = (box: Box): Box => ({
    x: box.x * view.scale + view.x,
    y: box.y * view.scale + view.y,
    width: box.width * view.scale,
    height: box.height * view.scale,
  });
  return {
    bounds: inView(bounds),
    async load() {
      await drawing.load?.();
      await mask?.load?.();
    },
    free() {
      drawing.free?.();
      mask?.free?.();
    },
    paint(context) {
      context.save();
      context.translate(view.x, view.y);
      context.scale(view.scale, view.scale);
      if (isPlain(drawing.paintsOnce ? { ...look, alpha: 1 } : look)) paintPlaced(context, drawing, placed, look.alpha);
      else paintBuffered(context, { drawing, placed, look, bounds });
      context.restore();
    },
  };
}

const noView = { scale: 1, x: 0, y: 0 };

/** The distances out of the frame, from where the layer rests. */
function movedBy({ center, box, bounds }: LayerContent, frame: Canvas): Moved {
  const { x, y, width, height } = move(union([box, bounds]), center);
  const away = { up: y + height, down: frame.height - y, left: x + width, right: frame.width - x };
  const positive = (distance: number) => Math.max(0, distance);
  return {
    unit: box,
    frame,
    away: { up: positive(away.up), down: positive(away.down), left: positive(away.left), right: positive(away.right) },
  };
}

/** Where a layer is painted: the transform of its coordinates, as a function that applies it to a context. */
type Placed = { readonly matrix: Matrix };

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

const multiply = ([a, b, c, d, e, f]: Matrix, [p, q, r, s, t, u]: Matrix): Matrix => [
  a * p + c * q,
  b * p + d * q,
  a * r + c * s,
  b * r + d * s,
  a * t + c * u + e,
  b * t + d * u + f,
];

const translation = ({ x, y }: Point): Matrix => [1, 0, 0, 1, x, y];

function rotation(degrees: number): Matrix {
  const radians = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  return [cos, sin, -sin, cos, 0, 0];
}

const tangent = (degrees: number): number => Math.tan((degrees * Math.PI) / 180);

/** Turns, skews and scales about the anchor; a move comes on top of it, in the directions of the frame. */
function placeLayer(state: DrawnState, { center, box }: LayerContent, pose: MovePose): Placed {
  const { anchor = { x: 0.5, y: 0.5 } } = state.effects ?? {};
  const about = { x: box.x + anchor.x * box.width, y: box.y + anchor.y * box.height };
  const shape = shapeMatrix(state, pose);
  const { anchor: kept = anchor } = pose;
  const arm = { x: (kept.x - anchor.x) * box.width, y: (kept.y - anchor.y) * box.height };
  const shift = difference(transformed(arm, shapeMatrix(state, restingPose)), transformed(arm, shape));
  const steps: readonly Matrix[] = [
    translation({ x: center.x + about.x + pose.x + shift.x, y: center.y + about.y + pose.y + shift.y }),
    shape,
    translation({ x: -about.x, y: -about.y }),
  ];
  return { matrix: steps.reduce(multiply) };
}

/** The turning, skewing and scaling of a layer and of its move. */
function shapeMatrix({ effects, rotationDegrees }: DrawnState, pose: MovePose): Matrix {
  const { scaleX = 1, scaleY = 1, skewX = 0, skewY = 0 } = effects ?? {};
  const steps: readonly Matrix[] = [
    rotation(rotationDegrees + pose.rotation),
    [1, tangent(skewY), tangent(skewX), 1, 0, 0],
    [scaleX * pose.scaleX, 0, 0, scaleY * pose.scaleY, 0, 0],
  ];
  return steps.reduce(multiply);
}

const transformed = ({ x, y }: Point, [a, b, c, d, e, f]: Matrix): Point => ({
  x: a * x + c * y + e,
  y: b * x + d * y + f,
});

const difference = (from: Point, to: Point): Point => ({ x: from.x - to.x, y: from.y - to.y });

function transformedBounds({ x, y, width, height }: Box, [a, b, c, d, e, f]: Matrix): Box {
  const corners = [x, x + width].flatMap((px) =>
    [y, y + height].map((py) => ({ x: a * px + c * py + e, y: b * px + d * py + f })),
  );
  const xs = corners.map((corner) => corner.x);
  const ys = corners.map((corner) => corner.y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/** All that is done to a layer's pixels after it is painted. */
type Look = {
  readonly alpha: number;
  readonly blend: BlendMode;
  readonly radius: number;
  readonly filter?: Filter | undefined;
  readonly shadow?: Shadow | undefined;
  readonly mask?: LoadedMask | undefined;
  readonly reveal?: MovePose["reveal"];
  readonly shine?: MovePose["shine"];
};

function lookOf({ effects, opacity, content }: DrawnState, pose: MovePose, mask: LoadedMask | undefined): Look {
  const { filter, shadow, blend = "normal", radius = 0 } = effects ?? {};
  const blur = Math.hypot(filter?.blur ?? 0, pose.blur);
  return {
    alpha: opacity * Math.min(1, Math.max(0, pose.alpha)),
    blend,
    radius: content.kind === "text" || content.kind === "shape" ? 0 : radius,
    filter: filter || blur > 0 ? { ...filter, ...(blur > 0 && { blur }) } : undefined,
    shadow,
    mask,
    reveal: pose.reveal,
    shine: pose.shine,
  };
}

const isPlain = ({ alpha, blend, radius, filter, shadow, mask, reveal, shine }: Look): boolean =>
  alpha === 1 && blend === "normal" && radius === 0 && !filter && !shadow && !mask && !reveal && shine === undefined;

const antialias = 2;

function boundsOf({ bounds }: LayerContent, { matrix }: Placed, { filter, shadow }: Look): Box {
  const painted = grow(
    transformedBounds(bounds, matrix),
    antialias + scaleOf(matrix) * (filter ? filterReach(filter) : 0),
  );
  if (!shadow) return painted;
  const reach = scaleOf(matrix) * (Math.hypot(shadow.offsetX, shadow.offsetY) + 1.5 * shadow.blur);
  return grow(painted, Math.ceil(reach));
}

/** The mean enlargement of lengths. */
const scaleOf = ([a, b, c, d]: Matrix): number => Math.sqrt(Math.abs(a * d - b * c));

function paintPlaced(context: SKRSContext2D, drawing: Drawing, { matrix }: Placed, alpha: number): void {
  context.save();
  context.globalAlpha = alpha;
  context.transform(...matrix);
  drawing.paint(context);
  context.restore();
}

type Painting = { readonly drawing: LayerContent; readonly placed: Placed; readonly look: Look; readonly bounds: Box };

/** Paints the layer on a canvas of its own, changes its pixels in the order of CSS, and paints the result. */
function paintBuffered(context: SKRSContext2D, { drawing, placed, look, bounds }: Painting): void {
  const area = visibleArea(context, bounds, look);
  if (isEmpty(area)) return;
  const buffer = newCanvas(area.width, area.height).getContext("2d");
  const { a, b, c, d, e, f } = context.getTransform();
  buffer.setTransform(a, b, c, d, e - area.x, f - area.y);
  const outer = buffer.getTransform();
  buffer.save();
  buffer.transform(...placed.matrix);
  const inner = buffer.getTransform();
  buffer.save();
  drawing.paint(buffer);
  buffer.restore();
  if (look.radius > 0) roundCorners(buffer, drawing.box, look.radius);
  if (look.shine !== undefined) paintShine(buffer, drawing.box, look.shine);
  if (look.reveal) keepRevealed(buffer, union([drawing.box, drawing.bounds]), look.reveal);
  buffer.restore();

  const filtered = look.filter ? filterBitmap(buffer.canvas, scaledFilter(look.filter, inner)) : buffer.canvas;
  if (filtered !== buffer.canvas) freeDrawn(buffer.canvas, filtered.getContext("2d"));
  const masked = look.mask ? maskedBitmap(filtered, look.mask, { inner, outer, box: drawing.box }) : filtered;
  const shown = look.shadow ? shadowed(masked, look.shadow, inner) : masked;
  context.save();
  context.resetTransform();
  context.globalAlpha = look.alpha;
  context.globalCompositeOperation = compositeOf(look.blend);
  context.drawImage(shown, area.x, area.y);
  context.restore();
  freeDrawn(shown, context);
}

/** The bitmap with its shadow, which opacity and blending then act on together. Frees the bitmap. */
function shadowed(bitmap: Bitmap, shadow: Shadow, { a, b, c, d }: Transform): Bitmap {
  const context = newCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.setTransform(a, b, c, d, 0, 0);
  setShadow(context, shadow);
  context.resetTransform();
  context.drawImage(bitmap, 0, 0);
  freeDrawn(bitmap, context);
  return context.canvas;
}

type Transform = ReturnType<SKRSContext2D["getTransform"]>;

function maskedBitmap(
  bitmap: Bitmap,
  mask: LoadedMask,
  spaces: { inner: Transform; outer: Transform; box: Box },
): Bitmap {
  const context = bitmap.getContext("2d");
  context.save();
  context.setTransform(mask.space === "layer" ? spaces.inner : spaces.outer);
  mask.apply(context, spaces.box);
  context.restore();
  return bitmap;
}

/** A blur grows with its layer. */
function scaledFilter(filter: Filter, { a, b, c, d }: Transform): Filter {
  return filter.blur ? { ...filter, blur: filter.blur * Math.sqrt(Math.abs(a * d - b * c)) } : filter;
}

/** The part of the context that the layer reaches, with what a blur or a shadow brings in from outside. */
function visibleArea(context: SKRSContext2D, bounds: Box, { filter, shadow }: Look): Box {
  const { a, b, c, d, e, f } = context.getTransform();
  const device = transformedBounds(bounds, [a, b, c, d, e, f]);
  const scale = Math.sqrt(Math.abs(a * d - b * c));
  const reach =
    (filter ? filterReach(filter) : 0) + (shadow ? Math.hypot(shadow.offsetX, shadow.offsetY) + 1.5 * shadow.blur : 0);
  const { width, height } = context.canvas;
  const limits = grow({ x: 0, y: 0, width, height }, Math.min(maxReach, Math.ceil(reach * scale)));
  return intersect(snapOutward(device, 1), limits);
}

/** In pixels: what lies further outside is too faint to justify its memory. */
const maxReach = 600;
