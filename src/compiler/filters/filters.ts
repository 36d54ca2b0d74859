import type { Mirroring } from "../../timeline/source.ts";
import type { FrameRange, FrameRate } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { filter, type Video } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";

export type Size = Canvas;
export type Point = { readonly x: number; readonly y: number };
/** Of a picture, as shares of its sides. */
export type Part = Point & Size;

/** Pixels, or expressions of the time `t`: then what lies there moves. */
type Place = { readonly x: string | number; readonly y: string | number };

const fraction = ({ num, den }: FrameRate) => `${num}/${den}`;
const tick = ({ num, den }: FrameRate) => `${den}/${num}`;

// a stream may end at its last picture's own time, or a little before, and fps then loses it: pictures pass it early
const leadFrames = 240;

/**
 * Moves a stream back, each picture to the first frame of `rate` that begins at its time or after it. In microseconds
 * first, because setpts cuts off fractions of a tick; and not by fps, which counts from a rounded first picture.
 */
export const shiftBack = (video: Video, microseconds: number, rate: FrameRate): Video => {
  const fine = filter("video", "settb", [video], { expr: "AVTB" });
  const [num, den] = [printNumber(rate.num), printNumber(rate.den * 1e6)];
  const frameOf = (time: string) => `ceil((${time}-${printNumber(microseconds)})*${num}/${den})`;
  // newer versions move the stream's end by this too: a frame after the last picture at least, as every picture
  const frame = `max(${frameOf("PREV_INPTS")}+1,${frameOf("PTS")})-${leadFrames}`;
  const moved = filter("video", "setpts", [fine], { expr: `(${frame})*${den}/${num}` });
  return filter("video", "settb", [moved], { expr: tick(rate) });
};

/** Each picture on every frame until the next one. */
export const steadied = (video: Video, rate: FrameRate): Video =>
  filter("video", "fps", [video], { fps: fraction(rate) });

/** From time zero on, at each frame the last picture at or before it; the first one holds before its time. */
export const sampledFromZero = (video: Video, rate: FrameRate): Video =>
  filter("video", "fps", [video], { fps: fraction(rate), start_time: 0, round: "up" });

/** The last picture of a steadied stream stays for ever. */
export const held = (video: Video): Video => {
  const endless = filter<"video">("video", "tpad", [video], { stop: -1, stop_mode: "clone" });
  return filter("video", "setpts", [endless], { expr: `PTS+${leadFrames}` });
};

/** Numbers the frames from `first` on; their clock ticks once a frame. */
export const numbered = (video: Video, rate: FrameRate, first = 0): Video => {
  const steady = filter("video", "settb", [video], { expr: tick(rate) });
  return filter("video", "setpts", [steady], { expr: first > 0 ? `N+${printNumber(first)}` : "N" });
};

/** The same clock, but each frame at its middle: a fade reads its progress there. */
export const numberedMiddles = (video: Video, { num, den }: FrameRate, first: number): Video => {
  const halves = filter("video", "settb", [video], { expr: tick({ num: 2 * num, den }) });
  return filter("video", "setpts", [halves], { expr: `2*N+${printNumber(2 * first + 1)}` });
};

export const trimmed = (video: Video, { start, end }: FrameRange): Video =>
  filter("video", "trim", [video], start > 0 ? { start_frame: start, end_frame: end } : { end_frame: end });

/** Some pictures by their number, counted from 0. */
export const pickedFrom = (video: Video, pictures: readonly number[]): Video =>
  filter("video", "select", [video], { expr: pictures.map((number) => `eq(n,${printNumber(number)})`).join("+") });

/** concat answers in microsecond ticks, so the frames are numbered again. */
export const concat = (videos: readonly Video[], rate: FrameRate): Video => {
  const [only, ...more] = videos;
  if (only && more.length === 0) return only;
  return numbered(filter("video", "concat", videos, { n: videos.length, v: 1, a: 0 }), rate);
};

export type PixelFormat = "yuv420p" | "yuva420p" | "gray" | "rgb24";

export const inFormat = (video: Video, format: PixelFormat): Video =>
  filter("video", "format", [video], { pix_fmts: format });

export const squarePixels = (video: Video): Video => filter("video", "setsar", [video], { sar: 1 });

/** A scale to the size and range that a stream has already costs nothing. */
export const scaled = (
  video: Video,
  { width, height }: Size,
  options: { readonly fullRange?: boolean; readonly toRec709?: boolean; readonly smooth?: boolean } = {},
): Video =>
  filter("video", "scale", [video], {
    w: width,
    h: height,
    flags: options.smooth === false ? "neighbor" : "bicubic",
    ...(options.fullRange && { in_range: "full", out_range: "tv" }),
    ...(options.toRec709 && { out_color_matrix: "bt709", out_range: "tv" }),
  });

/** As whoever decodes the film with ffmpeg sees it. */
export const inRgb = (video: Video, { width, height }: Size): Video => {
  const from = { in_color_matrix: "bt709", in_range: "tv" };
  return inFormat(filter("video", "scale", [video], { w: width, h: height, flags: "bicubic", ...from }), "rgb24");
};

/** For 8-bit pictures only. */
export const recoded = (video: Video, matrix: "bt601" | "bt2020"): Video =>
  filter("video", "colormatrix", [video], { src: matrix, dst: "bt709" });

/**
 * High dynamic range brought down to BT.709, in linear light: PQ is SMPTE ST 2084, HLG is ARIB STD-B67, both as in
 * BT.2100; 100 nits count as white, and Hable's curve bends what is brighter.
 */
