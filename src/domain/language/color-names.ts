import { differenceEuclidean, nearest } from "culori";
import { parseColor } from "../../platform/colors.ts";

/** Everyday color names, for prompts and descriptions. */
const named = {
  "#000000": "black",
  "#3d3d42": "charcoal",
  "#808080": "gray",
  "#bfbfc4": "light gray",
  "#f4f4f4": "off-white",
  "#ffffff": "white",
  "#f3e5c8": "cream",
  "#d9bd93": "sand",
  "#b08457": "tan",
  "#7a4a24": "brown",
  "#3f2616": "dark brown",
  "#7d1420": "burgundy",
  "#d62828": "red",
  "#ff6f5e": "coral",
  "#c4552d": "rust",
  "#f77f00": "orange",
  "#f2b632": "amber",
  "#ffe14d": "yellow",
  "#9bc53d": "lime green",
  "#2f9e44": "green",
  "#14532d": "dark green",
  "#0b3a2c": "dark green",
  "#7f8b52": "olive",
  "#a8c6a1": "sage",
  "#9fe3c5": "mint",
  "#159a94": "teal",
  "#0b4f52": "dark teal",
  "#3fd0e8": "cyan",
  "#9ccdf0": "light blue",
  "#2e86de": "blue",
  "#1d3fbb": "deep blue",
  "#14213d": "navy",
  "#b9a7e6": "lavender",
  "#7b3fc4": "purple",
  "#3c1a66": "dark purple",
  "#5c1010": "dark red",
  "#d9409b": "magenta",
  "#f7a8c4": "pink",
  "#e8c7c1": "blush",
} as const;

// lightness counts 0.6 of hue and chroma: a lighter or darker shade is nearer than another hue
const closest = nearest(Object.keys(named), differenceEuclidean("oklab", [0.6, 1, 1, 0]));

/** Returns an everyday English name for a CSS color; any other text unchanged. */
export function colorName(color: string): string {
  const parsed = parseColor(color);
  if (!parsed) return color;
  const { red, green, blue } = parsed;
  const [hex] = closest({ mode: "rgb", r: red / 255, g: green / 255, b: blue / 255 });
  // safe because `closest` returns one of these keys
  return named[hex as keyof typeof named];
}

/** The distinct names of these colors. */
export const colorNames = (colors: readonly string[]): readonly string[] => [...new Set(colors.map(colorName))];

/** Joins words as in "navy, sand and coral". */
export function joinWithAnd(words: readonly string[]): string {
  const [last = "", ...others] = words.toReversed();
  return others.length > 0 ? `${others.toReversed().join(", ")} and ${last}` : last;
}
