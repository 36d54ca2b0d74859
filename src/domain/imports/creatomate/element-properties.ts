import { parseColor } from "../../../platform/colors.ts";
import type { FilterInput, GradientInput, KeyframeInput, LayerInput } from "../../exports/request/layers/inputs.ts";
import type { Media, ReadContext, SoundDraft } from "../reading/draft.ts";
import { findFont } from "../reading/fonts.ts";
import { changed, ignored, type Property, used, type Verdict } from "../reading/property.ts";
import { type Bounds, flag, never, noted, type Row, rounded, type Table, within } from "../reading/rows.ts";
import { type Animated, animationsOf } from "./animations.ts";
import { ofTurns, turnAbout } from "./turns.ts";
import {
  colorOf,
  framesOf,
  gradientOf,
  isGradient,
  isKeyed,
  measureOf,
  numberFrames,
  pixelsOf,
  type Size,
  secondsOf,
  shareOf,
} from "./values.ts";

/** Where elements lie: their parent's box and clock, and the frame of the film. */
export type Parent = {
  readonly size: Size;
  readonly frame: Size;
  /** Seconds. */
  readonly length: number;
  /** Seconds of the film at which the parent's clock starts, for sounds. */
  readonly start: number;
  /** Groups around it. */
  readonly depth: number;
};

export type ElementContext = ReadContext & {
  readonly sounds: SoundDraft[];
  /** The placeholder of an element whose text, file or color a table fills. */
  placeholderOf(element: Property, own: string): string | undefined;
  nextId(): string;
};

export type Times = { readonly position: number; readonly end: number };

export type Element = {
  readonly from: Property;
  readonly type: string;
  readonly times: Times;
  readonly length: number;
  readonly box: Size;
  readonly parent: Parent;
  look: Record<string, unknown>;
  keyframes: Record<string, KeyframeInput<never>[] | KeyframeInput<unknown>[]>;
  filter: FilterInput;
  filterType?: string;
  media?: Media | undefined;
  animated?: Animated;
  words: string;
  fontSize?: number;
  isAuto: boolean;
  fill?: string | GradientInput | "none" | undefined;
  stroke: { color?: string; width?: number; cap?: "butt" | "round" | "square"; join?: "miter" | "round" | "bevel" };
  path?: string;
  isMuted: boolean;
  fades: { in: number; out: number };
  layers: LayerInput[];
  isRepeated: boolean;
  maskMode?: string;
  z: number | undefined;
};

type ElementRow = Row<Element, ElementContext>;
type ElementTable = Table<Element, ElementContext>;

export const limit: Bounds = { min: -16_384, max: 16_384 };
export const share: Bounds = { min: 0, max: 1 };

/** A number of the look that may have keyframes. */
export const value =
  (
    as: string,
    bounds: Bounds,
    read: (property: Property, element: Element) => number | undefined,
    key = as,
  ): ElementRow =>
  (property, element) => {
    if (isKeyed(property)) {
      element.keyframes[key] = numberFrames(property, element.length, bounds, (each) => read(each, element));
      return used(`keyframes.${key}`);
    }
    const number = read(property, element);
    if (number === undefined) return ignored("Must be a number, with a unit such as %, vmin or px.");
    const kept = rounded(within(number, bounds));
    element.look[as] = kept;
    return Math.abs(kept - number) < 0.001
      ? used(as)
      : changed(`Is ${kept} here: from ${bounds.min} to ${bounds.max}.`);
  };

const degrees = (property: Property) => measureOf(property)?.value;

const inBox = (property: Property, { box, parent }: Element) =>
  pixelsOf(property, Math.min(box.width, box.height), parent.frame);

const placing = noted<Element, ElementContext>("centerX, centerY");
/** What lies in a composition keeps its layout. */
const sizing: ElementRow = (property, { type }) =>
  type === "composition" && isKeyed(property)
    ? changed("Is scaled as a whole, with what lies in it.")
    : used("width, height");
