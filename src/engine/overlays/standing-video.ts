import { type Box, coverSize, intersect, isEmpty, sizeWithin, snapOutward } from "../drawing/box.ts";
import type { DrawnState } from "../timeline/overlay.ts";
import type { Canvas } from "../timeline/timeline.ts";

/** A video that stands still and upright: ffmpeg scales and paints it, which costs a third of drawing its frames. */
export type StandingVideo = {
  /** The part of the canvas that it fills, on even pixels. */
  readonly box: Box;
  /** The size of its whole picture. */
  readonly size: Canvas;
  /** The position of the box in the picture. */
  readonly at: { readonly x: number; readonly y: number };
  /** White where the video is shown, if it is not opaque or does not fill its box. */
  readonly mask?: DrawnState;
};

const evenRound = (length: number): number => 2 * Math.round(length / 2);

/** Undefined for a look that has to be drawn. */
export function standingVideo(state: DrawnState, canvas: Canvas): StandingVideo | undefined {
  const { content, effects = {}, rotationDegrees, within, view = noView, moves, opacity } = state;
  const { radius, mask, anchor: _, ...drawn } = effects;
  if (content.kind !== "video" || rotationDegrees !== 0 || within || moves || Object.keys(drawn).length > 0) return;
  const { source, fit, box: own, focus = { x: 0.5, y: 0.5 }, zoom = 1 } = content;
  const { width = 0, height = 0, picture } = source.facts;
  if (width * height === 0 || picture?.hasAlpha) return undefined;

  const area = fit === "contain" ? centeredIn(own, sizeWithin(own, { width, height })) : own;
  const seen = {
    x: area.x * view.scale + view.x,
    y: area.y * view.scale + view.y,
    width: area.width * view.scale,
    height: area.height * view.scale,
  };
  const frame = { x: 0, y: 0, ...canvas };
  const box = intersect(snapOutward(seen, 2), frame);
  const whole = fit === "cover" ? coverSize(seen, { width, height }) : seen;
  const sizeOf = (length: number, shown: number) => Math.max(evenRound(length * zoom), shown);
  const size = { width: sizeOf(whole.width, box.width), height: sizeOf(whole.height, box.height) };
  if (isEmpty(box) || Math.max(size.width, size.height) > maxOversize * Math.max(canvas.width, canvas.height)) return;
  const place = (side: "x" | "y", length: "width" | "height") => {
    const middle = focus[side] * size[length] - seen[length] / 2;
    const start = Math.min(Math.max(0, middle), Math.max(0, size[length] - seen[length]));
    return Math.min(Math.max(0, evenRound(start + box[side] - seen[side])), size[length] - box[length]);
  };
  const isWhole = opacity === 1 && !radius && !mask && isEqual(intersect(seen, frame), box);
  return {
    box,
    size,
    at: { x: place("x", "width"), y: place("y", "height") },
    ...(!isWhole && { mask: maskOf(state, area) }),
  };
}

const noView = { scale: 1, x: 0, y: 0 };

const maxOversize = 2;

const centeredIn = (box: Box, { width, height }: Canvas): Box => ({
  x: box.x + (box.width - width) / 2,
  y: box.y + (box.height - height) / 2,
  width,
  height,
});

const isEqual = (one: Box, other: Box): boolean =>
  one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height;

const white = { red: 255, green: 255, blue: 255, alpha: 1 };

function maskOf({ effects: { radius, ...effects } = {}, ...state }: DrawnState, box: Box): DrawnState {
  return { ...state, effects, content: { kind: "shape", shape: "rect", box, fill: white, ...(radius && { radius }) } };
}
