import type { Container, MediaFacts, Source } from "../timeline/source.ts";
import { type FrameRange, type FrameRate, intersection, toSeconds } from "../timeline/time.ts";
import { type Clip, clipsOf, type Span } from "../timeline/track.ts";
import { printNumber } from "./graph/print.ts";

/** Where the bytes lie on the disk. For an image: a prepared upright PNG. */
export type Files = { pathOf(source: Source): string };

/** One input of a command: a clip, and which of its own frames are used, counted from its start. */
export type Use = {
  readonly clip: Clip;
  readonly inputIndex: number;
  readonly frames: FrameRange;
  /** The clip's frame that the input is opened for, where that is one before `frames`. */
  readonly openedFor?: number;
};

// a file can only be what its bytes were found to be: a playlist in disguise would open other files
const demuxers: Record<Container, string> = {
  mp4: "mov,mp4,m4a,3gp,3g2,mj2",
  matroska: "matroska,webm",
  ogg: "ogg",
  mp3: "mp3",
  wav: "wav",
  flac: "flac",
  adts: "aac",
  png: "png_pipe",
  jpeg: "png_pipe",
  webp: "png_pipe",
  gif: "png_pipe",
  avif: "png_pipe",
  font: "none",
};

/** Opens one local file with one family of demuxers. */
export const openFile = (path: string, demuxer: string, options: readonly string[] = []): readonly string[] => [
  ...options,
  ...["-protocol_whitelist", "file", "-format_whitelist", demuxer, "-i", `file:${path}`],
];

export const openSource = (source: Source, files: Files, options: readonly string[] = []): readonly string[] =>
  openFile(files.pathOf(source), demuxers[source.facts.container], options);

/** Each clip seen on the frames of `range` once, however many spans show it. */
export function usesIn(spans: readonly Span[], range: FrameRange): readonly Use[] {
  const uses = new Map<Clip, Use>();
  for (const span of spans) {
    const shown = intersection(span.range, range);
    if (!shown) continue;
    for (const clip of clipsOf(span)) {
      const { inputIndex, frames } = uses.get(clip) ?? { inputIndex: uses.size, frames: inClip(clip, shown) };
      const end = Math.max(frames.end, inClip(clip, shown).end);
      uses.set(clip, { clip, inputIndex, frames: { start: frames.start, end } });
    }
  }
  return [...uses.values()];
}

/** Frames of the timeline as frames of the clip, counted from its start. */
export const inClip = (clip: Clip, { start, end }: FrameRange): FrameRange => ({
  start: start - clip.range.start,
  end: end - clip.range.start,
});

/**
 * Where to begin decoding, and how long after that the first picture wanted is shown. Whole seconds,
 * because ffmpeg rounds what it takes from timestamps to ticks of the file, and those may be coarse.
 */
export function seekTo(use: Use, rate: FrameRate): { seekSeconds: number; offsetSeconds: number } {
  const { clip, frames, openedFor = frames.start } = use;
  const { durationSeconds = Number.POSITIVE_INFINITY } = clip.source.facts;
  const timeOf = (frame: number) => Math.min(clip.sourceStartSeconds + toSeconds(frame, rate), durationSeconds);
  const seekSeconds = Math.max(0, Math.floor(timeOf(openedFor) - seekMarginSeconds(clip.source)));
  return { seekSeconds, offsetSeconds: timeOf(frames.start) - seekSeconds };
}

/** How much too late a seek may land: it goes by decoding order, a few pictures away from the order of showing. */
const seekMarginSeconds = ({ facts: { picture } }: Source): number => Math.max(0.3, 4 / (picture?.frameRate || 10));

const alphaDecoders: Readonly<Record<string, string>> = { vp8: "libvpx", vp9: "libvpx-vp9" };

/** Which decoder reads a file's pictures whole; empty where ffmpeg's own choice does. */
export function decoderArgs({ picture }: MediaFacts): readonly string[] {
  const decoder = picture?.hasAlpha ? alphaDecoders[picture.codec] : undefined;
  // the ffmpeg of 2018 turns mirrored pictures and leaves them mirrored
  return [...(decoder ? ["-c:v", decoder] : []), ...(picture?.mirroring ? ["-noautorotate"] : [])];
}

/** What comes before `-i` so that a clip's pictures from the last one at or before its start are decoded. */
export function pictureArgs(use: Use, rate: FrameRate, threads: number): readonly string[] {
  const { facts } = use.clip.source;
  if (facts.kind === "image") return ["-threads", "1", "-f", "png_pipe"];
  const { seekSeconds } = seekTo(use, rate);
  return [
    ...decoderArgs(facts),
    // a change of size in mid-stream would start the whole graph again
    ...["-threads", `${threads}`, "-reinit_filter", "0"],
    ...(seekSeconds > 0 ? ["-noaccurate_seek", "-ss", printNumber(seekSeconds)] : []),
  ];
}