const timing = noted<Element, ElementContext>("position, end");

const blendModes: Readonly<Record<string, string>> = { none: "normal", lighter: "plus-lighter" };
const knownBlends = [
  ...["multiply", "screen", "overlay", "darken", "lighten", "color-dodge", "color-burn", "hard-light", "soft-light"],
  ...["difference", "exclusion", "hue", "saturation", "color", "luminosity"],
];

/** A color filter of some strength as a filter. */
const colorFilters: Readonly<Record<string, (amount: number) => FilterInput>> = {
  brighten: (amount) => ({ brightness: 1 + amount }),
  contrast: (amount) => ({ contrast: 1 + amount }),
  invert: (amount) => ({ invert: within(amount, share) }),
  grayscale: (amount) => ({ grayscale: within(amount, share) }),
  sepia: (amount) => ({ sepia: within(amount, share) }),
};

export const firstOf = (property: Property): Property =>
  isKeyed(property) ? property.items.at(-1)!.at("value") : property;

export const still = (property: Property, verdict: Verdict): Verdict =>
  isKeyed(property) ? changed("Has its last value: it does not change over time.") : verdict;

export const shadow =
  (set: (element: Element, property: Property) => boolean): ElementRow =>
  (property, element) =>
    set(element, firstOf(property)) ? still(property, used("shadow")) : ignored("Must be a color, or a length.");

const shadowOf = (element: Element) => (element.look.shadow ?? {}) as Record<string, unknown>;

const shadowLength = (name: string, bounds: Bounds, factor: number) =>
  shadow((element, property) => {
    const length = pixelsOf(property, Math.min(element.box.width, element.box.height), element.parent.frame);
    if (length === undefined) return false;
    element.look.shadow = { ...shadowOf(element), [name]: rounded(within(length * factor, bounds)) };
    return true;
  });

