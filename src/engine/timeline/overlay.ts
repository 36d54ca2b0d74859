import type { Color } from "../../platform/colors.ts";
import type { Canvas } from "./canvas.ts";
import type { ActiveMove, Effects, Fill, Gradient, Motion } from "./motion.ts";
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
  readonly background?: {
    readonly color: Color;
    readonly padding: number;
    readonly radius: number;
    /** Replace `padding` on two sides each. */
    readonly paddingX?: number;
    readonly paddingY?: number;
  };
  /** Default: one box behind the whole text. */
  readonly backgroundBy?: "line";
  /** Replaces the color of the glyphs; lies in the box of the text. */
  readonly fill?: Gradient;
  /** The text also grows until it fills the box of `maxWidth` and `maxHeight`, from this size at least. */
  readonly minFontSize?: number;
  /** False: lines break only where the text does. */
  readonly wrap?: boolean;
  readonly italic?: boolean;
  /** A disc of this diameter with the letters AI, inside the background, before the words. */
  readonly icon?: { readonly size: number; readonly color: Color; readonly letters: Color };
};

/** The position of the text box's center or corner, in pixels from the canvas's top-left corner. */
type Anchor = { readonly at: "center" | "top_left"; readonly x: number; readonly y: number };

/** A part of a text with its own style. The whole is shaped as one paragraph. */
export type TextSpan = {
  readonly text: string;
  readonly color?: Color;
  readonly background?: Color;
  readonly fontWeight?: number;
  readonly fontFamily?: string;
  readonly fontSize?: number;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
};

export type TextContent = {
  readonly kind: "text";
  readonly text: string;
  /** Parts whose texts, joined, are `text`. */
  readonly spans?: readonly TextSpan[];
  /** A BCP 47 tag: how numbers that count are written. */
  readonly language?: string;
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
  /** The point of the image that stays visible, as shares of its sides. Default: the middle. */
  readonly focus?: { readonly x: number; readonly y: number };
  /** Enlarges the image in its box. Default: 1. */
  readonly zoom?: number;
  /** Plays the pictures of the file; else its first one is shown. */
  readonly plays?: Pictures;
};

/** How the pictures of a moving image play. */
export type Pictures = {
  /** The milliseconds until the end of each picture, in ascending order. */
  readonly ends: readonly number[];
  /** Seconds of its own per second of the layer. */
  readonly speed: number;
  /** Starts again after the last one, which is held else. */
  readonly repeats: boolean;
};

/** An image with the index of the picture that it shows. */
export type DrawnImage = Omit<ImageContent, "plays"> & { readonly picture?: number };

export const shapeKinds = ["rect", "ellipse", "line", "polygon", "star", "path"] as const;
export const lineCaps = ["butt", "round", "square"] as const;
export const lineJoins = ["miter", "round", "bevel"] as const;

/** A drawn shape. Lengths are in pixels of the canvas; strokes are centered on the outline. */
export type ShapeContent = {
  readonly kind: "shape";
  readonly shape: (typeof shapeKinds)[number];
  readonly box: Box;
  /** The corners of a polygon. */
  readonly sides?: number;
  /** The points of a star, and the share of its radius at which the inner corners lie. */
  readonly points?: number;
  readonly inner?: number;
  /** SVG path data in pixels from the box's top left, or in the coordinates of `viewBox`: x, y, width, height. */
  readonly d?: string;
  readonly viewBox?: readonly [number, number, number, number];
  readonly radius?: number;
  readonly fill?: Fill;
  readonly stroke?: {
    readonly color: Color;
    readonly width: number;
    readonly dash?: readonly number[];
    readonly cap: (typeof lineCaps)[number];
    readonly join: (typeof lineJoins)[number];
  };
  /** The visible part of the outline, as shares of its length; the fill follows. */
  readonly trim?: { readonly start: number; readonly end: number; readonly offset: number };
};

/** A Lottie animation. Frames are its own. */
export type LottieContent = {
  readonly kind: "lottie";
  readonly source: Source;
  readonly box: Box;
  readonly fit: ImageContent["fit"];
  /** Its frames per second of the layer. */
  readonly frameRate: number;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Starts again after `to`; else its last frame is held. */
  readonly repeats: boolean;
  /** CSS colors by those that they replace. */
  readonly colors: { readonly [old: string]: string };
  /** Words by the names of its text layers. */
  readonly texts: { readonly [layer: string]: string };
};

/** One frame of a Lottie animation, which may lie between two. */
export type DrawnLottie = Omit<LottieContent, "frameRate" | "from" | "to" | "repeats"> & { readonly frame: number };

/** Seconds of a layer's own time; without `to`, without an end. */
export type Stretch = { readonly from: number; readonly to?: number };

/** HTML with CSS. Lengths are in pixels of the canvas. */
export type HtmlContent = {
  readonly kind: "html";
  readonly html: string;
  readonly css: string;
  readonly box: Box;
  /** The words of elements with `data-fit` shrink until they fit their boxes. */
  readonly fitsText: boolean;
  /** By the ids of the assets that it names. */
  readonly images: { readonly [assetId: string]: Source };
  /** Fonts of the project, by the families in lower case that it names. */
  readonly fonts: { readonly [family: string]: Source };
  /** When its CSS animations run, in order. */
  readonly moments: readonly Stretch[];
  /** The version of what draws it: a part of cache keys. */
  readonly renderer: string;
};

