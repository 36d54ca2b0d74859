import type { Source } from "../timeline/source.ts";
import type { FrameRange } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { DrawnOverlay } from "./layers.ts";

/** All that ffmpeg must be told: `ffmpeg ...inputArgs -filter_complex_script <file holding graph> ...outputArgs`. */
export type Command = {
  readonly inputArgs: readonly string[];
  /** Empty when the command has no filtergraph. */
  readonly graph: string;
  readonly outputArgs: readonly string[];
};

/** Where the bytes lie on the disk. For an image: a prepared upright PNG. */
export type Files = { pathOf(source: Source): string };

export type Encoding = { readonly preset: string; readonly crf: number; readonly threads: number };

export type Segment = {
  readonly timeline: Timeline;
  readonly range: FrameRange;
  /** Bottom first. */
  readonly overlays: readonly DrawnOverlay[];
  readonly files: Files;
  readonly encoding: Encoding;
};

export type SoundPlan = {
  readonly groups: readonly { readonly command: Command; readonly output: string }[];
  readonly mix: { readonly command: Command; readonly output: string };
};

/** A part of the film's picture as MP4 without sound. */
export const compileSegment = (_segment: Segment, _output: string): Command => {
  throw new Error("Not written yet.");
};

/** The film's sound, exactly as long as its picture. The groups come first, in any order. */
export const compileSound = (
  _film: { readonly timeline: Timeline; readonly files: Files },
  _folder: string,
): SoundPlan => {
  throw new Error("Not written yet.");
};

/** Joins finished segments and the sound without encoding again. `segmentList` is a list for the concat demuxer. */
export const compileMux = (
  _parts: { readonly segmentList: string; readonly sound: string },
  _output: string,
): Command => {
  throw new Error("Not written yet.");
};
