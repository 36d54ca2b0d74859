import type { FrameRate } from "../timeline/time.ts";
import { printRate } from "./graph/print.ts";

/** Options of libx264. */
export type Encoding = { readonly preset: string; readonly crf: number; readonly threads: number };

const gopSeconds = 2;

const gopFramesOf = ({ num, den }: FrameRate): number => Math.max(1, Math.round((gopSeconds * num) / den));

/** H.264 with closed GOPs of fixed length, so that segments can be joined without encoding again. */
export function videoEncoding({ preset, crf, threads }: Encoding, rate: FrameRate, frames: number): readonly string[] {
  const gopFrames = `${gopFramesOf(rate)}`;
  return [
    ...["-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p"],
    ...["-preset", preset, "-crf", `${crf}`, "-threads", `${threads}`],
    ...["-g", gopFrames, "-keyint_min", gopFrames, "-sc_threshold", "0", "-flags", "+cgop"],
    ...["-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709", "-color_range", "tv"],
    ...["-r", printRate(rate), "-video_track_timescale", `${timescaleOf(rate)}`],
    ...["-frames:v", `${frames}`],
  ];
}

/** Ticks per second, such that every frame starts on a whole tick. */
function timescaleOf({ num }: FrameRate): number {
  let timescale = num;
  while (timescale < 10_000) timescale *= 2;
  return timescale;
}

// the ffmpeg of 2018 defaults to a faster AAC coder, which makes loud tones flutter
export const soundEncoding = [
  ...["-c:a", "aac", "-aac_coder", "twoloop", "-b:a", "192k"],
  ...["-ar", "48000", "-ac", "2"],
];

/** Frames as raw RGB pixels, three bytes each, one frame after another. */
export const toRawRgb = (path: string, rate: FrameRate, frames: number): readonly string[] => [
  ...["-c:v", "rawvideo", "-pix_fmt", "rgb24", "-r", printRate(rate)],
  ...["-frames:v", `${frames}`, "-f", "rawvideo", "-y", `file:${path}`],
];

const withoutMetadata = ["-map_metadata", "-1", "-map_chapters", "-1"];

export const toMp4 = (path: string): readonly string[] => [
  ...withoutMetadata,
  ...["-movflags", "+faststart+write_colr", "-f", "mp4", "-y", `file:${path}`],
];

export const toWav = (path: string): readonly string[] => [
  ...withoutMetadata,
  ...["-c:a", "pcm_f32le", "-f", "wav", "-y", `file:${path}`],
];
