import type { FrameRate } from "../timeline/time.ts";
import { printRate } from "./graph/print.ts";

/** Options of libx264. */
export type Encoding = {
  readonly preset: string;
  readonly crf: number;
  readonly threads: number;
  /** Parameters of x264 that differ from the preset's, by name. */
  readonly parameters?: Readonly<Record<string, number>>;
  /** Encodes each GOP as if it were alone, so that one process can encode several segments. For fast presets only. */
  readonly separateGops?: SeparateGops;
  /** The CPU features that the encoder may use, as its option `asm` names them. Default: all. */
  readonly cpuFeatures?: string | undefined;
};

/** `hasTree`: the preset has x264's macroblock tree, which affects the quantizer that a CRF stands for. */
type SeparateGops = { readonly hasTree: boolean };

/** H.264 with closed GOPs of fixed length, so that segments can be joined without encoding again. */
export function videoEncoding(
  encoding: Encoding,
  rate: FrameRate,
  { frames, gopFrames }: { readonly frames: number; readonly gopFrames: number },
): readonly string[] {
  return [
    ...["-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p"],
    ...["-preset", encoding.preset, ...quantizerArgs(encoding, rate), "-threads", `${encoding.threads}`],
    ...["-g", `${gopFrames}`, "-keyint_min", `${gopFrames}`, "-sc_threshold", "0", "-flags", "+cgop"],
    ...rec709Tags,
    ...["-r", printRate(rate), "-frames:v", `${frames}`],
  ];
}

export const rec709Tags: readonly string[] =
  "-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv".split(" ");

function quantizerArgs(encoding: Encoding, rate: FrameRate): readonly string[] {
  const { crf, parameters = {}, separateGops, cpuFeatures } = encoding;
  const quantizer = separateGops ? quantizerOf(crf, rate, separateGops) : crf;
  const params = [
    ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`),
    ...(separateGops ? [...historyFree, `zones=0,${2 ** 30},q=${quantizer}`] : []),
    ...(cpuFeatures === undefined ? [] : [`asm=${cpuFeatures}`]),
  ];
  return ["-crf", `${quantizer}`, ...(params.length > 0 ? ["-x264-params", params.join(":")] : [])];
}

/**
 * x264 carries two things from one GOP into the next. Its lookahead crosses keyframes because of `psy`, which has
 * no other effect at these presets. Its rate control derives the quantizer of a keyframe from that of the frames before
 * it: with equal quantizers for all types of frames, set by a zone as whole numbers, the mean is exactly that number.
 * See x264_slicetype_analyse and rate_estimate_qscale in x264's slicetype.c and ratecontrol.c.
 */
const historyFree = ["psy=0", "ipratio=1", "pbratio=1"];

/**
 * The quantizer that x264 uses for P frames at a CRF, before it adapts to the content. From
 * x264_ratecontrol_init_reconfigurable and get_qscale, with qcompress 0.6: the tree adds 13.5 * 0.4, and the duration
 * of frames, relative to 25 fps, counts with the power 0.4.
 */
function quantizerOf(crf: number, { num, den }: FrameRate, { hasTree }: SeparateGops): number {
  if (!hasTree) return crf;
  const secondsPerFrame = Math.min(1, Math.max(0.01, den / num));
  return Math.round(crf + 13.5 * 0.4 + 6 * 0.4 * Math.log2(0.04 / secondsPerFrame));
}

/** Ticks per second, such that every frame starts on a whole tick. */
export function timescaleOf({ num }: FrameRate): number {
  let timescale = num;
  while (timescale < 10_000) timescale *= 2;
  return timescale;
}

// the ffmpeg of 2018 defaults to a faster AAC coder, which makes loud tones flutter
export const soundEncodingAt = (kilobits: number): readonly string[] => [
  ...["-c:a", "aac", "-aac_coder", "twoloop", "-b:a", `${kilobits}k`],
  ...["-ar", "48000", "-ac", "2"],
];

export const soundKilobits = 192;
export const soundEncoding = soundEncodingAt(soundKilobits);

/** Frames as raw RGB pixels, three bytes each, one frame after another. */
export const toRawRgb = (path: string, rate: FrameRate, frames: number): readonly string[] => [
  ...["-c:v", "rawvideo", "-pix_fmt", "rgb24", "-r", printRate(rate)],
  ...["-frames:v", `${frames}`, "-f", "rawvideo", "-y", `file:${path}`],
];

/** Frames as raw RGBA pixels, one frame after another. */
export const toRawRgba = (path: string, rate: FrameRate, frames: number): readonly string[] => [
  ...["-c:v", "rawvideo", "-pix_fmt", "rgba", "-r", printRate(rate)],
  ...["-frames:v", `${frames}`, "-f", "rawvideo", "-y", `file:${path}`],
];

export const withoutMetadata = ["-map_metadata", "-1", "-map_chapters", "-1"];

/** `videoRate` makes every frame start on a whole tick of the file's clock. */
export const toMp4 = (path: string, videoRate?: FrameRate): readonly string[] => [
  ...withoutMetadata,
  ...(videoRate ? ["-video_track_timescale", `${timescaleOf(videoRate)}`] : []),
  ...["-movflags", "+faststart+write_colr", "-f", "mp4", "-y", `file:${path}`],
];

/** An MP4 whose clock ticks in microseconds, so that every frame keeps its time. The first one must be at zero. */
export const toTimedMp4 = (path: string): readonly string[] => [
  ...withoutMetadata,
  ...["-enc_time_base", "1:1000000", "-video_track_timescale", "1000000"],
  // the ffmpeg of 2018 gives the last frame no duration, and an edit list would then end before it
  ...["-use_editlist", "0", "-movflags", "+faststart+write_colr", "-f", "mp4", "-y", `file:${path}`],
];

/** Files numbered from `first`, one per segment: `pattern` has `%d` for the number, and doubled percent signs. */
export type NumberedFiles = { readonly pattern: string; readonly first: number };

export const pathsOf = ({ pattern, first }: NumberedFiles, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) =>
    pattern.replaceAll(/%([%d])/g, (_, sign) => (sign === "d" ? `${first + index}` : "%")),
  );

/** One MP4 per segment, without encoding again. Each segment begins with a keyframe. */
export const toNumberedMp4s = (
  { pattern, first }: NumberedFiles,
  segmentFrames: readonly number[],
  rate: FrameRate,
): readonly string[] => {
  // the last one is the unreachable end, because the list must not be empty
  const ends = segmentFrames.map((_, index) =>
    segmentFrames.slice(0, index + 1).reduce((end, frames) => end + frames, 0),
  );
  return [
    ...withoutMetadata,
    ...["-f", "segment", "-segment_format", "mp4", "-segment_frames", ends.join(","), "-reset_timestamps", "1"],
    // the first segment would begin late, by the delay of the encoder
    ...["-avoid_negative_ts", "disabled"],
    ...["-segment_format_options", `movflags=+faststart+write_colr:video_track_timescale=${timescaleOf(rate)}`],
    ...["-segment_start_number", `${first}`, "-y", `file:${pattern}`],
  ];
};

/** The finished sound of formats that do not take AAC. */
export const toFinishedWav = (path: string): readonly string[] => [
  ...withoutMetadata,
  ...["-c:a", "pcm_s16le", "-ar", "48000", "-ac", "2", "-f", "wav", "-y", `file:${path}`],
];

export const toWav = (path: string): readonly string[] => [
  ...withoutMetadata,
  ...["-c:a", "pcm_f32le", "-f", "wav", "-y", `file:${path}`],
];
