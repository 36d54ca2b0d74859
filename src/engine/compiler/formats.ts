import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";
import type { Command } from "./command.ts";
import { rec709Tags, timescaleOf, withoutMetadata } from "./encoding.ts";
import { findPalette } from "./filters/palette.ts";
import { input } from "./graph/graph.ts";
import { printGraph, printRate } from "./graph/print.ts";
import { openFile } from "./sources.ts";

/** The encoders of other formats than MP4. Each segment is encoded by itself. */
export type OtherEncoding = (VpxEncoding | ProResEncoding | GifEncoding) & {
  readonly hasAlpha: boolean;
  readonly threads: number;
  readonly separateGops?: undefined;
};

export type VpxEncoding = {
  readonly codec: "vp9";
  readonly crf: number;
  readonly deadline: "realtime" | "good";
  readonly cpuUsed: number;
};

type ProResEncoding = { readonly codec: "prores"; readonly quantizer: number };

/** `palette` is the path of a PNG with the colors of the whole film. */
type GifEncoding = { readonly codec: "gif"; readonly palette: string };

type Segment = { readonly range: FrameRange; readonly rate: FrameRate; readonly canvas: Canvas };

/** Encodes a segment's frames into a file of its own. */
export function encodeOther(encoding: OtherEncoding, segment: Segment, output: string): readonly string[] {
  const frames = framesIn(segment.range);
  return [
    ...encoderArgs(encoding, segment),
    ...["-r", printRate(segment.rate), "-frames:v", `${frames}`],
    ...withoutMetadata,
    ...muxerArgs(encoding, segment),
    ...["-y", `file:${output}`],
  ];
}

function encoderArgs(encoding: OtherEncoding, { range }: Segment): readonly string[] {
  const { hasAlpha, threads } = encoding;
  if (encoding.codec === "gif") return ["-c:v", "gif", ...(hasAlpha ? wholePictures : [])];
  if (encoding.codec === "prores")
    return [
      ...["-c:v", "prores_ks", "-profile:v", "4444", "-vendor", "apl0", "-threads", `${threads}`],
      ...["-q:v", `${encoding.quantizer}`],
      ...["-pix_fmt", hasAlpha ? "yuva444p10le" : "yuv444p10le", ...(hasAlpha ? ["-alpha_bits", "16"] : [])],
      ...rec709Tags,
    ];
  return [
    ...["-c:v", "libvpx-vp9", "-pix_fmt", hasAlpha ? "yuva420p" : "yuv420p", "-threads", `${threads}`],
    ...["-deadline", encoding.deadline, "-cpu-used", `${encoding.cpuUsed}`, "-crf", `${encoding.crf}`, "-b:v", "0"],
    ...["-g", `${framesIn(range)}`, "-lag-in-frames", "12", "-tile-columns", "0", "-frame-parallel", "0"],
    // the second stream, which has the alpha, has no such frames
    ...(hasAlpha ? ["-auto-alt-ref", "0"] : []),
    ...rec709Tags,
  ];
}

/** A picture that becomes transparent again cannot be drawn as a difference. */
const wholePictures = ["-gifflags", "-offsetting-transdiff"];

function muxerArgs(encoding: OtherEncoding, { rate }: Segment): readonly string[] {
  if (encoding.codec === "gif") return ["-f", "gif"];
  if (encoding.codec === "vp9") return [...alphaMode(encoding.hasAlpha), "-f", "webm"];
  return ["-video_track_timescale", `${timescaleOf(rate)}`, "-movflags", "+write_colr", "-f", "mov"];
}

const alphaMode = (hasAlpha: boolean) => (hasAlpha ? ["-metadata:s:v:0", "alpha_mode=1"] : []);

type Film = {
  /** A list of `segmentList`. */
  readonly list: string;
  /** A WAV file. */
  readonly sound: string;
  readonly segments: number;
  readonly rate: FrameRate;
  readonly hasAlpha: boolean;
};

const filmFormats = {
  webm: (film: Film) => [
    ...["-c:a", "libopus", "-b:a", "160k", ...alphaMode(film.hasAlpha)],
    // an index at the front, so that players seek before they have the whole file; each segment has an entry
    ...["-reserve_index_space", `${1024 + 32 * film.segments}`],
    ...["-f", "webm"],
  ],
  mov: ({ rate }: Film) => [
    ...["-c:a", "pcm_s16le", "-video_track_timescale", `${timescaleOf(rate)}`],
    ...["-movflags", "+faststart+write_colr", "-f", "mov"],
  ],
} as const;

/** Joins encoded segments with a sound. */
export function compileFilm(format: keyof typeof filmFormats, film: Film, output: string): Command {
  return {
    inputArgs: [
      ...openList(film.list, format === "webm" ? "matroska,webm" : "mov,mp4,m4a,3gp,3g2,mj2"),
      ...openFile(film.sound, "wav"),
    ],
    graph: "",
    outputArgs: [
      ...["-map", "0:v", "-map", "1:a", "-c:v", "copy", ...withoutMetadata],
      ...filmFormats[format](film),
      ...["-y", `file:${output}`],
    ],
    writes: [output],
  };
}

const openList = (list: string, demuxer: string): readonly string[] =>
  openFile(list, `concat,${demuxer}`, ["-f", "concat"]);

/** The list of files that ffmpeg joins, each with its length, so that rounded times of a file add up to none. */
export function segmentList(
  segments: readonly { readonly name: string; readonly range: FrameRange }[],
  rate: FrameRate,
) {
  const microseconds = (frame: number) => Math.round(1e6 * toSeconds(frame, rate));
  const lines = segments.map(({ name, range }) => {
    const length = microseconds(range.end) - microseconds(range.start);
    return `file ${name}\nduration ${(length / 1e6).toFixed(6)}\n`;
  });
  return lines.join("");
}

/** Encodes a finished sound as MP3. */
export const compileMp3 = (sound: string, output: string): Command => ({
  inputArgs: openFile(sound, "wav"),
  graph: "",
  outputArgs: [
    ...["-map", "0:a", ...withoutMetadata, "-c:a", "libmp3lame", "-b:a", "192k"],
    ...["-f", "mp3", "-y", `file:${output}`],
  ],
  writes: [output],
});

/** Finds the palette of numbered pictures. */
export function compilePalette(pattern: string, output: string): Command {
  const pictures = openFile(pattern, "image2", ["-threads", "1", "-f", "image2", "-start_number", "0"]);
  const { text, map } = printGraph(findPalette(input("video", 0)));
  return {
    inputArgs: pictures,
    graph: text,
    outputArgs: ["-map", map, "-frames:v", "1", "-c:v", "png", "-f", "image2", "-y", `file:${output}`],
    writes: [output],
  };
}
