import type { Box } from "../../timeline/overlay.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { MeasuredVideo, Stretch } from "./measured.ts";

/** A text as one video shows it; its box in pixels of the canvas. */
export type ShownText = Stretch & {
  /** The field of the request. */
  readonly path: string;
  readonly text: string;
  readonly ink: Box;
  readonly fontSize: number;
  /** The best contrast that its own stroke or box gives it; undefined without either. */
  readonly ownContrast?: number | undefined;
};

export type ShownCaptions = {
  /** In seconds: where more is shown than people read. */
  readonly tooFast: readonly number[];
  readonly longestLine: number;
  readonly mostLines: number;
  /** Where the lines lie, in pixels of the canvas. */
  readonly box: Box;
};

/** A color of a text or of its box that is none of the palette. */
export type OffColor = { readonly path: string; readonly color: string };

/** An image, or the logo. */
export type ShownBox = Stretch & { readonly path: string; readonly box: Box };

/** All that the rules look at, of one video. */
export type FilmFacts = {
  readonly canvas: Canvas;
  readonly video: MeasuredVideo;
  readonly texts: readonly ShownText[];
  readonly captions?: ShownCaptions | undefined;
  /** Undefined without a palette. */
  readonly offColors?: readonly OffColor[] | undefined;
  /** Undefined if no logo is known. */
  readonly logos?: readonly ShownBox[] | undefined;
  readonly images: readonly ShownBox[];
  /** All that is shown or said, as far as it is known. */
  readonly words: string;
  readonly hasGeneratedParts: boolean;
  readonly isDisclosed: boolean;
};