/** HTML at one moment of its animations, in whole milliseconds: a moment of rest has one value. */
export type DrawnHtml = Omit<HtmlContent, "moments"> & { readonly timeMs: number };

/** A video as a layer: it is drawn frame by frame, like an image. */
export type VideoContent = {
  readonly kind: "video";
  readonly source: Source;
  readonly box: Box;
  readonly fit: ImageContent["fit"];
  readonly focus?: ImageContent["focus"];
  readonly zoom?: number;
  /** The first second on the source's own clock. */
  readonly sourceStartSeconds: number;
  /** Seconds of the source per second of the layer. */
  readonly speed: number;
  /** Plays from `sourceStartSeconds + speed · seconds` back. */
  readonly reverses: boolean;
  /** Starts again where the source ends; else the last frame is held. */
  readonly repeats: boolean;
  /** The seconds for which the layer is visible, on its own clock. */
  readonly seconds: number;
  readonly chromaKey?: ChromaKey;
};

/** Pixels near the color become transparent. Both limits are 0..1. */
export type ChromaKey = { readonly color: Color; readonly similarity: number; readonly smoothness: number };

/** A frame of a video; `at` is a second of the source's own clock. */
export type DrawnVideo = Pick<VideoContent, "kind" | "source" | "box" | "fit" | "focus" | "zoom" | "chromaKey"> & {
  readonly at: number;
};

/** Rendered frames of a video, raw RGBA one after another. `times` tells what each shows. */
export type Footage = {
  readonly key: string;
  readonly size: { readonly width: number; readonly height: number };
  /** Seconds of the source's own clock, in ascending order. */
  readonly times: readonly number[];
  readonly path: string;
  /** True if the colors are multiplied by alpha. */
  readonly isPremultiplied: boolean;
};

/** Layers that are drawn as one, on their own clock, with coordinates from the box's top left. */
export type GroupContent = {
  readonly kind: "group";
  readonly box: Box;
  /** Paints only inside the box. */
  readonly clips: boolean;
  /** Seconds of the group's clock per second of its parent's. */
  readonly speed: number;
  /** Starts again after `seconds` of its own clock. */
  readonly repeats: boolean;
  readonly seconds: number;
  /** Bottom first. */
  readonly layers: readonly GroupLayer[];
};

/** A layer in a group; its times are seconds of the group's clock. */
export type GroupLayer = Omit<Overlay, "range" | "group" | "versions"> & {
  readonly start: number;
  readonly end: number;
  /** Its index in the requested list: the order of `layers` is that of painting. */
  readonly index?: number | undefined;
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

/** Anything drawn above the track. Overlays are painted in order, bottom first. */
export type Overlay = {
  /** A range inside the timeline; never empty. */
  readonly range: FrameRange;
  readonly content:
    | TextContent
    | ImageContent
    | CaptionContent
    | ShapeContent
    | VideoContent
    | HtmlContent
    | LottieContent
    | GroupContent;
  readonly opacity: number;
  /** Clockwise about the box's center. */
  readonly rotationDegrees: number;
  readonly animateIn: Animation;
  readonly animateOut: Animation;
  /** The overlay is moved, and shrunk if that is not enough, to lie inside this box. */
  readonly within?: Box;
  /** Overlays of one group keep their relative positions in another frame. */
  readonly group?: string | undefined;
  readonly effects?: Effects<GroupLayer> | undefined;
  readonly motion?: Motion | undefined;
  readonly view?: View | undefined;
  /** The name of a mask of clips: it is not painted, and a clip shows as much as it is opaque. */
  readonly masks?: string | undefined;
  /** What canvases of other sizes show instead. */
  readonly versions?: readonly OverlayVersion[];
};

/** An overlay as one canvas shows it, in pixels of that canvas; absent if it does not. */
export type OverlayVersion = { readonly canvas: Canvas; readonly overlay?: Overlay | undefined };

/** Maps a layer with all its motion to another canvas: a point p lies at p · scale + (x, y). */
export type View = { readonly scale: number; readonly x: number; readonly y: number };

/**
 * A layer as it looks on one frame: its keyframes are resolved into its content and its effects, and moves in progress
 * have a progress. It is drawn from this alone.
 */
export type DrawnState = {
  readonly content:
    | TextContent
    | DrawnImage
    | CaptionContent
    | ShapeContent
    | DrawnVideo
    | DrawnHtml
    | DrawnLottie
    | DrawnGroup;
  readonly opacity: number;
  readonly rotationDegrees: number;
  readonly within?: Box | undefined;
  readonly effects?: Effects<DrawnState> | undefined;
  readonly moves?: readonly ActiveMove[] | undefined;
  readonly view?: View | undefined;
};

/** The visible layers of a group on one frame, bottom first. */
export type DrawnGroup = Pick<GroupContent, "kind" | "box" | "clips"> & { readonly layers: readonly DrawnState[] };
