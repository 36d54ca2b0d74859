import type { Color } from "../../../platform/colors.ts";
import type { FrameRate } from "../../timeline/time.ts";
import { filter, type Video } from "../graph/graph.ts";
import { printNumber, printRate } from "../graph/print.ts";
import { type Size, scale, setSquarePixels } from "./geometry.ts";
import { resetTimestamps, trim } from "./time.ts";

type PixelFormat =
  | "yuv420p"
  | "yuv420p|yuvj420p"
  | "yuv444p"
  | "yuva420p"
  | "gray"
  | "rgb24"
  | "rgb565le"
  | "bgra"
  | "rgba";

export const format = (video: Video, pixelFormat: PixelFormat): Video =>
  filter("video", "format", [video], { pix_fmts: pixelFormat });

/** One plane of a YUV video as gray frames. */
export const extractPlane = (video: Video, plane: "y" | "u" | "v"): Video =>
  filter("video", "extractplanes", [video], { planes: plane });

/** Three streams of gray frames as the planes of a yuv420p video: luma, and two of half its size. */
export const mergePlanes = (planes: readonly Video[]): Video =>
  filter("video", "mergeplanes", planes, { mapping: "0x001020", format: "yuv420p" });

const fromRec709 = { in_color_matrix: "bt709", in_range: "tv" } as const;

/** Like `toRgb`, with alpha. */
export const toRgba = (video: Video, size: Size): Video => toRgb(video, size, "rgba");

/** Converts to few colors, of which ordered dithering mixes the others. */
export const toDitheredBgra = (video: Video, { width, height }: Size): Video => {
  const dither = { flags: "bicubic", ...fromRec709, sws_dither: "bayer" };
  return format(format(filter("video", "scale", [video], { w: width, h: height, ...dither }), "rgb565le"), "bgra");
};

/** Scales to a size and converts to the RGB values that ffmpeg decodes from the encoded export. */
export const toRgb = (video: Video, size: Size, pixelFormat: "rgb24" | "rgba" = "rgb24"): Video =>
  format(
    filter("video", "scale", [video], { w: size.width, h: size.height, flags: "bicubic", ...fromRec709 }),
    pixelFormat,
  );

/**
 * Declares frames as BT.709, of limited range by default, without converting them. From 7.1 on, ffmpeg converts frames
 * with another declaration, or none, where they meet other frames or an encoder.
 */
export const declareRec709 = (video: Video, { fullRange = false } = {}): Video =>
  filter("video", "setparams", [video], {
    range: fullRange ? "pc" : "tv",
    color_primaries: "bt709",
    color_trc: "bt709",
    colorspace: "bt709",
  });

export type CodedColors = { readonly matrix: "bt601" | "bt709" | "bt2020"; readonly fullRange: boolean };

const matrixNames = { bt601: "smpte170m", bt709: "bt709", bt2020: "bt2020ncl" } as const;

/** Converts to BT.709 of limited range. Needs yuv420p or yuvj420p of an even size. */
export const convertToRec709 = (video: Video, { matrix, fullRange }: CodedColors): Video =>
  filter("video", "colorspace", [video], {
    ispace: matrixNames[matrix],
    irange: fullRange ? "pc" : "tv",
    // equal before and after: only matrix and range change, which takes a tenth of the time of a full conversion
    iprimaries: "bt709",
    itrc: "bt709",
    all: "bt709",
    range: "tv",
    format: "yuv420p",
  });

/**
 * Maps high dynamic range to BT.709 in linear light. PQ is SMPTE ST 2084, HLG is ARIB STD-B67, both as in BT.2100.
 * White is 100 nits; Hable's curve compresses brighter values.
 */
export function toneMap(video: Video, transfer: "pq" | "hlg"): Video {
  const tin = transfer === "pq" ? "smpte2084" : "arib-std-b67";
  const linear = filter("video", "zscale", [video], { tin, min: "2020_ncl", pin: "2020", t: "linear", npl: 100 });
  const wide = filter("video", "format", [linear], { pix_fmts: "gbrpf32le" });
  const narrow = filter("video", "zscale", [wide], { p: "709" });
  const mapped = filter("video", "tonemap", [narrow], { tonemap: "hable", desat: 0 });
  return filter("video", "zscale", [mapped], { t: "709", m: "709", r: "limited" });
}

export const blur = (video: Video, sigma: number): Video => filter("video", "gblur", [video], { sigma });

