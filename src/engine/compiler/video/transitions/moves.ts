import type { Canvas } from "../../../timeline/timeline.ts";
import { crop, pad, paintOver, type Size, stack } from "../../filters/geometry.ts";
import { resetTimestamps } from "../../filters/time.ts";
import type { Video } from "../../graph/graph.ts";
import { printNumber } from "../../graph/print.ts";
import { pose, poseClear, restPose } from "../effects/pose.ts";
import { atEachFrame, type Blend, easeInOut, progressOf } from "./blend.ts";
import { fadeDuring } from "./fades.ts";

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
export function wipe(blend: Blend, axis: Axis, direction: Direction): Video {
  const { from, to, canvas, rate } = blend;
  const below = direction === "backward" ? from : to;
  const above = direction === "backward" ? to : from;
  const edge = positionOn(axis, edgeOf(blend, axis, direction));
  const behindEdge = crop(pad(above, doubleAlong(axis, canvas), { x: 0, y: 0 }), canvas, edge);
  return paintOver(below, resetTimestamps(behindEdge, rate), edge);
}

/** Both videos move side by side: the new one pushes the old one out. */
export function slide(blend: Blend, axis: Axis, direction: Direction): Video {
  const { from, to, canvas } = blend;
  const stacking = axis === "x" ? "horizontal" : "vertical";
  const strip = direction === "backward" ? stack([from, to], stacking) : stack([to, from], stacking);
  const opposite = direction === "backward" ? "forward" : "backward";
  return crop(strip, canvas, positionOn(axis, edgeOf(blend, axis, opposite)));
}

/** The enlargement of the old video at the end of `zoom`, and the size of the new one at its begin. */
const farZoom = 2.5;
const nearZoom = 0.6;

/** The camera flies through the old video, and the new one comes near behind it. */
export function zoomThrough(blend: Blend): Video {
  const { from, to, canvas, rate } = blend;
  const scaled = (factor: number) => ({ ...restPose, scaleX: factor, scaleY: factor });
  const leaving = atEachFrame(blend, (progress) => scaled(1 + (farZoom - 1) * progress ** 3));
  const coming = atEachFrame(blend, (progress) => scaled(1 - (1 - nearZoom) * (1 - progress) ** 3));
  return fadeDuring(blend, pose(from, leaving, canvas), poseClear(to, coming, canvas, { rate }), [0.25, 0.75]);
}

/** Both videos turn by a half turn, enlarged so that they cover the canvas, and the new one ends upright. */
export function spin(blend: Blend): Video {
  const { from, to, canvas } = blend;
  const turned = (degrees: number) => {
    const scale = coveringScale(degrees, canvas);
    return { ...restPose, degrees, scaleX: scale, scaleY: scale };
  };
  const leaving = atEachFrame(blend, (progress) => turned(180 * easeInOut(progress)));
  const coming = atEachFrame(blend, (progress) => turned(180 * easeInOut(progress) - 180));
  return fadeDuring(blend, pose(from, leaving, canvas), pose(to, coming, canvas), [0.4, 0.6]);
}

/** The least enlargement at which a turned picture of the canvas's size covers the canvas. */
function coveringScale(degrees: number, { width, height }: Canvas): number {
  const angle = (degrees * Math.PI) / 180;
  const ratio = Math.max(width, height) / Math.min(width, height);
  return Math.abs(Math.cos(angle)) + ratio * Math.abs(Math.sin(angle));
}
