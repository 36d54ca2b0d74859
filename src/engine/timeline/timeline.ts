import type { Color } from "../../platform/colors.ts";
import type { Canvas } from "./canvas.ts";
import type { CaptionTrack } from "./captions/track.ts";
import type { Disclosure } from "./disclosure.ts";
import type { Overlay } from "./overlay.ts";
import type { Sound } from "./sound.ts";
import type { FrameRate } from "./time.ts";
import type { Track } from "./track.ts";

export type { Canvas };

/** The whole edit. All times are whole frames of `rate`, but those of added sounds, which are samples. */
export type Timeline = {
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  readonly track: Track;
  readonly overlays: readonly Overlay[];
  /** The color under gaps, contained clips and transparent ones. Default: black. */
  readonly background?: Color | undefined;
  readonly sound: Sound;
  /** Captions above the overlays. */
  readonly captions?: CaptionTrack | undefined;
  /** The notice above everything else. */
  readonly disclosure?: Disclosure | undefined;
};