export function toneMapped(video: Video, transfer: "pq" | "hlg"): Video {
  const tin = transfer === "pq" ? "smpte2084" : "arib-std-b67";
  const linear = filter("video", "zscale", [video], { tin, min: "2020_ncl", pin: "2020", t: "linear", npl: 100 });
  const wide = filter("video", "format", [linear], { pix_fmts: "gbrpf32le" });
  const narrow = filter("video", "zscale", [wide], { p: "709" });
  const mapped = filter("video", "tonemap", [narrow], { tonemap: "hable", desat: 0 });
  return filter("video", "zscale", [mapped], { t: "709", m: "709", r: "limited" });
}

const reflections: Readonly<Record<Mirroring, (video: Video) => Video>> = {
  upright: (video) => filter("video", "hflip", [video]),
  level: (video) => filter("video", "vflip", [video]),
  falling: (video) => filter("video", "transpose", [video], { dir: "cclock_flip" }),
  rising: (video) => filter("video", "transpose", [video], { dir: "clock_flip" }),
};

/** Pictures come turned from the decoder, but for those that are mirrored: they come as they are. */
export const unmirrored = (video: Video, mirroring?: Mirroring): Video =>
  mirroring ? reflections[mirroring](video) : video;

export const cropped = (video: Video, { width, height }: Size, at: Place): Video =>
  filter("video", "crop", [video], { w: width, h: height, ...at });

/** A part given in shares of the picture's sides, on even pixels. */
export const cutOut = (video: Video, { x, y, width, height }: Part): Video =>
  filter("video", "crop", [video], {
    w: sideOf("iw", width),
    h: sideOf("ih", height),
    x: evenShare("iw", x),
    y: evenShare("ih", y),
  });

const evenShare = (side: "iw" | "ih", share: number) => `2*floor(${side}*${printNumber(share)}/2+0.5)`;

// of an odd side the nearest even number may be larger
const sideOf = (side: "iw" | "ih", share: number) => (share > 0.999_999 ? side : evenShare(side, share));

export const padded = (video: Video, { width, height }: Size, at: Point): Video =>
  filter("video", "pad", [video], { w: width, h: height, ...at });

export const blurred = (video: Video, sigma: number): Video => filter("video", "gblur", [video], { sigma });

export const stacked = (videos: readonly [Video, Video], direction: "across" | "down"): Video =>
  filter("video", direction === "across" ? "hstack" : "vstack", videos);

/** Paints one picture over another, never in rgb: that costs more than all the rest. */
export const overlaid = (below: Video, above: Video, at: Place, shown: { readonly enable?: string } = {}): Video =>
  filter("video", "overlay", [below, above], { ...at, format: "yuv420", ...shown });

const filled = (color: "black" | "white", { width, height }: Size, rate: FrameRate): Video =>
  filter("video", "color", [], { c: color, s: `${width}x${height}`, r: fraction(rate) });

/** Frames of one color. */
export const solid = (color: "black" | "white", size: Size, rate: FrameRate, frames: number): Video => {
  const ended = trimmed(inFormat(filled(color, size, rate), "yuv420p"), { start: 0, end: frames });
  return numbered(squarePixels(ended), rate);
};

/** The first frame for ever. */
export const looped = (video: Video): Video => filter("video", "loop", [video], { loop: -1, size: 1, start: 0 });

/** Makes a stream transparent at one end, by its own clock. */
export const fadedAlpha = (
  video: Video,
  direction: "in" | "out",
  { startSeconds, seconds }: { readonly startSeconds: number; readonly seconds: number },
): Video =>
  filter("video", "fade", [inFormat(video, "yuva420p")], { t: direction, st: startSeconds, d: seconds, alpha: 1 });

/** A gray picture whose levels are an expression of X, Y, W and H. */
export const drawnGray = (size: Size, rate: FrameRate, level: string): Video => {
  const single = trimmed(filled("black", size, rate), { start: 0, end: 1 });
  return filter("video", "geq", [inFormat(single, "gray")], { lum: level });
};

/** Maps each level of a gray picture by an expression of `val`. */
export const mappedGray = (video: Video, level: string): Video => filter("video", "lut", [video], { y: level });

/** Adds to the brightness an expression of the time `t`; 1 is the whole range. */
export const brightened = (video: Video, brightness: string): Video =>
  filter("video", "eq", [video], { brightness, eval: "frame" });

export const masked = (video: Video, mask: Video): Video => filter("video", "alphamerge", [video, mask]);

/** Enlarges about the center by an expression of the frame's number `on`, at fractions of a pixel: a crop would jitter. */
export const zoomed = (video: Video, enlargement: string): Video => {
  const near = (side: "W" | "H") => `${side}*(1-1/(${enlargement}))/2`;
  const far = (side: "W" | "H") => `${side}*(1+1/(${enlargement}))/2`;
  return filter("video", "perspective", [video], {
    x0: near("W"),
    y0: near("H"),
    x1: far("W"),
    y1: near("H"),
    x2: near("W"),
    y2: far("H"),
    x3: far("W"),
    y3: far("H"),
    interpolation: "linear",
    eval: "frame",
  });
};

/** Pixels, or expressions of the frame's number `on`, which counts from one. */
export type Window = Record<"left" | "top" | "right" | "bottom", string>;

/** What a window shows that moves over the picture, stretched to the picture's own size, at fractions of a pixel. */
export const throughWindow = (video: Video, { left, top, right, bottom }: Window): Video =>
  filter("video", "perspective", [video], {
    ...{ x0: left, y0: top, x1: right, y1: top },
    ...{ x2: left, y2: bottom, x3: right, y3: bottom },
    interpolation: "linear",
    eval: "frame",
  });
