import type { FrameRange, FrameRate } from "../../timeline/time.ts";
import { framesIn, toSeconds } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { Span } from "../../timeline/track.ts";
import {
  brightened,
  concat,
  cropped,
  drawnGray,
  fadedAlpha,
  looped,
  mappedGray,
  masked,
  numbered,
  numberedMiddles,
  overlaid,
  padded,
  type Size,
  scaled,
  solid,
  stacked,
  trimmed,
} from "../filters/filters.ts";
import type { Video } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";

/** Two streams with exactly the frames `shown`, counted inside a transition of `frames` frames. */
export type Blend = {
  readonly from: Video;
  readonly to: Video;
  readonly shown: FrameRange;
  readonly frames: number;
  readonly canvas: Canvas;
  readonly rate: FrameRate;
};

type Draw = (blend: Blend) => Video;
type Kind = Extract<Span, { kind: "transition" }>["transition"];

/** How each kind is drawn. Costs only the frames of the transition, and gives the same pictures on every ffmpeg. */
const draws: Record<Kind, Draw> = {
  fade: (blend) => faded(blend, blend.from, blend.to, "in", { start: 0, end: blend.frames }),
  fadeblack: (blend) => fadedThrough(blend, "black"),
  fadewhite: (blend) => fadedThrough(blend, "white"),
  wipeleft: (blend) => wiped(blend, "x", "backward"),
  wiperight: (blend) => wiped(blend, "x", "forward"),
  wipeup: (blend) => wiped(blend, "y", "backward"),
  wipedown: (blend) => wiped(blend, "y", "forward"),
  slideleft: (blend) => slid(blend, "x", "backward"),
  slideright: (blend) => slid(blend, "x", "forward"),
  slideup: (blend) => slid(blend, "y", "backward"),
  slidedown: (blend) => slid(blend, "y", "forward"),
  circleopen: (blend) => revealed(blend, { level: "255*hypot(X-W/2,Y-H/2)/hypot(W/2,H/2)", shrink: 4, softness: 0.34 }),
  // the hash by which shaders, and xfade's own dissolve, scatter pixels: the fraction of a very fast sine
  dissolve: (blend) =>
    revealed(blend, { level: "255*mod(abs(sin(X*12.9898+Y*78.233)*43758.5453),1)", shrink: 2, softness: 0.02 }),
};

export const drawTransition = (kind: Kind, blend: Blend): Video => numbered(draws[kind](blend), blend.rate);

/** The progress 0..1 of the frame at time `t`, taken at the middle of the frame. */
const progressOf = ({ shown, frames, rate }: Blend): string =>
  `(t*${printNumber(rate.num)}/${printNumber(rate.den)}+${printNumber(shown.start + 0.5)})/${printNumber(frames)}`;

/** Fades `above` in or out over `below`; `span` are the frames from nothing to all, counted in the transition. */
function faded({ shown, rate }: Blend, below: Video, above: Video, direction: "in" | "out", span: FrameRange): Video {
  const timed = numberedMiddles(above, rate, shown.start);
  const seconds = { startSeconds: toSeconds(span.start, rate), seconds: toSeconds(framesIn(span), rate) };
  return overlaid(below, numbered(fadedAlpha(timed, direction, seconds), rate), { x: 0, y: 0 });
}

/** Out to a color in the first half, in from it in the second. An odd frame in the middle is the bare color. */
function fadedThrough(blend: Blend, color: "black" | "white"): Video {
  const { shown, frames, canvas, rate } = blend;
  const half = (part: FrameRange, above: Video, direction: "in" | "out", span: FrameRange) => {
    const range = { start: Math.max(part.start, shown.start), end: Math.min(part.end, shown.end) };
    if (range.start >= range.end) return [];
    const kept = { start: range.start - shown.start, end: range.end - shown.start };
    const picture = numbered(trimmed(above, kept), rate);
    return [faded({ ...blend, shown: range }, solid(color, canvas, rate, framesIn(range)), picture, direction, span)];
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

const along = (axis: Axis, { width, height }: Size) => (axis === "x" ? width : height);

const doubled = (axis: Axis, { width, height }: Size): Size =>
  axis === "x" ? { width: 2 * width, height } : { width, height: 2 * height };

const on = (axis: Axis, place: string) => (axis === "x" ? { x: place, y: 0 } : { x: 0, y: place });

/** How far the edge is from the start of its axis. The hundredth keeps whole pixels from falling a hair below. */
function edgeOf(blend: Blend, axis: Axis, direction: Direction): string {
  const progress = progressOf(blend);
  const part = direction === "forward" ? progress : `(1-${progress})`;
  return `${printNumber(along(axis, blend.canvas))}*${part}+0.01`;
}

/** Nothing moves but the edge: what lies behind it is cut out of a picture and painted where it was. */
function wiped(blend: Blend, axis: Axis, direction: Direction): Video {
  const { from, to, canvas, rate } = blend;
  const [below, above] = direction === "backward" ? [from, to] : [to, from];
  const edge = on(axis, edgeOf(blend, axis, direction));
  const behind = cropped(padded(above, doubled(axis, canvas), { x: 0, y: 0 }), canvas, edge);
  return overlaid(below, numbered(behind, rate), edge);
}

/** Both pictures move side by side, the new one pushing the old one out. */
function slid(blend: Blend, axis: Axis, direction: Direction): Video {
  const { from, to, canvas } = blend;
  const flow = axis === "x" ? "across" : "down";
  const strip = direction === "backward" ? stacked([from, to], flow) : stacked([to, from], flow);
  const opposite = direction === "backward" ? "forward" : "backward";
  return cropped(strip, canvas, on(axis, edgeOf(blend, axis, opposite)));
}

/** A gray map as an expression of X and Y, how much smaller it is drawn, and how wide its edge is, of 0..1. */
type Reveal = { readonly level: string; readonly shrink: number; readonly softness: number };

/** Shows the new picture where a gray map is dark first, up to where it is light. */
function revealed(blend: Blend, { level, shrink, softness }: Reveal): Video {
  const { from, to, canvas, rate, shown } = blend;
  const small = { width: Math.ceil(canvas.width / shrink), height: Math.ceil(canvas.height / shrink) };
  const map = scaled(drawnGray(small, rate, level), canvas, { smooth: softness > 0.1 });
  // the map takes half of the levels, so that brightness can carry all of it past the threshold
  const halved = mappedGray(map, "64+(255-val)/2");
  const frames = numbered(trimmed(looped(halved), { start: 0, end: framesIn(shown) }), rate);

  const slope = softness / 2;
  const reach = 0.25 + slope;
  const moved = brightened(frames, `${printNumber(2 * reach)}*${progressOf(blend)}-${printNumber(reach)}`);
  const share = `clip((val/255-0.5)/${printNumber(slope)}+0.5,0,1)`;
  // eased as 3x² - 2x³, so that the edge has no hard lines
  const mask = mappedGray(moved, `255*pow(${share},2)*(3-2*${share})`);
  return overlaid(from, numbered(masked(to, mask), rate), { x: 0, y: 0 });
}
