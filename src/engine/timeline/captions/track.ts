import type { Color } from "../../../platform/colors.ts";
import type { Move } from "../motion.ts";
import type { Source } from "../source.ts";
import type { FrameRange } from "../time.ts";

export const captionStyles = ["plain", "box", "karaoke", "highlight", "pop"] as const;
export const captionPlaces = ["top", "middle", "bottom"] as const;

/** A word as shown, with the punctuation and the emoji after it, and the frames in which it is spoken. */
export type CaptionWord = {
  readonly text: string;
  /** True if no space precedes it. */
  readonly glued: boolean;
  /** The range may be empty: a lone emoji has no duration. */
  readonly range: FrameRange;
};

export type CaptionLine = readonly CaptionWord[];

/** The lines that are shown together. Pages of a film are in order and never overlap. */
export type CaptionPage = { readonly range: FrameRange; readonly lines: readonly CaptionLine[] };

/** All fields of `colors` that are absent follow from the style. No length is in pixels. */
export type CaptionStyle = {
  readonly kind: (typeof captionStyles)[number];
  /** `y`: the center of the lines as a fraction of the canvas's height. */
  readonly position: (typeof captionPlaces)[number] | { readonly y: number };
  /** A font file of the project. Overrides `fontFamily`. */
  readonly font?: Source | undefined;
  readonly fontFamily?: string | undefined;
  /** A fraction of the canvas's shorter side; by default it follows from the canvas. */
  readonly fontSize?: number | undefined;
  /** 100..900 */
  readonly fontWeight: number;
  readonly colors: {
    readonly text?: Color | undefined;
    /** The color of the spoken word. */
    readonly active?: Color | undefined;
    readonly background?: Color | undefined;
    readonly activeBackground?: Color | undefined;
    readonly stroke?: Color | undefined;
  };
  readonly isUppercase: boolean;
  /** Keeps the lines where apps show no buttons and texts of their own. */
  readonly keepsSafeZone: boolean;
};

/**
 * The captions of a film. Pages follow from them and from the width of the canvas: see `captionPages`. The cues of a
 * caption file keep their own times, and their own lines where these fit.
 */
export type CaptionTrack = {
  readonly content:
    | { readonly kind: "words"; readonly words: CaptionLine }
    | { readonly kind: "cues"; readonly cues: readonly CaptionPage[] };
  /** Ranges in which no page is shown and no word of `content` starts; in order. */
  readonly hidden?: readonly FrameRange[] | undefined;
  readonly style: CaptionStyle;
  readonly maxLines: number;
  readonly maxWordsPerLine?: number | undefined;
  /** A BCP 47 tag. */
  readonly language?: string | undefined;
  /** The entrance of each page. */
  readonly enter?: Move | undefined;
  /** True if the video file also gets them as a text track. */
  readonly isEmbedded: boolean;
};

/** The text of a line: a space before each word that is not glued. */
export const lineText = (line: CaptionLine): string =>
  line.map(({ text, glued }, index) => (glued || index === 0 ? text : ` ${text}`)).join("");