/** The properties of every element. */
const ofAll: ElementTable = {
  id: noted("nothing: a name"),
  name: noted("nothing: a name"),
  type: noted("type"),
  track: noted("the order of the layers"),
  time: timing,
  duration: timing,
  x: placing,
  y: placing,
  width: sizing,
  height: sizing,
  aspect_ratio: sizing,
  x_padding: sizing,
  y_padding: sizing,
  x_anchor: noted("anchor"),
  y_anchor: noted("anchor"),
  z_index: (property, element) => {
    element.z = firstOf(property).number;
    return still(property, used("the order of the layers"));
  },
  x_scale: value("scaleX", { min: -100, max: 100 }, shareOf),
  y_scale: value("scaleY", { min: -100, max: 100 }, shareOf),
  x_skew: value("skewX", { min: -89, max: 89 }, degrees),
  y_skew: value("skewY", { min: -89, max: 89 }, degrees),
  z_rotation: value("rotation", { min: -36_000, max: 36_000 }, degrees),
  x_rotation: turnAbout("scaleY"),
  y_rotation: turnAbout("scaleX"),
  perspective: ofTurns("Turns without a perspective."),
  backface_visible: ofTurns("The back is hidden, without a perspective."),
  warp_mode: (property) =>
    property.text === "default" ? used("nothing") : ignored("Layers are flat: they are not warped."),
  warp_matrix: never("Layers are flat: they are not warped."),
  opacity: value("opacity", share, shareOf),
  shadow_color: shadow((element, property) => {
    const color = colorOf(property);
    if (!color) return false;
    const { width, height } = element.parent.frame;
    element.look.shadow = {
      blur: rounded(within(0.01 * Math.min(width, height), { min: 0, max: 200 })),
      ...shadowOf(element),
      color,
    };
    return true;
  }),
  // twice the standard deviation
  shadow_blur: shadowLength("blur", { min: 0, max: 200 }, 0.5),
  shadow_x: shadowLength("x", { min: -1000, max: 1000 }, 1),
  shadow_y: shadowLength("y", { min: -1000, max: 1000 }, 1),
  clip: noted("clip"),
  blend_mode: (property, element) => {
    const name = firstOf(property).text ?? "";
    const mode = blendModes[name] ?? knownBlends.find((known) => known === name);
    if (!mode) return ignored("Is not a blend mode.");
    element.look.blend = mode;
    return still(property, used("blend"));
  },
  color_filter: (property, element) => {
    const name = firstOf(property).text ?? "";
    if (!Object.hasOwn(colorFilters, name)) return ignored(`Must be one of: ${Object.keys(colorFilters).join(", ")}.`);
    element.filterType = name;
    const amount = shareOf(firstOf(element.from.at("color_filter_value"))) ?? 1;
    element.filter = { ...element.filter, ...colorFilters[name]!(amount) };
    return still(property, used("filter"));
  },
  color_filter_value: (property) => still(property, used("filter")),
  color_overlay: (property, element) => {
    const parsed = parseColor(firstOf(property).text ?? "");
    if (!parsed) return ignored("Must be a CSS color.");
    const { red, green, blue, alpha } = parsed;
    element.filter = { ...element.filter, tint: { color: `rgb(${red} ${green} ${blue})`, amount: rounded(alpha) } };
    return still(property, used("filter.tint"));
  },
  blur_radius: (property, element) => {
    const sigma = (each: Property) => {
      const radius = inBox(each, element);
      // half of a radius is the standard deviation of a blur that looks alike
      return radius === undefined ? undefined : rounded(within(radius / 2, { min: 0, max: 200 }));
    };
    if (isKeyed(property)) {
      element.keyframes.blur = numberFrames(property, element.length, { min: 0, max: 200 }, sigma);
      return used("keyframes.blur");
    }
    const blur = sigma(property);
    if (blur === undefined) return ignored("Must be a number.");
    element.filter = { ...element.filter, blur };
    return used("filter.blur");
  },
  blur_mode: (property) => (property.text === "stack" ? used("filter.blur") : changed("Is a Gaussian blur.")),
  mask_mode: (property, element) => {
    const mode = firstOf(property).text ?? "";
    if (!/^(alpha|luma)(-inverted)?$/.test(mode)) return ignored("Is not a mask.");
    element.maskMode = mode;
    return used("mask");
  },
  repeat: flag("copies of it", (element, isRepeated) => {
    element.isRepeated = isRepeated;
  }),
  animations: (property, element) => {
    element.animated = animationsOf(property, {
      type: element.type,
      length: element.length,
      box: element.box,
      frame: element.parent.frame,
      hasPrevious: hasPrevious.has(property),
    });
    return undefined;
  },
  dynamic: noted("a placeholder"),
  visible: noted("visible"),
  locked: noted("nothing: it is about the editor"),
  x_alignment: never("Is for texts and pictures."),
  y_alignment: never("Is for texts and pictures."),
};

/** Animations of elements that follow another one on their track. */
export const hasPrevious = new WeakSet<Property>();

const strokeRows: ElementTable = {
  stroke_color: (property, element) => {
    if (isKeyed(property)) {
      element.keyframes.strokeColor = framesOf(property, element.length, colorOf);
      element.stroke.color = colorOf(firstOf(property)) ?? "#000000";
      return used("keyframes.strokeColor");
    }
    const color = colorOf(property);
    if (!color) return ignored("Must be a CSS color.");
    element.stroke.color = color;
    return used("stroke.color");
  },
  stroke_width: (property, element) => {
    const read = (each: Property) => inBox(each, element);
    if (isKeyed(property)) {
      element.keyframes.strokeWidth = numberFrames(property, element.length, { min: 0, max: 200 }, read);
      element.stroke.width = read(firstOf(property)) ?? 0;
      return used("keyframes.strokeWidth");
    }
    const width = read(property);
    if (width === undefined) return ignored("Must be a number.");
    element.stroke.width = rounded(within(width, { min: 0, max: 200 }));
    return used("stroke.width");
  },
  stroke_cap: (property, element) => {
    const cap = (["butt", "round", "square"] as const).find((name) => name === firstOf(property).text);
    if (!cap) return ignored("Must be one of: butt, round, square.");
    element.stroke.cap = cap;
    return still(property, used("stroke.cap"));
  },
  stroke_join: (property, element) => {
    const join = (["miter", "round", "bevel"] as const).find((name) => name === firstOf(property).text);
    if (!join) return ignored("Must be one of: miter, round, bevel.");
    element.stroke.join = join;
    return still(property, used("stroke.join"));
  },
  stroke_start: value("trimStart", share, shareOf),
  stroke_end: value("trimEnd", share, shareOf),
  stroke_offset: value("trimOffset", { min: -100, max: 100 }, shareOf),
};

