import type { Color } from "../../platform/colors.ts";
import type { Source } from "./source.ts";
import type { FrameRange } from "./time.ts";

export const animations = ["none", "fade", "slideup", "slidedown", "pop"] as const;
export type Animation = (typeof animations)[number];

export const textAligns = ["left", "center", "right"] as const;
export const verticalAligns = ["top", "middle", "bottom"] as const;

/** The duration of an animation, or half of the overlay's duration if that is shorter. */
export const animationSeconds = 0.3;

/** All lengths are in pixels of the canvas. */
export type TextStyle = {
  readonly fontSize: number;
  readonly fontColor: Color;
  /** A font file of the project. Overrides `fontFamily`. */
  readonly font?: Source;
  readonly fontFamily?: string;
  /** 100..900 */
  readonly fontWeight: number;
  readonly align: (typeof textAligns)[number];
  /** Lines wrap at this width. Default: only at line breaks in the text. */
  readonly maxWidth?: number;
  /** Lines get about the same length, and extend beyond `maxWidth` up to this width rather than break a word. */
  readonly maxWordWidth?: number;
  /** The text shrinks until its lines fit into a box of this height. Default: the height of the text. */
  readonly maxHeight?: number;
  /** The alignment in that box. Default: the middle. */
  readonly verticalAlign?: (typeof verticalAligns)[number];
  /** A multiple of the font size. */
  readonly lineHeight: number;
  readonly letterSpacing: number;
  /** The stroke lies outside the glyphs. */
  readonly stroke?: { readonly color: Color; readonly width: number };
  readonly shadow?: {
    readonly color: Color;
    readonly blur: number;
    readonly offsetX: number;
    readonly offsetY: number;
  };
  /** A box behind the text, `padding` larger than it on each side. */
  readonly background?: { readonly color: Color; readonly padding: number; readonly radius: number };
  /** A disc of this diameter with the letters AI, inside the background, before the words. */
  readonly icon?: { readonly size: number; readonly color: Color; readonly letters: Color };
};

/** The position of the text box's center or corner, in pixels from the canvas's top-left corner. */
type Anchor = { readonly at: "center" | "top_left"; readonly x: number; readonly y: number };

export type TextContent = {
  readonly kind: "text";
  readonly text: string;
  readonly style: TextStyle;
  readonly anchor: Anchor;
  /** The widths in `style` are shares of the canvas's width and change with it. */
  readonly wrapsAtCanvas?: boolean;
  /** Factor by which the laid-out text is enlarged. Default: 1. */
  readonly scale?: number;
};

/** A rectangle in pixels of the canvas; fractions are allowed. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** `contain` fits the image into the box and `cover` crops it to the box, without distortion; `stretch` distorts it. */
export type ImageContent = {
  readonly kind: "image";
  readonly source: Source;
  /** The unrotated box; may lie partly outside the canvas. */
  readonly box: Box;
  readonly fit: "stretch" | "contain" | "cover";
};

/** The caption on some frames, from `start` on, counted from the overlay's own start. */
export type CaptionState = {
  readonly start: number;
  /** The index of the word that is spoken. */
  readonly spoken?: number | undefined;
  /** Words from this index on are not shown yet. */
  readonly shown: number;
  /** Enlarges the last shown word about its center. */
  readonly scale?: number | undefined;
};

/** All lengths are in pixels of the canvas. */
export type CaptionTextStyle = Pick<
  TextStyle,
  "fontSize" | "font" | "fontFamily" | "fontWeight" | "stroke" | "background"
> & {
  readonly color: Color;
  /** The color of the spoken word. */
  readonly activeColor: Color;
  readonly activeBackground?: TextStyle["background"];
  /** The spoken word keeps its stroke over its background. */
  readonly strokesActive?: boolean | undefined;
  /** A multiple of the font size. */
  readonly lineHeight: number;
  /** A BCP 47 tag. */
  readonly language?: string | undefined;
};

/** Lines of words that are shown together. The bitmaps are the states, in their order. */
export type CaptionContent = {
  readonly kind: "caption";
  readonly lines: readonly (readonly { readonly text: string; readonly glued: boolean }[])[];
  /** The first one starts at 0. */
  readonly states: readonly CaptionState[];
  /** The name of this field is a part of cache keys. */
  readonly look: CaptionTextStyle;
  /** The lines are centered in the width of this box, at its `edge`; they shrink until they fit. */
  readonly box: Box;
  readonly edge: "top" | "bottom" | { readonly centerY: number };
};

/** A text, an image or a caption above the track. Overlays are painted in order, bottom first. */
export type Overlay = {
  /** A range inside the timeline; never empty. */
  readonly range: FrameRange;
  readonly content: TextContent | ImageContent | CaptionContent;
  readonly opacity: number;
  /** Clockwise about the box's center. */
  readonly rotationDegrees: number;
  readonly animateIn: Animation;
  readonly animateOut: Animation;
  /** The overlay is moved, and shrunk if that is not enough, to lie inside this box. */
  readonly within?: Box;
  /** Overlays of one group keep their relative positions in another frame. */
  readonly group?: string | undefined;
};
