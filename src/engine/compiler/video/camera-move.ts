import { type FrameRate, toFrame } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { Command } from "../command.ts";
import { toMp4, videoEncoding } from "../encoding.ts";
import { declareRec709, extractPlane, format, mergePlanes } from "../filters/color.ts";
import { crop, drawWindows, evenSize, pad, scale, setSquarePixels } from "../filters/geometry.ts";
import {
  averageWithPrevious,
  blendToRate,
  loopFirstFrame,
  loopFrames,
  resetTimestamps,
  trim,
} from "../filters/time.ts";
import { input, type Video } from "../graph/graph.ts";
import { printGraph, printNumber } from "../graph/print.ts";
import { openPixels } from "../sources.ts";

/** An enlargement about the center of the still. */
type Zoom = { readonly kind: "zoom"; readonly from: number; readonly to: number };

/** A view of the still at an enlargement, which moves along an axis over the whole cropped length. */
type Slide = {
  readonly kind: "slide";
  readonly axis: "x" | "y";
  /** The view moves to the right, or down. */
  readonly isForward: boolean;
  readonly zoom: number;
};

export type CameraPath = Zoom | Slide;

/** A camera move over a still that fills the canvas. */
type CameraShot = {
  /** Opaque RGBA pixels of the size `stillSize(canvas)`. */
  readonly stillPath: string;
  readonly canvas: Canvas;
  readonly path: CameraPath;
  readonly durationSeconds: number;
};

const cameraRate: FrameRate = { num: 30, den: 1 };

const gopFrames = 60;

// keeps the sharpness of the canvas where the still is enlarged
const oversize = 1.25;

export const stillSize = ({ width, height }: Canvas): Canvas => ({
  width: evenSize(width * oversize),
  height: evenSize(height * oversize),
});

/** Encodes the move as MP4 without sound. */
export function compileCameraMove(shot: CameraShot, output: string): Command {
  const { path, canvas, stillPath } = shot;
  const frames = Math.max(2, toFrame(shot.durationSeconds, cameraRate));
  const { video, progress } = path.kind === "zoom" ? zoomSteps(path, canvas, frames) : slideSteps(path, canvas);
  const moving = blendToRate(video, `${printNumber(frames - 1)}*${timeOf(progress)}`, cameraRate);
  const below = trim(moving, { start: 0, end: frames });
  const { text, map } = printGraph(declareRec709(setSquarePixels(below)));
  // half the time of superfast at the same SSIM, for twice the bytes
  const encoding = videoEncoding({ preset: "ultrafast", crf: 18, threads: 1 }, cameraRate, { frames, gopFrames });
  return {
    inputArgs: ["-filter_complex_threads", "1", ...openPixels(stillPath, stillSize(canvas))],
    graph: text,
    outputArgs: ["-map", map, ...encoding, ...toMp4(output, cameraRate)],
    writes: [output],
  };
}

/**
 * Frames of the move in steps of whole pixels of the still, and how much of the move each has covered, from 0 to 1: an
 * expression of the frame number `N`. Each is shown when the move reaches it, and blended with its neighbors until
 * then. So the move is exact to a fraction of a pixel, and no filter has to sample between pixels, which costs most.
 */
type Steps = { readonly video: Video; readonly progress: string };

// steps of three fifths of a pixel: larger ones would blur every other frame
const pixelsPerCanvas = 5 / 3;
const maxStepsPerFrame = 1.5;

/** The windows of a square copy of the still: both sides of a window are then the same number of pixels. */
function zoomSteps({ from, to }: Zoom, canvas: Canvas, frames: number): Steps {
  const side = evenSize(pixelsPerCanvas * Math.max(canvas.width, canvas.height));
  const widest = evenSize(side / Math.min(from, to));
  const cropped = (widest - side / Math.max(from, to)) / 2;
  const step = Math.max(1, Math.ceil(cropped / (maxStepsPerFrame * frames)));
  const last = Math.max(1, Math.round(cropped / step));
  const windowAt = (number: string) => {
    // chroma has a window before the first one
    const narrowing = from < to ? `abs(${number})` : `(${last}-${number})`;
    return `(${widest}-${2 * step}*${narrowing})`;
  };

  const square = format(scale(input("video", 0), { width: side, height: side }, { toRec709: true }), "yuv420p");
  const luma = drawWindows(extractPlane(square, "y"), { side, window: windowAt("on"), count: last + 1 }, canvas);
  const chroma = (plane: "u" | "v") => {
    const windows = { side, window: windowAt("(on-1)"), count: last + 2 };
    const half = { width: canvas.width / 2, height: canvas.height / 2 };
    // every other window of these smaller planes lies half a pixel off its center, which would look like shaking
    return averageWithPrevious(drawWindows(extractPlane(square, plane), windows, half));
  };
  const planes = [luma, chroma("u"), chroma("v")].map((plane) => resetTimestamps(plane, cameraRate));
  // the enlargement changes evenly, and it is the inverse of the window
  return { video: mergePlanes(planes), progress: `N/${last}*${windowAt(`${last}`)}/${windowAt("N")}` };
}

/** Steps of a slide for each pixel of the canvas. */
const phases = 4;

/** Crops of a few copies of the still, each shifted by a fraction of a pixel more. */
function slideSteps({ axis, isForward, zoom }: Slide, canvas: Canvas): Steps {
  const along = axis === "x" ? "width" : "height";
  const enlarged = { width: evenSize(canvas.width * zoom), height: evenSize(canvas.height * zoom) };
  const last = Math.round(phases * canvas[along] * zoom) - phases * canvas[along];
  const number = isForward ? "n" : `(${last}-n)`;
  // chroma needs crops on even pixels, so the copies cover two pixels
  const copies = 2 * phases;
  const copyLength = canvas[along] + 2 * Math.floor(last / copies);

  const fine = { ...enlarged, [along]: phases * canvas[along] + last };
  const still = loopFirstFrame(format(scale(input("video", 0), fine, { toRec709: true }), "yuv444p"));
  // some copies end past the still, where no crop of theirs shows them
  const padded = pad(still, { ...fine, [along]: fine[along] + copies }, { x: 0, y: 0 });
  const centered = { x: (enlarged.width - canvas.width) / 2, y: (enlarged.height - canvas.height) / 2 };
  const shift = { ...centered, [axis]: `mod(${number},${copies})` };
  const shifted = trim(crop(padded, { ...canvas, [along]: phases * copyLength }, shift), { start: 0, end: copies });
  const images = format(scale(shifted, { ...canvas, [along]: copyLength }), "yuv420p");
  const position = { x: 0, y: 0, [axis]: `2*floor(${number}/${copies})` };
  const video = trim(crop(loopFrames(images, copies), canvas, position), { start: 0, end: last + 1 });
  return { video, progress: `N/${last}` };
}

/** The time at which a share of the move is done. It starts at six tenths of the mean speed and ends at rest. */
const timeOf = (progress: string): string => `root(0.6*ld(0)+1.8*ld(0)*ld(0)-1.4*ld(0)*ld(0)*ld(0)-${progress},1)`;