const fillRows: ElementTable = {
  fill_color: (property, element) => {
    if (isKeyed(property)) {
      element.keyframes.fill = framesOf(property, element.length, colorOf);
      element.fill = colorOf(firstOf(property));
      return used("keyframes.fill");
    }
    if (isGradient(property)) {
      const fill = gradientOf(property, element.from, element.box);
      if (!fill) return ignored("Must have two colors or more.");
      element.fill = fill;
      return used("fill");
    }
    const color = colorOf(property);
    if (!color) return ignored("Must be a CSS color, or a list of color stops.");
    element.fill = color;
    return used("fill");
  },
  fill_mode: (property) => still(property, used("fill.type")),
  fill_x0: noted("fill.angle"),
  fill_y0: noted("fill.angle"),
  fill_x1: noted("fill.angle"),
  fill_y1: noted("fill.angle"),
  fill_radius: () => changed("A radial gradient reaches the corners."),
};

const border = value("radius", { min: 0, max: 1000 }, inBox);

const sourceRow =
  (type: "image" | "video" | "audio"): ElementRow =>
  (property, element, context) => {
    element.media = context.media(property, type, context.placeholderOf(element.from, "source"));
    return undefined;
  };

const playRows: ElementTable = {
  trim_start: (property, element) => {
    const start = secondsOf(property);
    if (start === undefined) return ignored("Must be a number of seconds.");
    if (start > 0) element.look.cutFrom = rounded(within(start, { min: 0, max: 1_000_000 }));
    return used("cutFrom");
  },
  trim_duration: timing,
  loop: flag("repeat", (element, isLoop) => {
    if (isLoop) element.look.repeat = true;
  }),
  volume: (property, element) => {
    if (isKeyed(property)) {
      element.keyframes.volume = numberFrames(property, element.length, { min: 0, max: 4 }, shareOf);
      return used("keyframes.volume");
    }
    const volume = shareOf(property);
    if (volume === undefined) return ignored("Must be a number, or a percentage.");
    // a number is a percentage, too
    const isPlain = !/%/.test(property.text ?? "") && volume > 1;
    element.look.volume = rounded(within(isPlain ? volume / 100 : volume, { min: 0, max: 4 }));
    return used("volume");
  },
  muted: flag("volume", (element, isMuted) => {
    element.isMuted = isMuted;
  }),
  audio_fade_in: (property, element) => {
    element.fades.in = within(secondsOf(property) ?? 0, { min: 0, max: 3600 });
    return used("fadeIn");
  },
  audio_fade_out: (property, element) => {
    element.fades.out = within(secondsOf(property) ?? 0, { min: 0, max: 3600 });
    return used("fadeOut");
  },
  speed: value("speed", { min: 0.1, max: 10 }, shareOf),
  playback_rate: value("speed", { min: 0.1, max: 10 }, shareOf),
  provider: noted("nothing: the file is fetched"),
};

export const fit: ElementRow = (property, element) => {
  const fit = ({ cover: "cover", contain: "contain", fill: "stretch" } as const)[property.text as "cover"];
  if (!fit) return ignored("Must be one of: cover, contain, fill.");
  element.look.fit = fit;
  return used("fit");
};