/** Near a Gaussian, which one step is not. */
export const blurWhile = (video: Video, sigma: number, when: While): Video =>
  filter("video", "gblur", [video], { sigma, steps: 2, ...when });

/** Options of a filter that runs on some frames only: an expression of the frame number `n`. */
export type While = { readonly enable?: string };

/** The rows for red, green and blue: factors of red, green, blue and alpha, from -2 to 2. */
export type ColorMatrix = readonly (readonly [number, number, number, number])[];

/** Multiplies RGBA by a matrix. Alpha stays. */
export const mixChannels = (video: Video, matrix: ColorMatrix, when: While): Video => {
  const entries = ["r", "g", "b"].flatMap((to, row) =>
    ["r", "g", "b", "a"].map((from, column) => [`${to}${from}`, matrix[row]![column]!] as const),
  );
  return filter("video", "colorchannelmixer", [video], { ...Object.fromEntries(entries), ...when });
};

/** Maps red, green and blue by expressions of their level `val`, 0..255. */
export const mapRgb = (video: Video, [r, g, b]: readonly string[]): Video =>
  filter("video", "lut", [video], { r: `${r}+0.5`, g: `${g}+0.5`, b: `${b}+0.5` });

/** The colors of a cube along one edge are the square of this; the picture that holds them has its cube as sides. */
const cubeLevel = 6;

/** A picture of a color cube, for `applyCube`. Expressions give red, green and blue, for those in the variables 0 to 2. */
export function drawCube([r, g, b]: readonly string[], rate: FrameRate): Video {
  const [edge, side] = [cubeLevel ** 2, cubeLevel ** 3];
  const number = `(Y*${side}+X)`;
  const at = (divisor: number) => `mod(floor(${number}/${divisor}),${edge})/${edge - 1}`;
  const prefix = [1, edge, edge ** 2].map((divisor, index) => `st(${index},${at(divisor)});`).join("");
  const blank = trim(endlessColor("black", { width: side, height: side }, rate), { start: 0, end: 1 });
  const planes = filter<"video">("video", "format", [blank], { pix_fmts: "gbrp" });
  // the threads of the ffmpeg of 2018 share the variables of an expression
  const colors = { r: `${prefix}${r}`, g: `${prefix}${g}`, b: `${prefix}${b}`, thread_type: 0 };
  const drawn = filter<"video">("video", "geq", [planes], colors);
  return format(drawn, "rgb24");
}

/** Maps colors by a cube; between its colors, it interpolates. */
export const applyCube = (video: Video, cube: Video): Video => filter("video", "haldclut", [video, cube]);

/** Back from `toRgb`. */
export const fromRgb = (video: Video, size: Size): Video =>
  declareRec709(format(scale(video, size, { toRec709: true }), "yuv420p"));

/** Mixes each frame with black. `opacity` is an expression of the frame number `n`. */
export const mixWithBlack = (video: Video, opacity: string): Video =>
  filter("video", "eq", [video], {
    contrast: opacity,
    // keeps 16, which is black
    brightness: `-${printNumber(0.5 - 16 / 255)}*(1-(${opacity}))`,
    saturation: opacity,
    // with a gamma the filter computes exactly, else in hundredths
    ...{ gamma: 1.00001, gamma_r: 1.0001, gamma_b: 1.0001 },
    eval: opacity.startsWith("if") ? "frame" : "init",
  });

/** Drawn as RGB and converted here: the matrix that ffmpeg uses for a color of its own depends on its version. */
const endlessRgb = ({ red, green, blue }: Color, size: Size, rate: FrameRate): Video => {
  const hex = [red, green, blue].map((channel) => channel.toString(16).padStart(2, "0")).join("");
  const drawn = filter("video", "color", [], { c: `0x${hex}`, s: `${size.width}x${size.height}`, r: printRate(rate) });
  return scale(format(drawn, "rgb24"), size, { toRec709: true });
};

/** Endless frames of one color. */
export const endlessColor = (color: "black" | "white", { width, height }: Size, rate: FrameRate): Video =>
  filter("video", "color", [], { c: color, s: `${width}x${height}`, r: printRate(rate) });

export type Paint = "black" | "white" | Color;

export const solidColor = (color: Paint, size: Size, rate: FrameRate, frames: number): Video => {
  const endless = typeof color === "string" ? endlessColor(color, size, rate) : endlessRgb(color, size, rate);
  const declared = declareRec709(format(endless, "yuv420p"));
  const finite = trim(declared, { start: 0, end: frames });
  return resetTimestamps(setSquarePixels(finite), rate);
};
