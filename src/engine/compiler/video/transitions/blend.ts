import { type FrameRange, type FrameRate, framesIn } from "../../../timeline/time.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import type { Video } from "../../graph/graph.ts";
import { printNumber } from "../../graph/print.ts";

/** Two streams with exactly the frames `shown`, counted inside a transition of `frames` frames. */
export type Blend = {
  readonly from: Video;
  readonly to: Video;
  readonly shown: FrameRange;
  readonly frames: number;
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  /** The picture of the transition `luma` as one opaque frame of the canvas's size. */
  readonly luma?: Video | undefined;
};

/** An expression for the progress 0..1 at the middle of the frame at time `t`. */
export const progressOf = ({ shown, frames, rate }: Blend): string =>
  `(t*${printNumber(rate.num)}/${printNumber(rate.den)}+${printNumber(shown.start + 0.5)})/${printNumber(frames)}`;

/** A value of each shown frame, by the progress 0..1 at its middle. */
export const atEachFrame = <Value>({ shown, frames }: Blend, valueAt: (progress: number) => Value): readonly Value[] =>
  Array.from({ length: framesIn(shown) }, (_, index) => valueAt((shown.start + index + 0.5) / frames));

/** From 0 to 1, slow at both ends. */
export const easeInOut = (progress: number): number =>
  progress < 0.5 ? 4 * progress ** 3 : 1 - 4 * (1 - progress) ** 3;
