import { type FrameRate, toFrame } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { Command } from "../compile.ts";
import { pictureEncoding, toMp4 } from "../encoding.ts";
import {
  cropped,
  inFormat,
  looped,
  numbered,
  scaled,
  squarePixels,
  throughWindow,
  trimmed,
} from "../filters/filters.ts";
import { input } from "../graph/graph.ts";
import { printGraph, printNumber } from "../graph/print.ts";
import { openFile } from "../sources.ts";
import { evenSize } from "./fit.ts";

/** A camera's view of a still: its middle as shares of the still's sides, and how many times it enlarges. */
export type View = { readonly x: number; readonly y: number; readonly zoom: number };

/** A picture that fills the canvas, seen from one view to another. Every view lies inside the picture. */
export type CameraShot = {
  /** An opaque PNG of the size that `stillSize` tells. */
  readonly stillPath: string;
  readonly canvas: Canvas;
  readonly from: View;
  readonly to: View;
  readonly durationSeconds: number;
};

export const cameraRate: FrameRate = { num: 30, den: 1 };

// read at its own size, a picture gets crisp whenever a move comes to rest on whole pixels: it never does on these
const oversize = 1.25;

export const stillSize = ({ width, height }: Canvas): Canvas => ({
  width: evenSize(width * oversize),
  height: evenSize(height * oversize),
});

/** The move as MP4 without sound. */
export function compileCameraMove(shot: CameraShot, output: string): Command {
  const [still, frames] = [stillSize(shot.canvas), Math.max(1, toFrame(shot.durationSeconds, cameraRate))];
  const picture = inFormat(scaled(input("video", 0), still, { toRec709: true }), "yuv420p");
  const repeated = numbered(trimmed(looped(picture), { start: 0, end: frames }), cameraRate);
  const seen = throughWindow(repeated, windowOf(shot, still, frames));
  const { text, map } = printGraph(squarePixels(cropped(seen, shot.canvas, { x: 0, y: 0 })));
  const encoding = pictureEncoding({ preset: "superfast", crf: 17, threads: 1 }, cameraRate, frames);
  return {
    inputArgs: ["-filter_complex_threads", "1", ...openFile(shot.stillPath, "png_pipe", ["-threads", "1"])],
    graph: text,
    outputArgs: ["-map", map, ...encoding, ...toMp4(output)],
  };
}

/** In pixels of the still. It is wider than what is seen by as much as the still is than the canvas: the rest is cropped. */
function windowOf({ canvas, from, to }: CameraShot, still: Canvas, frames: number) {
  const between = (a: number, b: number) => `(${printNumber(a)}+${printNumber(b - a)}*${easedProgress(frames)})`;
  const step = (side: "width" | "height") =>
    `${printNumber(still[side] / canvas[side])}/${between(from.zoom, to.zoom)}`;
  // pixels are read at their corners: half a pixel of the canvas is not half a pixel of the still
  const start = (side: "width" | "height", middle: string) =>
    `${middle}*${printNumber(still[side])}-0.5-${printNumber((canvas[side] - 1) / 2)}*${step(side)}`;
  const [left, top] = [start("width", between(from.x, to.x)), start("height", between(from.y, to.y))];
  return {
    left,
    top,
    right: `${left}+${printNumber(still.width)}*${step("width")}`,
    bottom: `${top}+${printNumber(still.height)}*${step("height")}`,
  };
}

/** At its start the move is under way at six tenths of its mean speed, and at its end it has come to rest. */
const easedProgress = (frames: number): string =>
  `(0.6*st(0,min((on-1)/${printNumber(Math.max(1, frames - 1))},1))+1.8*ld(0)*ld(0)-1.4*ld(0)*ld(0)*ld(0))`;
