import type { MeasuredVideo, Stretch } from "../../engine/ports.ts";
import type { Box } from "../../engine/timeline/overlay.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";

/** Something in one video; its box in pixels of the canvas. */
export type ShownBox = Stretch & {
  /** The field of the request. */
  readonly path: string;
  readonly box: Box;
};

/** Its box is that of its ink. */
export type ShownText = ShownBox & {
  readonly text: string;
  readonly fontSize: number;
  /** The best contrast that its own stroke or box gives it; undefined without either. */
  readonly ownContrast?: number | undefined;
};

export type ShownCaptions = {
  /** In seconds: where more is shown than people read. */
  readonly tooFast: readonly number[];
  readonly longestLine: number;
  readonly mostLines: number;
  readonly pages: readonly ShownBox[];
};

/** A color of the request that is none of the palette. */
export type OffColor = { readonly path: string; readonly color: string };

/** All that the rules look at, of one video. */
export type FilmFacts = {
  readonly canvas: Canvas;
  readonly video: MeasuredVideo;
  /** With the label of AI. */
  readonly texts: readonly ShownText[];
  readonly label?: ShownText | undefined;
  readonly captions?: ShownCaptions | undefined;
  /** Undefined without a palette. */
  readonly offColors?: readonly OffColor[] | undefined;
  /** Undefined if no logo is known. */
  readonly logos?: readonly ShownBox[] | undefined;
  /** Other ones. */
  readonly images: readonly ShownBox[];
  /** Those phrases of the rules that are shown or said, as far as it is known. */
  readonly said: ReadonlySet<string>;
  /** False if more is shown and said than is searched for phrases. */
  readonly isSearchedWhole: boolean;
  /** The texts that show each legal line of the rules. */
  readonly legal: ReadonlyMap<string, readonly ShownText[]>;
  /** The second at which something of a trained model is first seen or heard; undefined if nothing is. */
  readonly generatedFrom?: number | undefined;
};
