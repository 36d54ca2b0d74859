import type { Overlay } from "./overlay.ts";
import type { Sound } from "./sound.ts";
import type { FrameRate } from "./time.ts";
import type { Track } from "./track.ts";

/** Even numbers of pixels. */
export type Canvas = { readonly width: number; readonly height: number };

/** The whole edit, every time of it a whole frame of `rate`. */
export type Timeline = {
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  readonly track: Track;
  readonly overlays: readonly Overlay[];
  readonly sound: Sound;
};
