import type { MeasuredVideo, Stretch } from "../../engine/ports.ts";
import type { Box } from "../../engine/timeline/overlay.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";

/** A visible part of one video; its box is in pixels of the canvas. */
export type ShownBox = Stretch & {
  /** The field of the request. */
  readonly path: string;
  readonly box: Box;
};

/** The box contains the text's ink. */
export type ShownText = ShownBox & {
  readonly text: string;
  readonly fontSize: number;
  /** The best contrast to its own stroke or box; undefined without either. */
  readonly ownContrast?: number | undefined;
};

export type ShownCaptions = {
  /** In seconds: the times of captions faster than people read. */
  readonly tooFast: readonly number[];
  readonly longestLine: number;
  readonly mostLines: number;
  readonly pages: readonly ShownBox[];
};

/** A color of the request that the palette lacks. */
export type OffColor = { readonly path: string; readonly color: string };

/** All facts of one video that the rules use. */
export type FilmFacts = {
  readonly canvas: Canvas;
  readonly video: MeasuredVideo;
  /** Includes the label of AI. */
  readonly texts: readonly ShownText[];
  readonly label?: ShownText | undefined;
  readonly captions?: ShownCaptions | undefined;
  /** Undefined without a palette. */
  readonly offColors?: readonly OffColor[] | undefined;
  /** Undefined if no logo is known. */
  readonly logos?: readonly ShownBox[] | undefined;
  /** Images other than logos. */
  readonly images: readonly ShownBox[];
  /** The phrases of the rules that are known to be shown or spoken. */
  readonly said: ReadonlySet<string>;
  /** False if the texts exceed the limit of the search for phrases. */
  readonly isSearchedWhole: boolean;
  /** The texts that show each legal line of the rules. */
  readonly legal: ReadonlyMap<string, readonly ShownText[]>;
  /** The second at which output of a trained model first appears; undefined if none does. */
  readonly generatedFrom?: number | undefined;
};
