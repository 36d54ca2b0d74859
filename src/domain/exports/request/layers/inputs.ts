import type {
  BlendMode,
  Direction,
  gradientTypes,
  MoveUnit,
  maskChannels,
  moveOrders,
} from "../../../../engine/timeline/motion.ts";
import type {
  Animation,
  lineCaps,
  lineJoins,
  shapeKinds,
  textAligns,
  verticalAligns,
} from "../../../../engine/timeline/overlay.ts";
import type { soundRoles } from "../../../../engine/timeline/sound.ts";
import type { clipFits, TransitionKind } from "../../../../engine/timeline/track.ts";
import type { ClipMoveName } from "./names.ts";
import type { letterCases } from "./text-fields.ts";

// The input types of clips, texts, images, layers and sounds, written out: an inferred type would be repeated in the types of the
// client wherever a request has them, and layers contain layers.

/** Null counts as absent. */
type Optional<Value> = Value | null | undefined;

type PointInput = { x: number; y: number };

/** A CSS color, or a gradient. */
export type FillInput = string | GradientInput;

export interface GradientInput {
  type: (typeof gradientTypes)[number];
  angle?: Optional<number>;
  stops: { at: number; color: string }[];
}

/** Seconds, or a percentage such as "40%". */
type InstantInput = number | string;

export interface KeyframeInput<Value> {
  at: InstantInput;
  value: Value;
  easing?: Optional<string>;
}

type NumberKeyframesInput = Optional<KeyframeInput<number>[]>;

interface LayerKeyframesInput {
  centerX?: NumberKeyframesInput;
  centerY?: NumberKeyframesInput;
  x?: NumberKeyframesInput;
  y?: NumberKeyframesInput;
  scale?: NumberKeyframesInput;
  scaleX?: NumberKeyframesInput;
  scaleY?: NumberKeyframesInput;
  skewX?: NumberKeyframesInput;
  skewY?: NumberKeyframesInput;
  rotation?: NumberKeyframesInput;
  opacity?: NumberKeyframesInput;
  brightness?: NumberKeyframesInput;
  contrast?: NumberKeyframesInput;
  saturation?: NumberKeyframesInput;
  grayscale?: NumberKeyframesInput;
  sepia?: NumberKeyframesInput;
  invert?: NumberKeyframesInput;
  hue?: NumberKeyframesInput;
  tint?: NumberKeyframesInput;
  blur?: NumberKeyframesInput;
  radius?: NumberKeyframesInput;
}

interface BoxKeyframesInput extends LayerKeyframesInput {
  width?: NumberKeyframesInput;
  height?: NumberKeyframesInput;
}

interface TextKeyframesInput extends LayerKeyframesInput {
  fontSize?: NumberKeyframesInput;
  letterSpacing?: NumberKeyframesInput;
  strokeWidth?: NumberKeyframesInput;
  fontColor?: Optional<KeyframeInput<string>[]>;
  strokeColor?: Optional<KeyframeInput<string>[]>;
  fill?: Optional<KeyframeInput<FillInput>[]>;
  text?: Optional<KeyframeInput<string>[]>;
}

interface ImageKeyframesInput extends BoxKeyframesInput {
  focusX?: NumberKeyframesInput;
  focusY?: NumberKeyframesInput;
  zoom?: NumberKeyframesInput;
}

interface VideoKeyframesInput extends ImageKeyframesInput {
  volume?: NumberKeyframesInput;
  speed?: NumberKeyframesInput;
}

interface ShapeKeyframesInput extends BoxKeyframesInput {
  strokeWidth?: NumberKeyframesInput;
  trimStart?: NumberKeyframesInput;
  trimEnd?: NumberKeyframesInput;
  trimOffset?: NumberKeyframesInput;
  fill?: Optional<KeyframeInput<FillInput>[]>;
  strokeColor?: Optional<KeyframeInput<string>[]>;
}

/** An entrance or an exit with its parameters. */
export interface MoveInput {
  name: string;
  seconds?: Optional<number>;
  easing?: Optional<string>;
  by?: Optional<MoveUnit>;
  order?: Optional<(typeof moveOrders)[number]>;
  overlap?: Optional<number>;
  direction?: Optional<Direction>;
  distance?: Optional<number>;
  amount?: Optional<number>;
  fade?: Optional<boolean>;
  from?: Optional<number>;
  to?: Optional<number>;
  reversed?: Optional<boolean>;
  caret?: Optional<boolean>;
  color?: Optional<string>;
  anchor?: Optional<PointInput>;
}

