import { type FrameRate, toFrame } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { Command } from "../command.ts";
import { toMp4, videoEncoding } from "../encoding.ts";
import { format } from "../filters/color.ts";
import { crop, scale, setSquarePixels, type ZoomWindow, zoomToWindow } from "../filters/geometry.ts";
import { loopFirstFrame, resetTimestamps, trim } from "../filters/time.ts";
import { input } from "../graph/graph.ts";
import { printGraph, printNumber } from "../graph/print.ts";
import { openFile } from "../sources.ts";
import { evenSize } from "./fit.ts";

/** The visible part of a still: its center as fractions of the still's sides, and the enlargement. */
export type CameraView = { readonly x: number; readonly y: number; readonly zoom: number };

/** A camera move over a still that fills the canvas. Both views lie inside the still. */
type CameraShot = {
  /** An opaque PNG of the size `stillSize(canvas)`. */
  readonly stillPath: string;
  readonly canvas: Canvas;
  readonly from: CameraView;
  readonly to: CameraView;
  readonly durationSeconds: number;
};

const cameraRate: FrameRate = { num: 30, den: 1 };

// a still of the canvas's size would look sharper at the moments when the move falls on whole pixels
const oversize = 1.25;

export const stillSize = ({ width, height }: Canvas): Canvas => ({
  width: evenSize(width * oversize),
  height: evenSize(height * oversize),
});

/** Encodes the move as MP4 without sound. */
export function compileCameraMove(shot: CameraShot, output: string): Command {
  const size = stillSize(shot.canvas);
  const frames = Math.max(1, toFrame(shot.durationSeconds, cameraRate));
  const still = format(scale(input("video", 0), size, { toRec709: true }), "yuv420p");
  const repeated = resetTimestamps(trim(loopFirstFrame(still), { start: 0, end: frames }), cameraRate);
  const moving = zoomToWindow(repeated, windowOf(shot, size, frames));
  const { text, map } = printGraph(setSquarePixels(crop(moving, shot.canvas, { x: 0, y: 0 })));
  const encoding = videoEncoding({ preset: "superfast", crf: 17, threads: 1 }, cameraRate, frames);
  return {
    inputArgs: ["-filter_complex_threads", "1", ...openFile(shot.stillPath, "png_pipe", ["-threads", "1"])],
    graph: text,
    outputArgs: ["-map", map, ...encoding, ...toMp4(output)],
  };
}

type Side = "width" | "height";

/**
 * The window in pixels of the still. `zoomToWindow` outputs the still's size, and the crop keeps only the canvas. So
 * the window is larger than the view, in the same ratio.
 */
function windowOf({ canvas, from, to }: CameraShot, still: Canvas, frames: number): ZoomWindow {
  const between = (a: number, b: number) => `(${printNumber(a)}+${printNumber(b - a)}*${easedProgress(frames)})`;
  const step = (side: Side) => `${printNumber(still[side] / canvas[side])}/${between(from.zoom, to.zoom)}`;
  // perspective samples pixels at their corners, and half a pixel of the canvas is not half a pixel of the still
  const start = (side: Side, center: string) =>
    `${center}*${printNumber(still[side])}-0.5-${printNumber((canvas[side] - 1) / 2)}*${step(side)}`;
  const left = start("width", between(from.x, to.x));
  const top = start("height", between(from.y, to.y));
  return {
    left,
    top,
    right: `${left}+${printNumber(still.width)}*${step("width")}`,
    bottom: `${top}+${printNumber(still.height)}*${step("height")}`,
  };
}

/** Starts at six tenths of the mean speed and ends at rest: 0.6x + 1.8x² - 1.4x³. */
const easedProgress = (frames: number): string =>
  `(0.6*st(0,min((on-1)/${printNumber(Math.max(1, frames - 1))},1))+1.8*ld(0)*ld(0)-1.4*ld(0)*ld(0)*ld(0))`;
