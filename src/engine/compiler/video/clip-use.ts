import { clipTime } from "../../motion/clip-time.ts";
import { pictureEnd, type Source } from "../../timeline/source.ts";
import { type FrameRange, type FrameRate, intersection } from "../../timeline/time.ts";
import { type Clip, clipsOf, type Span } from "../../timeline/track.ts";
import { printNumber } from "../graph/print.ts";
import { decoderArgs } from "../sources.ts";

/** A clip as one input of a command. */
export type ClipUse = {
  readonly clip: Clip;
  readonly inputIndex: number;
  /** The frames that are used, counted from the clip's start. */
  readonly frames: FrameRange;
  /** Decodes the source from its start, because frames before the used ones are damaged. */
  readonly isUnseekable?: boolean;
  /** The first use of an input that several uses share. It starts at or before the others. */
  readonly firstUse?: ClipUse;
};

/** One use per clip that is visible in `range`, even if several spans show the clip. */
export function clipUsesIn(spans: readonly Span[], range: FrameRange): readonly ClipUse[] {
  const uses = new Map<Clip, ClipUse>();
  for (const span of spans) {
    const visible = intersection(span.range, range);
    if (!visible) continue;
    for (const clip of clipsOf(span)) {
      const frames = toClipFrames(clip, visible);
      const earlier = uses.get(clip);
      uses.set(clip, {
        clip,
        inputIndex: earlier?.inputIndex ?? uses.size,
        frames: earlier ? { start: earlier.frames.start, end: Math.max(earlier.frames.end, frames.end) } : frames,
      });
    }
  }
  return [...uses.values()];
}

/** Frames of the timeline as frames of the clip, counted from its start. */
export const toClipFrames = (clip: Clip, { start, end }: FrameRange): FrameRange => ({
  start: start - clip.range.start,
  end: end - clip.range.start,
});

/** Seeks to whole seconds: ffmpeg rounds the seek time to ticks of the file, which may be coarse. */
export function seekTo(use: ClipUse, rate: FrameRate): { seekSeconds: number; offsetSeconds: number } {
  const { clip, frames, firstUse = use } = use;
  const end = pictureEnd(clip.source.facts) ?? Number.POSITIVE_INFINITY;
  const timeOf = (frame: number) => Math.min(clipTime(clip, frame, rate), end);
  const firstFrame = clip.reverses ? firstUse.frames.end - 1 : firstUse.frames.start;
  const seekSeconds = use.isUnseekable
    ? 0
    : Math.max(0, Math.floor(timeOf(firstFrame) - seekMarginSeconds(clip.source)));
  return { seekSeconds, offsetSeconds: timeOf(frames.start) - seekSeconds };
}

/** A seek may land this much too late, because it follows decoding order, a few frames off display order. */
const seekMarginSeconds = ({ facts: { picture } }: Source): number => Math.max(0.3, 4 / (picture?.frameRate || 10));

/** Input options of a still picture: its file is an upright PNG. */
export const pictureArgs: readonly string[] = ["-threads", "1", "-f", "png_pipe"];

/** Input options that decode a clip from the last frame at or before its first used frame. */
export function videoArgs(use: ClipUse, rate: FrameRate, threads: number): readonly string[] {
  const { facts } = use.clip.source;
  if (facts.kind === "image") return pictureArgs;
  const { seekSeconds } = seekTo(use, rate);
  return [
    ...decoderArgs(facts),
    // a change of the frame size in mid-stream would restart the whole graph
    ...["-threads", `${threads}`, "-reinit_filter", "0"],
    ...(seekSeconds > 0 ? ["-noaccurate_seek", "-ss", printNumber(seekSeconds)] : []),
  ];
}
