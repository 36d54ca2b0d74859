import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { Span } from "../../timeline/track.ts";
import { solidColor } from "../filters/color.ts";
import { crop, pad, paintOver, type Size, scale, stack } from "../filters/geometry.ts";
import { addBrightness, applyMask, drawGray, fadeAlpha, mapGray } from "../filters/mask.ts";
import { concat, loopFirstFrame, resetTimestamps, resetTimestampsToMiddles, trim } from "../filters/time.ts";
import type { Video } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";

/** Two streams with exactly the frames `shown`, counted inside a transition of `frames` frames. */
type Blend = {
  readonly from: Video;
  readonly to: Video;
  readonly shown: FrameRange;
  readonly frames: number;
  readonly canvas: Canvas;
  readonly rate: FrameRate;
};

type DrawBlend = (blend: Blend) => Video;
type Kind = Extract<Span, { kind: "transition" }>["transition"];

/** Only the frames of the transition pass these filters, and every version of ffmpeg outputs the same pixels. */
const transitions: Record<Kind, DrawBlend> = {
  fade: (blend) => fade(blend, blend.from, blend.to, "in", { start: 0, end: blend.frames }),
  fadeblack: (blend) => fadeThrough(blend, "black"),
  fadewhite: (blend) => fadeThrough(blend, "white"),
  wipeleft: (blend) => wipe(blend, "x", "backward"),
  wiperight: (blend) => wipe(blend, "x", "forward"),
  wipeup: (blend) => wipe(blend, "y", "backward"),
  wipedown: (blend) => wipe(blend, "y", "forward"),
  slideleft: (blend) => slide(blend, "x", "backward"),
  slideright: (blend) => slide(blend, "x", "forward"),
  slideup: (blend) => slide(blend, "y", "backward"),
  slidedown: (blend) => slide(blend, "y", "forward"),
  circleopen: (blend) => reveal(blend, { level: "255*hypot(X-W/2,Y-H/2)/hypot(W/2,H/2)", shrink: 4, softness: 0.34 }),
  // the hash of common shaders and of xfade's dissolve: the fractional part of a very fast sine
  dissolve: (blend) =>
    reveal(blend, { level: "255*mod(abs(sin(X*12.9898+Y*78.233)*43758.5453),1)", shrink: 2, softness: 0.02 }),
};

export const drawTransition = (kind: Kind, blend: Blend): Video =>
  resetTimestamps(transitions[kind](blend), blend.rate);

/** An expression for the progress 0..1 at the middle of the frame at time `t`. */
const progressOf = ({ shown, frames, rate }: Blend): string =>
  `(t*${printNumber(rate.num)}/${printNumber(rate.den)}+${printNumber(shown.start + 0.5)})/${printNumber(frames)}`;

/** Fades `above` in or out over `below`. The fade lasts for the frames `span` of the transition. */
function fade({ shown, rate }: Blend, below: Video, above: Video, direction: "in" | "out", span: FrameRange): Video {
  const timed = resetTimestampsToMiddles(above, rate, shown.start);
  const fadeTime = { startSeconds: toSeconds(span.start, rate), seconds: toSeconds(framesIn(span), rate) };
  return paintOver(below, resetTimestamps(fadeAlpha(timed, direction, fadeTime), rate), { x: 0, y: 0 });
}

/** Fades out to a color in the first half, and in from it in the second. An odd middle frame is the plain color. */
function fadeThrough(blend: Blend, color: "black" | "white"): Video {
  const { shown, frames, canvas, rate } = blend;
  const half = (part: FrameRange, above: Video, direction: "in" | "out", span: FrameRange) => {
    const range = { start: Math.max(part.start, shown.start), end: Math.min(part.end, shown.end) };
    if (range.start >= range.end) return [];
    const trimmed = trim(above, { start: range.start - shown.start, end: range.end - shown.start });
    const background = solidColor(color, canvas, rate, framesIn(range));
    return [fade({ ...blend, shown: range }, background, resetTimestamps(trimmed, rate), direction, span)];
  };
  const middle = Math.floor(frames / 2);
  return concat(
    [
      ...half({ start: 0, end: middle }, blend.from, "out", { start: 0, end: frames / 2 }),
      ...half({ start: middle, end: frames }, blend.to, "in", { start: frames / 2, end: frames }),
    ],
    rate,
  );
}

type Axis = "x" | "y";
type Direction = "forward" | "backward";

const lengthAlong = (axis: Axis, { width, height }: Size) => (axis === "x" ? width : height);

const doubleAlong = (axis: Axis, { width, height }: Size): Size =>
  axis === "x" ? { width: 2 * width, height } : { width, height: 2 * height };

const positionOn = (axis: Axis, position: string) => (axis === "x" ? { x: position, y: 0 } : { x: 0, y: position });

/** An expression for the edge's position on its axis. The added 0.01 keeps whole pixels from rounding down. */
function edgeOf(blend: Blend, axis: Axis, direction: Direction): string {
  const progress = progressOf(blend);
  const share = direction === "forward" ? progress : `(1-${progress})`;
  return `${printNumber(lengthAlong(axis, blend.canvas))}*${share}+0.01`;
}

/** Both videos stand still and the edge moves: the part of `above` behind it is cropped and painted at its position. */
function wipe(blend: Blend, axis: Axis, direction: Direction): Video {
  const { from, to, canvas, rate } = blend;
  const below = direction === "backward" ? from : to;
  const above = direction === "backward" ? to : from;
  const edge = positionOn(axis, edgeOf(blend, axis, direction));
  const behindEdge = crop(pad(above, doubleAlong(axis, canvas), { x: 0, y: 0 }), canvas, edge);
  return paintOver(below, resetTimestamps(behindEdge, rate), edge);
}

/** Both videos move side by side: the new one pushes the old one out. */
function slide(blend: Blend, axis: Axis, direction: Direction): Video {
  const { from, to, canvas } = blend;
  const stacking = axis === "x" ? "horizontal" : "vertical";
  const strip = direction === "backward" ? stack([from, to], stacking) : stack([to, from], stacking);
  const opposite = direction === "backward" ? "forward" : "backward";
  return crop(strip, canvas, positionOn(axis, edgeOf(blend, axis, opposite)));
}

/** A gray map as an expression of X and Y, the divisor of its size, and the share of grays in the moving edge. */
type RevealMap = { readonly level: string; readonly shrink: number; readonly softness: number };

/** Shows the new video first where the map is dark, and last where it is light. */
function reveal(blend: Blend, { level, shrink, softness }: RevealMap): Video {
  const { from, to, canvas, rate, shown } = blend;
  const small = { width: Math.ceil(canvas.width / shrink), height: Math.ceil(canvas.height / shrink) };
  const map = scale(drawGray(small, rate, level), canvas, { smooth: softness > 0.1 });
  // half the range of levels leaves room for the brightness to move the whole map across the threshold
  const halved = mapGray(map, "64+(255-val)/2");
  const frames = resetTimestamps(trim(loopFirstFrame(halved), { start: 0, end: framesIn(shown) }), rate);

  const slope = softness / 2;
  const reach = 0.25 + slope;
  const moving = addBrightness(frames, `${printNumber(2 * reach)}*${progressOf(blend)}-${printNumber(reach)}`);
  const opacity = `clip((val/255-0.5)/${printNumber(slope)}+0.5,0,1)`;
  // eased as 3x² - 2x³, so that the edge has no hard lines
  const mask = mapGray(moving, `255*pow(${opacity},2)*(3-2*${opacity})`);
  return paintOver(from, resetTimestamps(applyMask(to, mask), rate), { x: 0, y: 0 });
}