/** The side of a picture that stays visible. */
const focusRow =
  (axis: "x" | "y"): ElementRow =>
  (property, element) => {
    const at = shareOf(firstOf(property));
    if (at === undefined) return ignored("Must be a percentage.");
    element.look.focus = { x: 0.5, y: 0.5, ...(element.look.focus ?? {}), [axis]: within(at, share) };
    return still(property, used("focus"));
  };

const focusRows: ElementTable = { x_alignment: focusRow("x"), y_alignment: focusRow("y") };

const noStroke = Object.fromEntries(
  Object.keys(strokeRows).map((name) => [name, never<Element, ElementContext>("Pictures have no outline.")]),
);

const fontFamily: ElementRow = (property, element, { fonts }) => {
  const name = firstOf(property).text;
  if (!name) return ignored("Must be the name of a font.");
  const { isKnown, fontWeight, ...font } = findFont(name, fonts);
  Object.assign(element.look, font);
  if (fontWeight !== undefined) element.look.fontWeight ??= fontWeight;
  if (isKnown) return still(property, used("fontFamily"));
  return changed(`The family ${name} is not here: the default one is shown instead.`);
};

const textSize =
  (name: "min" | "max"): ElementRow =>
  (property, element) => {
    const size = pixelsOf(firstOf(property), element.parent.size.height, element.parent.frame);
    if (size === undefined) return ignored("Must be a number.");
    if (element.isAuto) element.look[name] = rounded(within(size, { min: 1, max: 1000 }));
    return element.isAuto ? used(name) : used("nothing: the size is fixed");
  };

/** The font size, or about the one that fills the box. */
export function sizeOfFont({ fontSize, box, words, look }: Element): number {
  if (fontSize !== undefined) return fontSize;
  const letters = Math.max(1, words.length);
  const filling = Math.min(box.height / 1.15, Math.sqrt((box.width * box.height) / (letters * 0.62)));
  return within(filling, {
    min: Number(look.min ?? 1),
    max: Math.max(Number(look.min ?? 1), Number(look.max ?? 1000)),
  });
}

const inFontSizes =
  (as: string, bounds: Bounds): ElementRow =>
  (property, element) => {
    const length = pixelsOf(firstOf(property), sizeOfFont(element), element.parent.frame);
    if (length === undefined) return ignored("Must be a number.");
    element.look[as] = rounded(within(length, bounds));
    return still(
      property,
      element.isAuto ? changed(`Is ${element.look[as]} pixels, from about the size of the letters.`) : used(as),
    );
  };

const transforms = { none: undefined, uppercase: "upper", lowercase: "lower", capitalize: "title" } as const;

const subtitles = never<Element, ElementContext>(
  "Words are not heard from a file: send them as captions of the export.",
);

