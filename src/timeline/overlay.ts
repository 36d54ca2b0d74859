import type { Source } from "./source.ts";
import type { FrameRange } from "./time.ts";

/** Channels 0..255, alpha 0..1. */
export type Color = { readonly red: number; readonly green: number; readonly blue: number; readonly alpha: number };

export const animations = ["none", "fade", "slideup", "slidedown", "pop"] as const;
export type Animation = (typeof animations)[number];

export const textAligns = ["left", "center", "right"] as const;

/** Animations take this long, or half of the overlay's time when that is shorter. */
export const animationSeconds = 0.3;

/** All lengths in pixels of the canvas. */
export type TextStyle = {
  readonly fontSize: number;
  readonly fontColor: Color;
  /** A font of the project's; wins over `fontFamily`. */
  readonly font?: Source;
  readonly fontFamily?: string;
  /** 100..900 */
  readonly fontWeight: number;
  readonly align: (typeof textAligns)[number];
  /** Lines wrap at this width; without it only where the text says so. */
  readonly maxWidth?: number;
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
};

/** Where the laid-out box goes, in pixels of the canvas from its top-left corner. */
export type Anchor = { readonly at: "center" | "top_left"; readonly x: number; readonly y: number };

export type TextPicture = {
  readonly kind: "text";
  readonly text: string;
  readonly style: TextStyle;
  readonly anchor: Anchor;
  /** Laid out as the style says, and painted so many times as large. Absent: 1. */
  readonly scale?: number;
};

/** In pixels of the canvas; may hold fractions. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** `contain` keeps the image's own proportions inside the box, `stretch` fills the box. */
export type ImagePicture = {
  readonly kind: "image";
  readonly source: Source;
  /** The unrotated box; may lie partly outside the canvas. */
  readonly box: Box;
  readonly fit: "stretch" | "contain";
};

/** What lies above the picture. Overlays are painted in order, bottom first. */
export type Overlay = {
  /** Inside the timeline's frames and never empty. */
  readonly range: FrameRange;
  readonly picture: TextPicture | ImagePicture;
  readonly opacity: number;
  /** Clockwise, about the box's centre. */
  readonly rotationDegrees: number;
  readonly animateIn: Animation;
  readonly animateOut: Animation;
  /** Its box is moved, and made smaller where that is not enough, until all of it lies in here. */
  readonly within?: Box;
};
