import type { Color } from "../../platform/colors.ts";
import type { Source } from "./source.ts";

/** A color stop; `at` is a share of the gradient's length, 0..1. */
type GradientStop = { readonly at: number; readonly color: Color };

/** `angle` is clockwise in degrees: a linear gradient of 0 goes up, as in CSS; a conic one starts there. */
export type Gradient = {
  readonly type: (typeof gradientTypes)[number];
  readonly angle: number;
  readonly stops: readonly GradientStop[];
};

export const gradientTypes = ["linear", "radial", "conic"] as const;

export type Fill = Color | Gradient;

export const isGradient = (fill: Fill): fill is Gradient => "stops" in fill;

/**
 * Factors as CSS filter functions define them, 1 (or 0 for grayscale, sepia and invert) for no change; `hue` in degrees,
 * `blur` as the standard deviation in pixels. They apply in this order.
 */
export type Filter = {
  readonly brightness?: number;
  readonly contrast?: number;
  readonly saturation?: number;
  readonly grayscale?: number;
  readonly sepia?: number;
  readonly invert?: number;
  readonly hue?: number;
  /** Mixes the color in by `amount`, 0..1; keeps the alpha. */
  readonly tint?: { readonly color: Color; readonly amount: number };
  readonly blur?: number;
};

/** The modes of W3C Compositing and Blending 1. */
export const blendModes = [
  "normal",
  "multiply",
  "screen",
  "overlay",
  "darken",
  "lighten",
  "color-dodge",
  "color-burn",
  "hard-light",
  "soft-light",
  "difference",
  "exclusion",
  "hue",
  "saturation",
  "color",
  "luminosity",
  "plus-lighter",
] as const;

export type BlendMode = (typeof blendModes)[number];

export const maskChannels = ["alpha", "luma"] as const;

/** A shape lies in the layer's box; the pixels of a picture are stretched to it; a layer masks where it lies itself. */
export type MaskSource<Layer> =
  | {
      readonly kind: "ellipse" | "rect";
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly radius: number;
    }
  | { readonly kind: "path"; readonly d: string }
  | { readonly kind: "image"; readonly source: Source; readonly by: (typeof maskChannels)[number] }
  | { readonly kind: "layer"; readonly layer: Layer; readonly by: (typeof maskChannels)[number] };

export type Mask<Layer> = MaskSource<Layer> & {
  readonly invert: boolean;
  /** The standard deviation of its soft edge, in pixels. */
  readonly feather: number;
};

export type Shadow = {
  readonly color: Color;
  readonly blur: number;
  readonly offsetX: number;
  readonly offsetY: number;
};

/** The appearance of a layer besides its content; all fields have neutral defaults. */
export type Effects<Layer> = {
  /** The point that rotation, scale and skew turn about, as shares of the box. Default: the middle. */
  readonly anchor?: { readonly x: number; readonly y: number };
  readonly scaleX?: number;
  readonly scaleY?: number;
  /** Degrees. */
  readonly skewX?: number;
  readonly skewY?: number;
  /** The rounding of the box's corners, in pixels. */
  readonly radius?: number;
  /** Of images, shapes and groups; texts have their own. */
  readonly shadow?: Shadow;
  readonly filter?: Filter;
  readonly blend?: BlendMode;
  readonly mask?: Mask<Layer>;
};

/** `at` is in seconds from the layer's start; `easing` is how the value travels to this keyframe: see `easingOf`. */
export type Keyframe<Value> = { readonly at: number; readonly value: Value; readonly easing: string };

export const numberProperties = [
  "centerX",
  "centerY",
  "x",
  "y",
  "width",
  "height",
  "scale",
  "scaleX",
  "scaleY",
  "skewX",
  "skewY",
  "rotation",
  "opacity",
  "radius",
  "fontSize",
  "letterSpacing",
  "strokeWidth",
  "trimStart",
  "trimEnd",
  "trimOffset",
  "brightness",
  "contrast",
  "saturation",
  "grayscale",
  "sepia",
  "invert",
  "hue",
  "tint",
  "blur",
  "focusX",
  "focusY",
  "zoom",
  "volume",
  "speed",
] as const;

export type NumberProperty = (typeof numberProperties)[number];

/** Values of one property in order of time. Outside of them the first and the last value hold. */
export type Keyframes = { readonly [property in NumberProperty]?: readonly Keyframe<number>[] } & {
  readonly fontColor?: readonly Keyframe<Color>[];
  readonly strokeColor?: readonly Keyframe<Color>[];
  readonly fill?: readonly Keyframe<Fill>[];
  /** Jumps at each keyframe. */
  readonly text?: readonly Keyframe<string>[];
};

export const moveUnits = ["layer", "line", "word", "letter"] as const;
export type MoveUnit = (typeof moveUnits)[number];

export const moveOrders = ["forward", "backward", "center", "edges", "random"] as const;

export const directions = ["up", "down", "left", "right", "diagonal", "circle", "clock"] as const;
export type Direction = (typeof directions)[number];

/** An entrance, an exit or a motion in the middle. Absent parameters have the defaults of the name: see `moveTable`. */
export type Move = {
  readonly name: string;
  readonly seconds: number;
  readonly easing?: string;
  readonly by?: MoveUnit;
  readonly order?: (typeof moveOrders)[number];
  /** The share of its time that a unit shares with the next one, 0..1. */
  readonly overlap?: number;
  /** The direction of movement, of entrances and exits. */
  readonly direction?: Direction;
  /** Pixels of the frame. */
  readonly distance?: number;
  /** The amount of a loop, and the strength of some moves: see `moveTable`. */
  readonly amount?: number;
  readonly fade?: boolean;
  /** The scale at the beginning, or the first number of `count`. */
  readonly from?: number;
  /** The scale at the end of an exit; by default that of `from`. */
  readonly to?: number;
  readonly reversed?: boolean;
  readonly caret?: boolean;
  /** The color of the box of `highlight`. */
  readonly color?: Color;
  readonly anchor?: { readonly x: number; readonly y: number };
  /** Swings per second. */
  readonly frequency?: number;
  /** The share of a round in which swings grow, and in which they fade. */
  readonly ramp?: number;
};

/** How a layer moves while it is visible. */
export type Motion = {
  /** Seconds from the layer's own start to its first frame; it begins between two frames. */
  readonly lead: number;
  /** The visible seconds of the layer, from its own start. */
  readonly seconds: number;
  readonly keyframes?: Keyframes | undefined;
  readonly enter?: Move | undefined;
  readonly exit?: Move | undefined;
  readonly loop?: Move | undefined;
  /** Moves that begin at `at` seconds and end at rest. */
  readonly motions?: readonly (Move & { readonly at: number })[] | undefined;
};

/** A move in progress on one frame: 0 is hidden for an entrance, rest for an exit. Progress runs from 0 to 1. */
export type ActiveMove = Omit<Move, "seconds"> & {
  readonly kind: "enter" | "exit" | "loop" | "middle";
  readonly progress: number;
  /** The seconds of the whole move. */
  readonly seconds: number;
};