export interface LoopInput {
  name: string;
  seconds?: Optional<number>;
  amount?: Optional<number>;
  distance?: Optional<number>;
  direction?: Optional<Direction>;
  anchor?: Optional<PointInput>;
  frequency?: Optional<number>;
  ramp?: Optional<number>;
  reversed?: Optional<boolean>;
}

export interface MotionInput extends MoveInput {
  at: number;
  frequency?: Optional<number>;
  ramp?: Optional<number>;
}

export interface ShadowInput {
  color?: Optional<string>;
  blur?: Optional<number>;
  x?: Optional<number>;
  y?: Optional<number>;
}

export interface FilterInput {
  brightness?: Optional<number>;
  contrast?: Optional<number>;
  saturation?: Optional<number>;
  grayscale?: Optional<number>;
  sepia?: Optional<number>;
  invert?: Optional<number>;
  hue?: Optional<number>;
  tint?: Optional<{ color: string; amount?: Optional<number> }>;
  blur?: Optional<number>;
}

export interface MaskInput {
  shape?: Optional<"ellipse" | "rect" | "path">;
  x?: Optional<number>;
  y?: Optional<number>;
  width?: Optional<number>;
  height?: Optional<number>;
  radius?: Optional<number>;
  d?: Optional<string>;
  assetId?: Optional<string>;
  layer?: Optional<string>;
  by?: Optional<(typeof maskChannels)[number]>;
  invert?: Optional<boolean>;
  feather?: Optional<number>;
}

interface PositionInput {
  centerX?: Optional<number>;
  centerY?: Optional<number>;
  x?: Optional<number>;
  y?: Optional<number>;
}

interface InTargetInput extends PositionInput {
  hidden?: Optional<boolean>;
}

/** What differs in a target; other words in `text` than its own are ignored. */
export interface TextInTargetInput extends InTargetInput {
  text?: Optional<string>;
  fontSize?: Optional<number>;
  maxWidth?: Optional<number>;
  maxHeight?: Optional<number>;
  letterSpacing?: Optional<number>;
  padding?: Optional<number>;
  radius?: Optional<number>;
}

export interface LayerInTargetInput extends InTargetInput {
  width?: Optional<number>;
  height?: Optional<number>;
}

export interface HtmlInTargetInput extends LayerInTargetInput {
  html?: Optional<string>;
  css?: Optional<string>;
}

/** By aspect ratio, in pixels of that frame. */
export interface TargetsInput<Fields> {
  "9:16"?: Optional<Fields>;
  "1:1"?: Optional<Fields>;
  "16:9"?: Optional<Fields>;
  "4:5"?: Optional<Fields>;
}

interface PlaceInput extends PositionInput {
  rotation?: Optional<number>;
  opacity?: Optional<number>;
  radius?: Optional<number>;
  /** Overlays of one group keep their relative positions in every target. */
  group?: Optional<string>;
  /** Higher lies above lower. */
  layer?: Optional<number>;
}

interface EffectsInput {
  anchor?: Optional<PointInput>;
  scale?: Optional<number | PointInput>;
  skewX?: Optional<number>;
  skewY?: Optional<number>;
  shadow?: Optional<ShadowInput>;
  filter?: Optional<FilterInput>;
  blend?: Optional<BlendMode>;
  mask?: Optional<MaskInput>;
  enter?: Optional<string | MoveInput>;
  exit?: Optional<string | MoveInput>;
  loop?: Optional<string | LoopInput>;
  motions?: Optional<MotionInput[]>;
}

interface TimesInput {
  /** Seconds. */
  position: number;
  /** Seconds, after position. */
  end: number;
}

interface ClipKeyframesInput {
  centerX?: NumberKeyframesInput;
  centerY?: NumberKeyframesInput;
  scale?: NumberKeyframesInput;
  scaleX?: NumberKeyframesInput;
  scaleY?: NumberKeyframesInput;
  rotation?: NumberKeyframesInput;
  opacity?: NumberKeyframesInput;
  volume?: NumberKeyframesInput;
  speed?: NumberKeyframesInput;
  brightness?: NumberKeyframesInput;
  contrast?: NumberKeyframesInput;
  saturation?: NumberKeyframesInput;
  grayscale?: NumberKeyframesInput;
  sepia?: NumberKeyframesInput;
  invert?: NumberKeyframesInput;
  hue?: NumberKeyframesInput;
  tint?: NumberKeyframesInput;
  blur?: NumberKeyframesInput;
}

