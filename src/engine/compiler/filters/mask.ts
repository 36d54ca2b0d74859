import type { ChromaKey } from "../../timeline/overlay.ts";
import type { FrameRate } from "../../timeline/time.ts";
import { filter, type Video } from "../graph/graph.ts";
import { endlessColor, format } from "./color.ts";
import type { Size } from "./geometry.ts";
import { trim } from "./time.ts";

type FadeTime = { readonly startSeconds: number; readonly seconds: number };

/** Fades the alpha in or out, by the stream's own timestamps. */
export const fadeAlpha = (video: Video, direction: "in" | "out", { startSeconds, seconds }: FadeTime): Video =>
  filter("video", "fade", [format(video, "yuva420p")], { t: direction, st: startSeconds, d: seconds, alpha: 1 });

/** One gray frame; `level` is an expression of X, Y, W and H. */
export const drawGray = (size: Size, rate: FrameRate, level: string): Video => {
  const single = trim(endlessColor("black", size, rate), { start: 0, end: 1 });
  return filter("video", "geq", [format(single, "gray")], { lum: level });
};

/** Maps each gray level; `level` is an expression of `val`. */
export const mapGray = (video: Video, level: string): Video => filter("video", "lut", [video], { y: level });

/** Adds an expression of the time `t` to the brightness; 1 is the whole range. */
export const addBrightness = (video: Video, brightness: string): Video =>
  filter("video", "eq", [video], { brightness, eval: "frame" });

/** Multiplies the gray levels by an expression of the frame number `n`. */
export const fadeGray = (video: Video, factor: string): Video =>
  filter("video", "eq", [video], {
    contrast: factor,
    brightness: `-0.5*(1-(${factor}))`,
    // with a gamma the filter computes exactly, else in hundredths
    gamma: 1.00001,
    eval: factor.startsWith("if") ? "frame" : "init",
  });

/** The product of gray levels as shares of the whole range. */
export const multiplyGray = (one: Video, other: Video): Video =>
  filter("video", "blend", [one, other], { all_mode: "multiply" });

/** Uses the gray levels of `mask` as the alpha of `video`. */
export const applyMask = (video: Video, mask: Video): Video => filter("video", "alphamerge", [video, mask]);

/** The absolute difference of two gray videos. */
export const difference = (one: Video, other: Video): Video =>
  filter("video", "blend", [one, other], { all_mode: "difference" });

/** Divides the colors of a video over black by its alpha. */
export const toStraightAlpha = (video: Video): Video => filter("video", "unpremultiply", [video], { inplace: 1 });

/** Makes pixels near a color transparent, and takes its spill out of the others. */
export const keyColor = (video: Video, { color, similarity, smoothness }: ChromaKey): Video => {
  const hex = [color.red, color.green, color.blue].map((channel) => channel.toString(16).padStart(2, "0")).join("");
  const isGreen = color.green >= color.blue;
  const keyed = filter("video", "chromakey", [format(video, "yuva420p")], {
    color: `0x${hex}`,
    similarity: Math.max(0.01, similarity),
    blend: smoothness,
  });
  return filter("video", "despill", [keyed], { type: isGreen ? "green" : "blue" });
};

/** The alpha of frames as gray levels. */
export const extractAlpha = (video: Video): Video => filter("video", "alphaextract", [video]);
