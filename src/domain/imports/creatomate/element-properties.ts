import { parseColor } from "../../../platform/colors.ts";
import type { FilterInput } from "../../exports/request/layers/inputs.ts";
import { changed, ignored, type Property, used, type Verdict } from "../reading/property.ts";
import { type Bounds, flag, never, noted, rounded, within } from "../reading/rows.ts";
import { animationsOf } from "./animations.ts";
import type { Element, ElementContext, ElementRow, ElementTable } from "./element.ts";
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
  secondsOf,
  shareOf,
} from "./values.ts";

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

export const degrees = (property: Property) => measureOf(property)?.value;

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

export const shadowOf = (element: Element) => (element.look.shadow ?? {}) as Record<string, unknown>;

const shadowLength = (name: string, bounds: Bounds, factor: number) =>
  shadow((element, property) => {
    const length = pixelsOf(property, Math.min(element.box.width, element.box.height), element.parent.frame);
    if (length === undefined) return false;
    element.look.shadow = { ...shadowOf(element), [name]: rounded(within(length * factor, bounds)) };
    return true;
  });

/** The properties of every element. */
export const ofAll: ElementTable = {
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

export const strokeRows: ElementTable = {
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

export const fillRows: ElementTable = {
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

export const border = value("radius", { min: 0, max: 1000 }, inBox);

export const sourceRow =
  (type: "image" | "video" | "audio"): ElementRow =>
  (property, element, context) => {
    element.media = context.media(property, type, context.placeholderOf(element.from, "source"));
    return undefined;
  };

export const playRows: ElementTable = {
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

export const focusRows: ElementTable = { x_alignment: focusRow("x"), y_alignment: focusRow("y") };