export interface ClipInput extends TimesInput {
  /** The index of the scene in the work's list, from 0. */
  sceneIndex: number;
  /** Seconds into the source. */
  cutFrom?: Optional<number>;
  transition?: Optional<TransitionKind>;
  transitionAssetId?: Optional<string>;
  transitionDuration?: Optional<number>;
  volume?: Optional<number>;
  fit?: Optional<(typeof clipFits)[number]>;
  focus?: Optional<"auto" | PointInput>;
  speed?: Optional<number>;
  reverse?: Optional<boolean>;
  scale?: Optional<number | PointInput>;
  rotation?: Optional<number>;
  opacity?: Optional<number>;
  filter?: Optional<FilterInput>;
  blend?: Optional<BlendMode>;
  mask?: Optional<MaskInput>;
  move?: Optional<ClipMoveName | { name: ClipMoveName; amount?: Optional<number> }>;
  keyframes?: Optional<ClipKeyframesInput>;
  voice?: Optional<boolean>;
  caption?: Optional<boolean>;
}

/** A sound at any time, from an asset or from a URL. */
export interface SoundInput {
  assetId?: Optional<string>;
  audioUrl?: Optional<string>;
  /** Seconds on the timeline, exact to a sample at 48 kHz. */
  position?: Optional<number>;
  end?: Optional<number>;
  /** Seconds into the source. */
  cutFrom?: Optional<number>;
  /** The pitch stays. */
  speed?: Optional<number>;
  repeat?: Optional<boolean>;
  volume?: Optional<number>;
  keyframes?: Optional<{ volume?: NumberKeyframesInput }>;
  fadeIn?: Optional<number>;
  fadeOut?: Optional<number>;
  role?: Optional<(typeof soundRoles)[number]>;
}

interface LayerTimesInput {
  /** Unique in the request. */
  id?: Optional<string>;
  /** Seconds, on the timeline or on the clock of the group. */
  position?: Optional<number>;
  end?: Optional<number>;
}

export interface SpanInput {
  text: string;
  color?: Optional<string>;
  background?: Optional<string>;
  fontWeight?: Optional<number | string>;
  fontFamily?: Optional<string>;
  fontSize?: Optional<number>;
  italic?: Optional<boolean>;
  underline?: Optional<boolean>;
  strike?: Optional<boolean>;
}

interface TextLookInput extends PlaceInput, EffectsInput {
  targets?: Optional<TargetsInput<TextInTargetInput>>;
  text?: string | undefined;
  spans?: Optional<SpanInput[]>;
  case?: Optional<(typeof letterCases)[number]>;
  fontSize?: Optional<number | "auto">;
  min?: Optional<number>;
  max?: Optional<number>;
  width?: Optional<number>;
  height?: Optional<number>;
  fontColor?: Optional<string>;
  fill?: Optional<GradientInput>;
  fontAssetId?: Optional<string>;
  fontFamily?: Optional<string>;
  fontWeight?: Optional<number | string>;
  italic?: Optional<boolean>;
  align?: Optional<(typeof textAligns)[number]>;
  maxWidth?: Optional<number>;
  maxHeight?: Optional<number>;
  verticalAlign?: Optional<(typeof verticalAligns)[number]>;
  lineHeight?: Optional<number>;
  letterSpacing?: Optional<number>;
  wrap?: Optional<boolean>;
  language?: Optional<string>;
  strokeColor?: Optional<string>;
  strokeWidth?: Optional<number>;
  shadowColor?: Optional<string>;
  shadowBlur?: Optional<number>;
  shadowOffsetX?: Optional<number>;
  shadowOffsetY?: Optional<number>;
  background?: Optional<string>;
  backgroundBy?: Optional<"block" | "line">;
  padding?: Optional<number>;
  paddingX?: Optional<number>;
  paddingY?: Optional<number>;
  animateIn?: Optional<Animation>;
  animateOut?: Optional<Animation>;
  keyframes?: Optional<TextKeyframesInput>;
}

interface ImageLookInput extends PlaceInput, EffectsInput {
  targets?: Optional<TargetsInput<LayerInTargetInput>>;
  assetId: string;
  width?: Optional<number>;
  height?: Optional<number>;
  maintainAspectRatio?: Optional<boolean>;
  fit?: Optional<"contain" | "cover" | "stretch">;
  focus?: Optional<PointInput>;
  zoom?: Optional<number>;
  /** Plays an animated image: true repeats it, false holds its last picture. */
  repeat?: Optional<boolean>;
  speed?: Optional<number>;
  keyframes?: Optional<ImageKeyframesInput>;
}

