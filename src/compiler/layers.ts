import type { FrameRange } from "../timeline/time.ts";

/**
 * An overlay as bitmaps: numbered RGBA PNG files of one even size, painted at one even place.
 * Pictures 0..intro-1 play once each, picture `intro` holds, the `outro` pictures after it end the overlay.
 */
export type DrawnOverlay = {
  /** Path of the files with `%d` for their number, counted from 0. */
  readonly pattern: string;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Frames of the timeline; at least intro + 1 + outro of them. */
  readonly range: FrameRange;
  readonly intro: number;
  readonly outro: number;
};