/** The properties of texts. Those that depend on the size of the letters come after it. */
const textRows: ElementTable = {
  ...ofAll,
  ...fillRows,
  text: noted("text"),
  font_size: (property, element) => {
    if (isKeyed(property)) {
      const read = (each: Property) => pixelsOf(each, element.parent.size.height, element.parent.frame);
      element.keyframes.fontSize = numberFrames(property, element.length, { min: 1, max: 1000 }, read);
      return used("keyframes.fontSize");
    }
    return element.fontSize === undefined ? ignored("Must be a number.") : used("fontSize");
  },
  font_size_minimum: textSize("min"),
  font_size_maximum: textSize("max"),
  font_family: fontFamily,
  font_weight: (property, element) => {
    const weight = ({ normal: 400, bold: 700 } as const)[firstOf(property).text as "bold"] ?? firstOf(property).number;
    if (weight === undefined) return ignored("Must be a weight from 1 to 1000.");
    element.look.fontWeight = within(weight, { min: 1, max: 1000 });
    return still(property, used("fontWeight"));
  },
  font_style: (property, element) => {
    element.look.italic = firstOf(property).text === "italic";
    return still(property, used("italic"));
  },
  letter_spacing: inFontSizes("letterSpacing", { min: -200, max: 1000 }),
  line_height: value("lineHeight", { min: 0.1, max: 10 }, shareOf),
  text_wrap: flag("wrap", (element, wraps) => {
    element.look.wrap = wraps;
  }),
  text_clip: (property) =>
    property.flag === false ? used("nothing") : changed("A text that does not fit becomes smaller instead."),
  text_transform: (property, element) => {
    const name = firstOf(property).text ?? "";
    if (!Object.hasOwn(transforms, name)) return ignored("Must be one of: none, uppercase, lowercase, capitalize.");
    const value = transforms[name as "none"];
    if (value) element.look.case = value;
    return still(property, used("case"));
  },
  x_alignment: (property, element) => {
    const at = shareOf(firstOf(property));
    if (at === undefined) return ignored("Must be a percentage.");
    element.look.align = at < 0.25 ? "left" : at > 0.75 ? "right" : "center";
    return still(property, used("align"));
  },
  y_alignment: (property, element) => {
    const at = shareOf(firstOf(property));
    if (at === undefined) return ignored("Must be a percentage.");
    element.look.verticalAlign = at < 0.25 ? "top" : at > 0.75 ? "bottom" : "middle";
    return still(property, used("verticalAlign"));
  },
  background_color: (property, element) => {
    const color = colorOf(firstOf(property));
    if (!color) return ignored("Must be a CSS color.");
    element.look.background = color;
    element.look.backgroundBy = "line";
    return still(property, used("background"));
  },
  background_x_padding: inFontSizes("paddingX", { min: 0, max: 1000 }),
  background_y_padding: inFontSizes("paddingY", { min: 0, max: 1000 }),
  background_border_radius: inFontSizes("radius", { min: 0, max: 1000 }),
  background_align_threshold: (property, element) => {
    if ((shareOf(firstOf(property)) ?? 0) < 1) return changed("Each line has a ground of its own width.");
    element.look.backgroundBy = "block";
    return used("backgroundBy");
  },
  ...strokeRows,
  stroke_start: never("Letters have a whole outline."),
  stroke_end: never("Letters have a whole outline."),
  stroke_offset: never("Letters have a whole outline."),
  transcript_source: subtitles,
  transcript_effect: subtitles,
  transcript_split: subtitles,
  transcript_placement: subtitles,
  transcript_maximum_length: subtitles,
  transcript_color: subtitles,
};

/** What each property of an element becomes, by its type. */
export const elementTypes: Readonly<Record<string, ElementTable>> = {
  image: {
    ...ofAll,
    ...focusRows,
    source: sourceRow("image"),
    provider: playRows.provider!,
    fit,
    smart_crop: () => changed("The middle stays visible: focus names another point."),
    border_radius: border,
    ...noStroke,
  },
  video: { ...ofAll, ...focusRows, ...playRows, source: sourceRow("video"), fit, border_radius: border, ...noStroke },
  audio: { ...ofAll, ...playRows, source: sourceRow("audio") },
  text: textRows,
  shape: {
    ...ofAll,
    ...fillRows,
    ...strokeRows,
    border_radius: border,
    path: (property, element) => {
      const text = firstOf(property).text;
      if (text === undefined) return ignored("Must be the data of an SVG path.");
      element.path = text.slice(0, 100_000);
      return isKeyed(property) ? changed("Has its last form: paths do not change over time.") : used("shape");
    },
  },
  composition: {
    ...ofAll,
    ...fillRows,
    ...strokeRows,
    border_radius: border,
    elements: () => undefined,
    loop: flag("repeat", (element, isLoop) => {
      if (isLoop) element.look.repeat = true;
    }),
    plays: noted("end"),
    flow_direction: never("Elements have their own places."),
  },
};