/** A text on the timeline. */
export interface TextInput extends TextLookInput, TimesInput {}

/** An image on the timeline. */
export interface ImageInput extends ImageLookInput, TimesInput {}

export interface TextLayerInput extends TextLookInput, LayerTimesInput {
  type: "text";
}

export interface ImageLayerInput extends ImageLookInput, LayerTimesInput {
  type: "image";
}

/** A video of the project, a scene's or one by its URL: exactly one of the three. */
export interface VideoLayerInput extends PlaceInput, EffectsInput, LayerTimesInput {
  targets?: Optional<TargetsInput<LayerInTargetInput>>;
  type: "video";
  assetId?: Optional<string>;
  sceneIndex?: Optional<number>;
  videoUrl?: Optional<string>;
  width?: Optional<number>;
  height?: Optional<number>;
  fit?: Optional<"contain" | "cover" | "stretch">;
  focus?: Optional<PointInput>;
  zoom?: Optional<number>;
  cutFrom?: Optional<number>;
  speed?: Optional<number>;
  reverse?: Optional<boolean>;
  repeat?: Optional<boolean>;
  volume?: Optional<number>;
  chromaKey?: Optional<{ color: string; similarity?: Optional<number>; smoothness?: Optional<number> }>;
  keyframes?: Optional<VideoKeyframesInput>;
}

export interface ShapeLayerInput extends PlaceInput, EffectsInput, LayerTimesInput {
  targets?: Optional<TargetsInput<LayerInTargetInput>>;
  type: "shape";
  shape: (typeof shapeKinds)[number];
  width?: Optional<number>;
  height?: Optional<number>;
  d?: Optional<string>;
  viewBox?: Optional<[number, number, number, number]>;
  sides?: Optional<number>;
  points?: Optional<number>;
  inner?: Optional<number>;
  fill?: Optional<FillInput>;
  stroke?: Optional<{
    color?: Optional<string>;
    width?: Optional<number>;
    dash?: Optional<number[]>;
    cap?: Optional<(typeof lineCaps)[number]>;
    join?: Optional<(typeof lineJoins)[number]>;
  }>;
  trim?: Optional<{ start?: Optional<number>; end?: Optional<number>; offset?: Optional<number> }>;
  keyframes?: Optional<ShapeKeyframesInput>;
}

/** HTML with CSS. Nothing in it runs or loads. */
export interface HtmlLayerInput extends PlaceInput, EffectsInput, LayerTimesInput {
  targets?: Optional<TargetsInput<HtmlInTargetInput>>;
  type: "html";
  html: string;
  css?: Optional<string>;
  /** Fill `{{key}}` in `html`; nothing in them is markup. */
  values?: Optional<Record<string, string>>;
  /** The words of elements with `data-fit` shrink until they fit their boxes. */
  fitText?: Optional<boolean>;
  width?: Optional<number>;
  height?: Optional<number>;
  keyframes?: Optional<BoxKeyframesInput>;
}

/** A Lottie animation. */
export interface LottieLayerInput extends PlaceInput, EffectsInput, LayerTimesInput {
  targets?: Optional<TargetsInput<LayerInTargetInput>>;
  type: "lottie";
  assetId: string;
  width?: Optional<number>;
  height?: Optional<number>;
  fit?: Optional<"contain" | "cover" | "stretch">;
  speed?: Optional<number>;
  repeat?: Optional<boolean>;
  /** Its frames: the first that is shown, and the one before which it ends. */
  from?: Optional<number>;
  to?: Optional<number>;
  /** Colors by those that they replace. */
  colors?: Optional<Record<string, string>>;
  /** Words by the names of its text layers. */
  texts?: Optional<Record<string, string>>;
  keyframes?: Optional<BoxKeyframesInput>;
}

/** Layers that are drawn as one, on a clock of their own. */
export interface GroupLayerInput extends PlaceInput, EffectsInput, LayerTimesInput {
  targets?: Optional<TargetsInput<LayerInTargetInput>>;
  type: "group";
  layers: LayerInput[];
  width?: Optional<number>;
  height?: Optional<number>;
  clip?: Optional<boolean>;
  speed?: Optional<number>;
  repeat?: Optional<boolean>;
  stagger?: Optional<number>;
  keyframes?: Optional<BoxKeyframesInput>;
}

export type LayerInput =
  | TextLayerInput
  | ImageLayerInput
  | VideoLayerInput
  | ShapeLayerInput
  | HtmlLayerInput
  | LottieLayerInput
  | GroupLayerInput;
