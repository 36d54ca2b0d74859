import { parseColor } from "../../../platform/colors.ts";
import type {
  FilterInput,
  GradientInput,
  GroupLayerInput,
  ImageLayerInput,
  KeyframeInput,
  LayerInput,
  ShapeLayerInput,
  SoundInput,
  TextLayerInput,
  VideoLayerInput,
} from "../../exports/request/layers/inputs.ts";
import { maxDepth } from "../../exports/request/layers/nesting.ts";
import type { Draft, Media, ReadContext, SoundDraft } from "../reading/draft.ts";
import { findFont } from "../reading/fonts.ts";
import { changed, ignored, type Property, used, type Verdict } from "../reading/property.ts";
import { type Bounds, flag, never, noted, type Row, readBy, rounded, type Table, within } from "../reading/rows.ts";
import { type Animated, animationsOf } from "./animations.ts";
import { spansOf } from "./markup.ts";
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

type Times = { readonly position: number; readonly end: number };

type Element = {
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

const limit: Bounds = { min: -16_384, max: 16_384 };
const share: Bounds = { min: 0, max: 1 };

/** A number of the look that may have keyframes. */
const value =
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
const sizing = noted<Element, ElementContext>("width, height");
const timing = noted<Element, ElementContext>("position, end");

const flat = never<Element, ElementContext>("Layers are flat: they turn in the plane only.");

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

const firstOf = (property: Property): Property => (isKeyed(property) ? property.items.at(-1)!.at("value") : property);

const still = (property: Property, verdict: Verdict): Verdict =>
  isKeyed(property) ? changed("Has its last value: it does not change over time.") : verdict;

const shadow =
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
  x_rotation: flat,
  y_rotation: flat,
  perspective: flat,
  backface_visible: flat,
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
const hasPrevious = new WeakSet<Property>();

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

const fit: ElementRow = (property, element) => {
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
function sizeOfFont({ fontSize, box, words, look }: Element): number {
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
const elementTypes: Readonly<Record<string, ElementTable>> = {
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
    plays: (property) => (property.number === 1 ? used("repeat") : changed("Repeats until its end, or not at all.")),
    flow_direction: never("Elements have their own places."),
  },
};

/** Seconds that an element lasts by itself: by its duration, its file or its content; undefined until its parent ends. */
export function ownLength(element: Property, context: ReadContext): number | undefined {
  const duration = element.at("duration");
  const type = element.at("type").text;
  const given = duration.text === "media" ? undefined : secondsOf(duration);
  if (given !== undefined) return Math.max(0.01, given);
  const isEndless = duration.raw === null || element.at("loop").flag === true;
  if ((type === "video" || type === "audio") && !isEndless) {
    const trimmed = secondsOf(element.at("trim_duration"));
    if (trimmed !== undefined) return Math.max(0.01, trimmed);
    const seconds = context.media(element.at("source"), type)?.seconds;
    return seconds === undefined ? undefined : Math.max(0.01, seconds - (secondsOf(element.at("trim_start")) ?? 0));
  }
  if (type === "composition") return contentLength(element.at("elements"), context);
  return undefined;
}

type PlacedElement = {
  readonly element: Property;
  readonly start: number;
  readonly length: number | undefined;
  readonly follows: boolean;
};

/** When the elements of a list begin: those of one track follow each other, and overlap by their transitions. */
export function timesOf(list: Property, context: ReadContext, parentLength = 0): readonly PlacedElement[] {
  const ends = new Map<string, number>();
  return list.items.map((element) => {
    const track = element.at("track");
    const key = track.number === undefined ? undefined : String(track.number);
    const before = key === undefined ? undefined : ends.get(key);
    const transition = element.at("animations").items.find((each) => each.at("transition").flag === true);
    const overlap = transition && before !== undefined ? (secondsOf(transition.at("duration")) ?? 1) : 0;
    const given = secondsOf(element.at("time"), parentLength);
    const start = within(given ?? Math.max(0, (before ?? 0) - overlap), { min: 0, max: 3600 });
    const length = ownLength(element, context);
    if (key !== undefined) ends.set(key, start + (length ?? Math.max(0, parentLength - start)));
    return { element, start, length, follows: before !== undefined };
  });
}

/** Seconds until the last element of a list ends; undefined if none has an end of its own. */
export function contentLength(list: Property, context: ReadContext): number | undefined {
  const ends = timesOf(list, context).flatMap(({ start, length }) => (length === undefined ? [] : [start + length]));
  return ends.length > 0 ? Math.min(3600, Math.max(...ends)) : undefined;
}

/** The layers of a list of elements, bottom first, and the transitions between them. */
export function readElements(list: Property, parent: Parent, context: ElementContext): readonly Draft[] {
  if (list.items.length === 0 && !list.isAbsent) list.mark(used("nothing"));
  const read = timesOf(list, context, parent.length).flatMap(({ element, start, length, follows }, index) => {
    const end = Math.min(start + (length ?? Math.max(0.01, parent.length - start)), 3600);
    const times = { position: rounded(start), end: rounded(Math.max(start + 0.01, end)) };
    const made = readElement(element, { times, parent, follows }, context);
    return made ? [{ ...made, index, track: element.at("track").number ?? index + 1 }] : [];
  });
  const ordered = read.toSorted(
    (one, other) => (one.z ?? one.track) - (other.z ?? other.track) || one.index - other.index,
  );
  return withMasks(ordered, context);
}

type Made = { readonly draft: Draft; readonly z: number | undefined; readonly maskMode: string | undefined };

/** A mask shows a part of what lies just below it. */
function withMasks(made: readonly Made[], context: ElementContext): readonly Draft[] {
  const drafts: Draft[] = [];
  for (const { draft, maskMode } of made) {
    const below = drafts.at(-1);
    if (!maskMode || !below) {
      drafts.push(draft);
      continue;
    }
    const id = draft.layer.id ?? context.nextId();
    const [by, inverted] = maskMode.split("-");
    const mask = { layer: id, by: by as "alpha" | "luma", ...(inverted && { invert: true }) };
    const masked = below.layer.mask ? below : { ...below, layer: { ...below.layer, mask } as LayerInput };
    if (masked === below) draft.from.at("mask_mode").mark(ignored("A layer has one mask."));
    drafts.splice(-1, 1, { ...draft, layer: { ...draft.layer, id } as LayerInput }, masked);
  }
  return drafts;
}

type Placing = { readonly times: Times; readonly parent: Parent; readonly follows: boolean };

const isAbsentOrNull = (property: Property) => property.isAbsent;

/** The box of an element without its padding; `isOpen` for texts that are as wide and high as their words. */
function boxOf(from: Property, type: string, { size, frame }: Parent) {
  const length = (name: "width" | "height") => {
    const property = from.at(name);
    if (isKeyed(property)) return pixelsOf(property.items.at(-1)!.at("value"), size[name], frame);
    return isAbsentOrNull(property) ? undefined : pixelsOf(property, size[name], frame);
  };
  const [width, height] = [length("width"), length("height")];
  const isText = type === "text";
  const ratio = firstOf(from.at("aspect_ratio")).number;
  const padding = {
    x: pixelsOf(firstOf(from.at("x_padding")), size.width, frame) ?? 0,
    y: pixelsOf(firstOf(from.at("y_padding")), size.height, frame) ?? 0,
  };
  const outer = {
    width: width ?? (ratio && height !== undefined ? height * ratio : size.width),
    height: height ?? (ratio && width !== undefined ? width / ratio : size.height),
  };
  const fitted = ratio && width !== undefined && height !== undefined ? contained(outer, ratio) : outer;
  return {
    outer: fitted,
    inner: {
      width: within(fitted.width - 2 * padding.x, { min: 1, max: 16_384 }),
      height: within(fitted.height - 2 * padding.y, { min: 1, max: 16_384 }),
    },
    hasWidth: !isText || width !== undefined,
    hasHeight: !isText || height !== undefined,
    hasNone: width === undefined && height === undefined,
  };
}

const contained = ({ width, height }: Size, ratio: number): Size =>
  width / height > ratio ? { width: height * ratio, height } : { width, height: width / ratio };

function readElement(from: Property, { times, parent, follows }: Placing, context: ElementContext): Made | undefined {
  const type = from.at("type").text ?? "";
  const table = Object.hasOwn(elementTypes, type) ? elementTypes[type] : undefined;
  if (!table) {
    from.mark(ignored("Is not a type of element that is known here."));
    return undefined;
  }
  if (from.at("visible").flag === false) {
    from.mark(used("nothing: it is not visible"));
    return undefined;
  }
  const box = boxOf(from, type, parent);
  const fixed = isKeyed(from.at("font_size"))
    ? pixelsOf(firstOf(from.at("font_size")), parent.size.height, parent.frame)
    : pixelsOf(from.at("font_size"), parent.size.height, parent.frame);
  const isAuto = type === "text" && fixed === undefined && !box.hasNone;
  const element: Element = {
    from,
    type,
    times,
    length: times.end - times.position,
    box: box.inner,
    parent,
    look: {},
    keyframes: {},
    filter: {},
    words: "",
    isAuto,
    ...(type === "text" && !isAuto && { fontSize: within(fixed ?? 0.05 * parent.frame.height, { min: 1, max: 1000 }) }),
    stroke: {},
    isMuted: false,
    fades: { in: 0, out: 0 },
    layers: [],
    isRepeated: false,
    z: undefined,
  };
  if (type === "text") readWords(element, context);
  if (follows) hasPrevious.add(from.at("animations"));
  if (type === "composition") {
    const inside = readInside(element, context);
    if (!inside) return undefined;
  }
  readBy(table, from, element, context);
  const layer = layerOf(element, box, context);
  if (!layer) return undefined;
  const transition = element.animated?.transition;
  return { draft: { from, layer, ...(transition && { transition }) }, z: element.z, maskMode: element.maskMode };
}

function readWords(element: Element, context: ElementContext): void {
  const text = firstOf(element.from.at("text"));
  const own = (text.template ?? "").slice(0, 10_000);
  const key = context.placeholderOf(element.from, "text");
  element.words = key ? `{{${key}}}` : own;
  if (isKeyed(element.from.at("text"))) {
    element.keyframes.text = framesOf(element.from.at("text"), element.length, (each) =>
      each.template?.slice(0, 10_000),
    );
  }
}

/** Reads the elements of a composition; undefined if groups would nest too deep. */
function readInside(element: Element, context: ElementContext): true | undefined {
  const { from, box, parent, times } = element;
  if (parent.depth >= maxDepth) {
    from.mark(ignored(`Groups nest at most ${maxDepth} deep.`));
    return undefined;
  }
  const inside: Parent = {
    size: box,
    frame: parent.frame,
    length: contentLength(from.at("elements"), context) ?? element.length,
    start: parent.start + times.position,
    depth: parent.depth + 1,
  };
  const whole = element.from.at("loop").flag === true ? inside.length : Math.max(inside.length, element.length);
  const drafts = readElements(from.at("elements"), { ...inside, length: whole }, context);
  element.layers = drafts.map(({ layer, transition }) => {
    if (!transition || layer.enter) return layer;
    return { ...layer, enter: { ...entranceOf(transition.kind), seconds: transition.seconds } } as LayerInput;
  });
  return true;
}

const entranceOf = (kind: string) => {
  const direction = (["left", "right", "up", "down"] as const).find((name) => kind.endsWith(name));
  if (kind.startsWith("wipe") && direction) return { name: "wipe", direction };
  if (kind.startsWith("push") && direction) return { name: "fly", direction };
  return kind === "circleopen" ? { name: "wipe", direction: "circle" as const } : { name: "fade" };
};

/** The center of an element's box and the point about which it turns. */
function placeOf({ from, parent, length, keyframes }: Element, outer: Size) {
  const { size, frame } = parent;
  const anchorX = shareOf(firstOf(from.at("x_anchor"))) ?? 0.5;
  const anchorY = shareOf(firstOf(from.at("y_anchor"))) ?? 0.5;
  const along = (name: "x" | "y", side: "width" | "height", anchor: number, key: "centerX" | "centerY") => {
    const property = from.at(name);
    const whole = size[side];
    const center = (at: number, own: number) => rounded(within(at - anchor * own + own / 2 - whole / 2, limit));
    const read = (each: Property) => pixelsOf(each, whole, frame);
    const resting = isKeyed(property) ? read(property.items.at(-1)!.at("value")) : read(property);
    const at = resting ?? whole / 2;
    if (isKeyed(property)) {
      keyframes[key] = numberFrames(property, length, limit, (each) => {
        const value = read(each);
        return value === undefined ? undefined : center(value, outer[side]);
      });
    }
    const sides = from.at(side);
    if (isKeyed(sides)) {
      keyframes[side] = numberFrames(sides, length, { min: 0, max: 16_384 }, (each) => pixelsOf(each, whole, frame));
      if (Math.abs(anchor - 0.5) > 0.001 && !isKeyed(property)) {
        keyframes[key] = numberFrames(sides, length, limit, (each) => center(at, pixelsOf(each, whole, frame) ?? 0));
      }
    }
    return center(at, outer[side]);
  };
  const centerX = along("x", "width", anchorX, "centerX");
  const centerY = along("y", "height", anchorY, "centerY");
  const isMiddle = Math.abs(anchorX - 0.5) < 0.001 && Math.abs(anchorY - 0.5) < 0.001;
  return {
    centerX,
    centerY,
    ...(!isMiddle && { anchor: { x: within(anchorX, share), y: within(anchorY, share) } }),
  };
}

/** Keyframes replace the field: those of a turn begin and end at the element's own angle. */
function turned(frames: Animated["keyframes"] = {}, rotation: unknown): Animated["keyframes"] {
  if (!frames.rotation || typeof rotation !== "number") return frames;
  return {
    ...frames,
    rotation: frames.rotation.map((frame) => ({ ...frame, value: rounded(frame.value + rotation) })),
  };
}

const asLook = <Layer>(look: Record<string, unknown>): Partial<Layer> => look as Partial<Layer>;

function layerOf(element: Element, box: ReturnType<typeof boxOf>, context: ElementContext): LayerInput | undefined {
  const { type, from, times, look, keyframes, animated, filter } = element;
  if (type === "audio") {
    const sound = soundOf(element);
    if (sound) context.sounds.push({ from, sound });
    return undefined;
  }
  const place = placeOf(element, box.outer);
  const { scaleX = 1, scaleY = 1, ...others } = look as { scaleX?: number; scaleY?: number };
  const frames = { ...keyframes, ...turned(animated?.keyframes, look.rotation) };
  const common = {
    ...times,
    ...place,
    ...((scaleX !== 1 || scaleY !== 1) && { scale: { x: scaleX, y: scaleY } }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(animated?.enter && { enter: animated.enter }),
    ...(animated?.exit && { exit: animated.exit }),
    ...(animated?.loop && { loop: animated.loop }),
    ...(animated && animated.motions.length > 0 && { motions: animated.motions.slice(0, 50) }),
  };
  const size = { width: rounded(box.inner.width), height: rounded(box.inner.height) };
  const layer = typedLayer({ ...element, look: others }, { common, size, frames, box });
  return layer && element.isRepeated ? repeated(layer, element, box.outer) : layer;
}

type Parts = {
  readonly common: Record<string, unknown>;
  readonly size: Size;
  readonly frames: Record<string, unknown>;
  readonly box: ReturnType<typeof boxOf>;
};

const framed = (frames: Record<string, unknown>, without: readonly string[] = []) => {
  const kept = Object.fromEntries(
    Object.entries(frames).filter(([name, list]) => !without.includes(name) && Array.isArray(list) && list.length > 0),
  );
  return Object.keys(kept).length > 0 ? { keyframes: kept } : {};
};

function typedLayer(element: Element, parts: Parts): LayerInput | undefined {
  const { type, look } = element;
  const { common, size, frames } = parts;
  if (type === "text") return textLayer(element, parts);
  if (type === "shape") return shapeLayer(element, parts);
  if (type === "composition") return groupLayer(element, parts);
  const { media } = element;
  if (!media) return undefined;
  if (media.assetId === "") {
    return { type: "shape", shape: "rect", fill: "#c9ced6", ...asLook<ShapeLayerInput>(common), ...size };
  }
  const shown = { fit: "cover", ...look, ...common, ...size, assetId: media.assetId };
  if (media.type === "image") {
    const { cutFrom: _c, volume: _v, speed: _s, ...still } = shown as Record<string, unknown>;
    const motion = framed(frames, ["volume", "speed"]);
    return { type: "image", ...asLook<ImageLayerInput>(still), ...motion } as ImageLayerInput;
  }
  const fades = frames.volume ? {} : fadeFrames(element);
  return {
    type: "video",
    ...asLook<VideoLayerInput>(shown),
    ...(element.isMuted && { volume: 0 }),
    ...framed({ ...frames, ...fades }),
  } as VideoLayerInput;
}

function fadeFrames({ fades, length }: Element): Record<string, unknown> {
  if (fades.in === 0 && fades.out === 0) return {};
  const first = Math.min(fades.in, length / 2);
  const last = Math.min(fades.out, length / 2);
  return {
    volume: [
      ...(first > 0
        ? [
            { at: 0, value: 0 },
            { at: rounded(first), value: 1 },
          ]
        : [{ at: 0, value: 1 }]),
      ...(last > 0
        ? [
            { at: rounded(length - last), value: 1 },
            { at: rounded(length), value: 0 },
          ]
        : []),
    ],
  };
}

function textLayer(element: Element, { common, size, frames, box }: Parts): LayerInput | undefined {
  const { look, words, fontSize, isAuto, fill, stroke, keyframes } = element;
  if (words.trim() === "" && !keyframes.text) return undefined;
  const found = spansOf(words, isAuto ? undefined : fontSize);
  // sizes need a number
  const sized = found?.hasSizes && isAuto ? Math.round(sizeOfFont(element)) : undefined;
  const markup = sized === undefined ? found : spansOf(words, sized);
  const color = fill === "none" || element.from.at("fill_color").raw === null ? "transparent" : (fill ?? "#000000");

  const { shadow, ...plain } = look as { shadow?: unknown };
  const layer: Record<string, unknown> = {
    type: "text",
    ...(markup ? { spans: markup.spans } : { text: words }),
    ...(shadow === undefined ? { shadowColor: "transparent" } : { shadow }),
    lineHeight: 1.15,
    fontWeight: 400,
    align: "left",
    verticalAlign: "top",
    ...plain,
    ...openBox(element, box),
    ...common,
    ...(typeof color === "string" ? { fontColor: color } : { fill: color }),
    ...(stroke.color && stroke.width ? { strokeColor: stroke.color, strokeWidth: rounded(stroke.width / 2) } : {}),
    ...(isAuto && sized === undefined
      ? {
          fontSize: "auto",
          width: size.width,
          height: size.height,
          min: look.min ?? 1,
          max:
            look.max ??
            within(Math.min(element.parent.frame.width, element.parent.frame.height), { min: 1, max: 1000 }),
          ...(!box.hasHeight && { wrap: false }),
        }
      : { fontSize: rounded(sized ?? fontSize ?? 48) }),
    ...textFrames(frames),
  };
  if (!isAuto || sized !== undefined) {
    delete layer.min;
    delete layer.max;
  }
  return layer as unknown as TextLayerInput;
}

/** Colors of letters over time are those of their fill here. */
function textFrames(frames: Record<string, unknown>) {
  const { fill, ...others } = frames;
  return framed({ ...others, ...(fill ? { fontColor: fill } : {}) }, ["width", "height", "zoom", "focusX", "focusY"]);
}

/** A text without a width or a height lies at its point in a box as large as its parent. */
function openBox(element: Element, box: ReturnType<typeof boxOf>): Record<string, unknown> {
  const { from, parent, isAuto } = element;
  if (isAuto) return {};
  const anchor = (name: string) => shareOf(firstOf(from.at(name))) ?? 0.5;
  const sides = (share: number): number => (share < 0.25 ? 0 : share > 0.75 ? 1 : 0.5);
  const [x, y] = [sides(anchor("x_anchor")), sides(anchor("y_anchor"))];
  const maxWidth = box.hasWidth ? box.inner.width : parent.size.width;
  const maxHeight = box.hasHeight ? box.inner.height : parent.size.height;
  return {
    maxWidth: rounded(maxWidth),
    maxHeight: rounded(maxHeight),
    ...(!box.hasWidth && { align: (["left", "center", "right"] as const)[2 * x], wrap: false }),
    ...(!box.hasHeight && { verticalAlign: (["top", "middle", "bottom"] as const)[2 * y] }),
  };
}

const rectangle = /^\s*M\s*0[ ,]+0\s*L\s*100[ ,]+0\s*L\s*100[ ,]+100\s*L\s*0[ ,]+100\s*(?:L\s*0[ ,]+0\s*)?Z\s*$/i;
const ellipse = /^\s*M\s*50[ ,]+0\s*C\s*77\.6\d*[ ,]+0[ ,]+100[ ,]+22\.3\d*[ ,]+100[ ,]+50/i;

function shapeLayer(element: Element, { common, size, frames, box }: Parts): LayerInput {
  const { path, fill, stroke, look, parent } = element;
  const { trimStart, trimEnd, trimOffset, ...rest } = look as {
    trimStart?: number;
    trimEnd?: number;
    trimOffset?: number;
  };
  const hasTrim = trimStart !== undefined || trimEnd !== undefined || trimOffset !== undefined;
  const drawn = {
    ...rest,
    ...common,
    ...(typeof fill === "string" || typeof fill === "object" ? { fill } : {}),
    ...((stroke.color || stroke.width) && { stroke: { color: "#000000", ...stroke } }),
    ...(hasTrim && {
      trim: {
        ...(trimStart !== undefined && { start: trimStart }),
        ...(trimEnd !== undefined && { end: trimEnd }),
        ...(trimOffset !== undefined && { offset: trimOffset }),
      },
    }),
    ...framed(frames, ["zoom", "focusX", "focusY"]),
  };
  if (path === undefined || rectangle.test(path))
    return { type: "shape", shape: "rect", ...drawn, ...size } as LayerInput;
  if (ellipse.test(path)) return { type: "shape", shape: "ellipse", ...drawn, ...size } as LayerInput;
  if (!box.hasNone) {
    return { type: "shape", shape: "path", d: path, viewBox: [0, 0, 100, 100], ...drawn, ...size } as LayerInput;
  }
  // the path is in pixels from the element's point, and may lie on all sides of it
  const { width, height } = parent.size;
  const around = { width: rounded(Math.min(16_384, 2 * width)), height: rounded(Math.min(16_384, 2 * height)) };
  return {
    type: "shape",
    shape: "path",
    d: path,
    viewBox: [-around.width / 2, -around.height / 2, around.width, around.height],
    ...drawn,
    ...around,
  } as LayerInput;
}

function groupLayer(element: Element, { common, size, frames }: Parts): LayerInput | undefined {
  const { fill, look, layers, stroke, from, length } = element;
  const { radius, ...rest } = look as { radius?: number };
  const hasGround = fill !== undefined || (stroke.color !== undefined && stroke.width);
  const ground = {
    type: "shape",
    shape: "rect",
    ...(fill !== undefined && { fill }),
    ...(stroke.color && stroke.width ? { stroke: { color: stroke.color, width: stroke.width } } : {}),
    ...(radius && { radius }),
  } as LayerInput;
  const inside = hasGround ? [ground, ...layers] : layers;
  if (inside.length === 0) return undefined;
  const clips = from.at("clip").flag === true || radius !== undefined;
  const isLoop = rest && (rest as { repeat?: boolean }).repeat === true;
  const endless = inside.map((each) => (isLoop && each.end === undefined ? { ...each, end: length } : each));
  return {
    type: "group",
    layers: endless,
    ...asLook<GroupLayerInput>(rest),
    ...asLook<GroupLayerInput>(common),
    ...size,
    ...(clips && { clip: true }),
    ...(radius && { radius }),
    ...framed(frames, [
      "zoom",
      "focusX",
      "focusY",
      "strokeColor",
      "strokeWidth",
      "trimStart",
      "trimEnd",
      "trimOffset",
      "fill",
    ]),
  } as LayerInput;
}

const maxCopies = 100;

/** Copies of a layer side by side, over the whole parent. */
function repeated(layer: LayerInput, { parent, from, times }: Element, box: Size): LayerInput {
  const { width, height } = parent.size;
  const columns = Math.ceil(width / box.width / 2) + 1;
  const rows = Math.ceil(height / box.height / 2) + 1;
  const copies: LayerInput[] = [];
  const { centerX = 0, centerY = 0, opacity, blend, position: _p, end: _e, id: _i, ...tile } = layer as GroupLayerInput;
  for (let row = -rows; row <= rows; row++) {
    for (let column = -columns; column <= columns; column++) {
      const x = (centerX ?? 0) + column * box.width;
      const y = (centerY ?? 0) + row * box.height;
      const isSeen = Math.abs(x) < (width + box.width) / 2 && Math.abs(y) < (height + box.height) / 2;
      if (isSeen) copies.push({ ...tile, centerX: rounded(x), centerY: rounded(y) } as LayerInput);
    }
  }
  if (copies.length > maxCopies || parent.depth + 2 > maxDepth) {
    from.at("repeat").mark(ignored(`Is repeated at most ${maxCopies} times.`));
    return layer;
  }
  return {
    type: "group",
    ...times,
    layers: copies,
    width,
    height,
    clip: true,
    ...(opacity !== undefined && { opacity }),
    ...(blend !== undefined && { blend }),
  };
}

function soundOf(element: Element): SoundInput | undefined {
  const { media, look, times, parent, fades, keyframes, isMuted, from } = element;
  if (!media?.assetId || isMuted) return undefined;
  const { cutFrom, volume, repeat, speed } = look as {
    cutFrom?: number;
    volume?: number;
    repeat?: boolean;
    speed?: number;
  };
  const start = parent.start + times.position;
  const isMusic = isAbsentOrNull(from.at("duration")) && start < 0.001;
  return {
    assetId: media.assetId,
    position: rounded(start),
    end: rounded(parent.start + times.end),
    ...(isMusic && { role: "music" as const }),
    ...(cutFrom !== undefined && { cutFrom }),
    ...(volume !== undefined && { volume }),
    ...(speed !== undefined && { speed }),
    ...(repeat && { repeat: true }),
    ...(fades.in > 0 && { fadeIn: fades.in }),
    ...(fades.out > 0 && { fadeOut: fades.out }),
    ...(keyframes.volume && { keyframes: { volume: keyframes.volume as KeyframeInput<number>[] } }),
  };
}
