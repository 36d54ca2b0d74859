import type { Source } from "./source.ts";
import type { FrameRange } from "./time.ts";

/** One unbroken stretch of a clip's sound. Fades are at equal power and lie inside `range`. */
export type SoundPiece = {
  readonly source: Source;
  readonly range: FrameRange;
  /** Where in the source the piece begins, in seconds of the source's own clock. */
  readonly sourceStartSeconds: number;
  readonly volume: number;
  readonly fadeInFrames: number;
  readonly fadeOutFrames: number;
};

/** One file under the whole film. */
export type Music = {
  readonly source: Source;
  readonly volume: number;
  readonly loop: boolean;
  readonly fadeInFrames: number;
  readonly fadeOutFrames: number;
};

export type Sound = { readonly pieces: readonly SoundPiece[]; readonly music?: Music };
