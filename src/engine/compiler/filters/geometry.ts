import type { Mirroring, VideoFacts } from "../../timeline/source.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { filter, type Video } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { numberAt } from "./time.ts";

export type Size = Canvas;
export type Point = { readonly x: number; readonly y: number };
/** A rectangle in a frame, as fractions of the frame's sides. */
export type Region = Point & Size;

/** Pixels, or expressions of the time `t` for a position that moves. */
type Position = { readonly x: string | number; readonly y: string | number };

/** Chroma has half the resolution of luma, so all sizes and positions are even. */
export const evenSize = (length: number): number => Math.max(2, 2 * Math.round(length / 2));

export const setSquarePixels = (video: Video): Video => filter("video", "setsar", [video], { sar: 1 });

type ScaleOptions = {
  /** For input of full range: keep it, or limit it, which costs as much as scaling. */
  readonly fullRange?: "keep" | "limit";
  /** Set for RGB input. */
  readonly toRec709?: boolean;
  readonly smooth?: boolean;
};

/** Free for a stream that already has this size and range. */
export const scale = (video: Video, { width, height }: Size, options: ScaleOptions = {}): Video =>
  scaleTo(video, width, height, options);

/** Makes odd sides shorter by a pixel. */
export const scaleToEven = (video: Video, options: ScaleOptions = {}): Video =>
  scaleTo(video, "2*floor(iw/2)", "2*floor(ih/2)", options);

const scaleTo = (video: Video, w: number | string, h: number | string, options: ScaleOptions): Video =>
  filter("video", "scale", [video], {
    w,
    h,
    flags: options.smooth === false ? "neighbor" : "bicubic",
    ...(options.fullRange && { in_range: "full", out_range: options.fullRange === "keep" ? "full" : "tv" }),
    ...(options.toRec709 && { out_color_matrix: "bt709", out_range: "tv" }),
  });

const reflections: Readonly<Record<Mirroring, (video: Video) => Video>> = {
  upright: (video) => filter("video", "hflip", [video]),
  level: (video) => filter("video", "vflip", [video]),
  falling: (video) => filter("video", "transpose", [video], { dir: "cclock_flip" }),
  rising: (video) => filter("video", "transpose", [video], { dir: "clock_flip" }),
};

/**
 * Turns a mirrored video upright. ffmpeg's decoder rotates the others; mirrored ones are opened with -noautorotate.
 * Removes the mirroring from the frames: ffmpeg 9 would pass it to the encoded file, and players would mirror again.
 */
const unmirror = (video: Video, mirroring?: Mirroring): Video =>
  mirroring ? withoutDisplayMatrix(reflections[mirroring](video)) : video;

/** A file's frames as they are to be shown: deinterlaced and upright. */
export const asSeen = (video: Video, picture?: VideoFacts): Video =>
  unmirror(picture?.isInterlaced ? deinterlace(video) : video, picture?.mirroring);

/** Changes only frames that are marked as interlaced. */
const deinterlace = (video: Video): Video =>
  filter("video", "bwdif", [video], { mode: "send_frame", parity: "auto", deint: "interlaced" });

const withoutDisplayMatrix = (video: Video): Video =>
  filter("video", "sidedata", [video], { mode: "delete", type: "DISPLAYMATRIX" });

export const crop = (video: Video, { width, height }: Size, { x, y }: Position): Video =>
  filter("video", "crop", [video], { w: width, h: height, x, y });

/** Crops to a region, on even pixels. */
export const cropRegion = (video: Video, { x, y, width, height }: Region): Video =>
  filter("video", "crop", [video], {
    w: evenSide("iw", width),
    h: evenSide("ih", height),
    x: evenFraction("iw", x),
    y: evenFraction("ih", y),
  });

const evenFraction = (side: "iw" | "ih", fraction: number) => `2*floor(${side}*${printNumber(fraction)}/2+0.5)`;

// for an odd side the nearest even number may be larger than the side
const evenSide = (side: "iw" | "ih", fraction: number) => (fraction > 0.999_999 ? side : evenFraction(side, fraction));

export const pad = (video: Video, { width, height }: Size, at: Point): Video =>
  filter("video", "pad", [video], { w: width, h: height, ...at });

export const stack = (videos: readonly [Video, Video], direction: "horizontal" | "vertical"): Video =>
  filter("video", direction === "horizontal" ? "hstack" : "vstack", videos);

/** ffmpeg's `overlay`. Works in YUV: RGB costs more than all other filters together. */
export const paintOver = (
  below: Video,
  above: Video,
  at: Position,
  options: { readonly enable?: string } = {},
): Video => filter("video", "overlay", [below, above], { ...at, format: "yuv420", ...options });

/** Enlarges about the center by an expression of the frame number `on`. Crop would jitter by whole pixels. */
export const zoom = (video: Video, factor: string): Video => {
  const near = (side: "W" | "H") => `${side}*(1-1/(${factor}))/2`;
  const far = (side: "W" | "H") => `${side}*(1+1/(${factor}))/2`;
  return zoomToWindow(video, { left: near("W"), top: near("H"), right: far("W"), bottom: far("H") });
};

/** Pixels, or expressions of the frame number `on`, which counts from 1. */
type ZoomWindow = Record<"left" | "top" | "right" | "bottom", string>;

/**
 * Draws `count` windows about the center of one frame, each scaled to `size`. `window` is the side of the window in a
 * square frame of the side `side`: an even number of pixels, as an expression of the window's number `on` from 0.
 * Also valid for a plane of half that side.
 */
export const drawWindows = (
  video: Video,
  { side, window, count }: { readonly side: number; readonly window: string; readonly count: number },
  { width, height }: Size,
): Video => {
  const start = `(${printNumber(side)}-(${window}))/2*iw/${printNumber(side)}`;
  // zoompan rounds the window down
  const factor = `${printNumber(side)}/(${window}+0.5)`;
  return filter("video", "zoompan", [video], { z: factor, x: start, y: start, d: count, s: `${width}x${height}` });
};

/** Stretches a moving window of the frame to the full frame. Moves by fractions of a pixel. */
const zoomToWindow = (video: Video, { left, top, right, bottom }: ZoomWindow): Video =>
  filter("video", "perspective", [video], {
    x0: left,
    y0: top,
    x1: right,
    y1: top,
    x2: left,
    y2: bottom,
    x3: right,
    y3: bottom,
    interpolation: "linear",
    eval: "frame",
  });

/** The points of the source that the corners of the frame show: top left, top right, bottom left, bottom right. */
export type Corners = readonly [Point, Point, Point, Point];

/** Maps each frame by its corners, in order; outside of the source its edge pixels repeat. */
export const mapCorners = (
  video: Video,
  frames: readonly Corners[],
  when: { readonly enable?: string } = {},
): Video => {
  // the filter counts frames from 1
  const at = (corner: 0 | 1 | 2 | 3, axis: "x" | "y") =>
    numberAt(
      frames.map((corners) => Math.round(corners[corner][axis] * 1000) / 1000),
      { variable: "on", first: 1 },
    );
  const corners = ([0, 1, 2, 3] as const).flatMap((corner) => [
    [`x${corner}`, at(corner, "x")] as const,
    [`y${corner}`, at(corner, "y")] as const,
  ]);
  const isStill = corners.every(([, value]) => !value.startsWith("if"));
  return filter("video", "perspective", [video], {
    ...Object.fromEntries(corners),
    interpolation: "linear",
    eval: isStill ? "init" : "frame",
    ...when,
  });
};
