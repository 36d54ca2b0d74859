import { z } from "zod";
import { type Color, colorDistance, contrastRatio, hexColor, parseColor } from "../../../platform/colors.ts";
import { sum } from "../../../platform/values.ts";
import { paletteOf } from "../../brand/brand.ts";
import type { StyleGuide } from "../../projects/projects.ts";
import { namedObject } from "../../shared/schemas.ts";

const Hex = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, "Must be a color such as #1f3d7a.")
  .transform((text) => text.toLowerCase());

/** The colors of a film as `#rrggbb`, by role. */
export const FilmPalette = namedObject("FilmPalette", {
  lead: Hex,
  accent: Hex,
  dark: Hex,
  light: Hex,
});

export type FilmPalette = Readonly<z.output<typeof FilmPalette>>;

/** The palettes of templates for products without brand colors, chosen by name. */
const defaults: readonly FilmPalette[] = [
  { lead: "#1f3d7a", accent: "#ffb53e", dark: "#0f1b33", light: "#f6f4ee" },
  { lead: "#c8452f", accent: "#f7d08a", dark: "#2b1512", light: "#fff6ec" },
  { lead: "#14594f", accent: "#f3a55f", dark: "#0b2521", light: "#f4f1e6" },
  { lead: "#5a3d8c", accent: "#ff9f80", dark: "#211634", light: "#f7f2fb" },
  { lead: "#234152", accent: "#e8c547", dark: "#101d25", light: "#f2f4f0" },
];

/** The brand's colors by role, or else one of the palettes, which the name chooses. */
export function filmPalette(
  styleGuide: StyleGuide | undefined,
  name: string,
  palettes: readonly FilmPalette[] = defaults,
): FilmPalette {
  const { primary, accent, secondary, background, text } = paletteOf(styleGuide) ?? {};
  const brand = [primary, accent, secondary, background, text].flatMap((color) => hexIn(color));
  const guide = Array.isArray(styleGuide?.color_palette) ? styleGuide.color_palette.slice(0, maxColors) : [];
  const colors = distinct(brand.length > 0 ? brand : guide.flatMap((color) => hexIn(color)));
  // safe because the remainder is one of the indexes
  return colors.length > 0 ? rolesOf(colors) : palettes[sumOfCodes(name) % palettes.length]!;
}

const maxColors = 12;
const hexIn = (color: unknown): string[] => (typeof color === "string" ? [hexColor(color) ?? ""].filter(Boolean) : []);

export const sumOfCodes = (text: string): number => sum([...text].map((sign) => sign.codePointAt(0) ?? 0));

/** Of two similar colors the first one counts. */
const distinct = (colors: readonly string[]): readonly string[] =>
  colors.filter((color, at) => !colors.slice(0, at).some((other) => colorDistance(rgb(other), rgb(color)) < 8));

function rolesOf(colors: readonly string[]): FilmPalette {
  const byLightness = colors.toSorted((one, other) => luma(one) - luma(other));
  const colorful = colors.toSorted((one, other) => chroma(other) - chroma(one));
  const isColored = (color: string) => chroma(color) > 0.12 && luma(color) > 0.04 && luma(color) < 0.92;
  // safe because there is a color
  const lead = colors.find(isColored) ?? colors[0]!;
  const [darkest, lightest] = [byLightness[0]!, byLightness.at(-1)!];
  const dark =
    luma(darkest) < 0.22 && darkest !== lead ? darkest : mixed(lead, "#000000", luma(lead) < 0.2 ? 0.55 : 0.76);
  const light = luma(lightest) > 0.85 && lightest !== lead ? lightest : mixed(lead, "#ffffff", 0.92);
  const free = colorful.filter((color) => ![lead, dark, light].includes(color) && isColored(color));
  const accent = free.find((color) => distance(color, lead) > 20) ?? (luma(lead) > 0.55 ? dark : light);
  return { lead, accent, dark, light };
}

const white: Color = { red: 255, green: 255, blue: 255, alpha: 1 };
const rgb = (hex: string): Color => parseColor(hex) ?? white;

/** From 0 to 1, by the weights of BT.709. */
const luma = (hex: string): number => {
  const { red, green, blue } = rgb(hex);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
};

/** 0 for gray, 1 for a pure color. */
const chroma = (hex: string): number => {
  const { red, green, blue } = rgb(hex);
  return (Math.max(red, green, blue) - Math.min(red, green, blue)) / 255;
};

const distance = (one: string, other: string): number => colorDistance(rgb(one), rgb(other));

function mixed(from: string, to: string, share: number): string {
  const [one, other] = [rgb(from), rgb(to)];
  const channel = (name: "red" | "green" | "blue") =>
    Math.round(one[name] + (other[name] - one[name]) * share)
      .toString(16)
      .padStart(2, "0");
  return `#${channel("red")}${channel("green")}${channel("blue")}`;
}

const contrastOf = (one: string, other: string): number => contrastRatio(rgb(one), rgb(other));

/** WCAG AA. */
const minContrast = 4.5;

/** True if words of a color are readable on another one, whatever light and shadow the look adds. */
export const isReadable = (color: string, ground: string): boolean => contrastOf(color, ground) >= spare * minContrast;

/** The light and the shadow of a look change the contrast of its ground by so much. */
const spare = 1.25;

/** The film's color for words on a ground. */
export function inkOn(ground: string, { light, dark }: FilmPalette): string {
  const byContrast = [light, dark].toSorted((one, other) => contrastOf(other, ground) - contrastOf(one, ground));
  const [best] = byContrast;
  if (best && contrastOf(best, ground) >= minContrast) return best;
  return contrastOf("#ffffff", ground) > contrastOf("#000000", ground) ? "#ffffff" : "#000000";
}

/** The emphasis color, deeper or paler where it must be read; that of other words if none is readable beside them. */
export function emphasisOn(ground: string, palette: FilmPalette): string {
  const ink = inkOn(ground, palette);
  const shades = [palette.accent, palette.lead].flatMap((color) => shadeSteps.map((share) => mixed(color, ink, share)));
  return shades.find((color) => color !== ink && isReadable(color, ground)) ?? ink;
}

/** The color of words on the emphasis color: the brand's accent if it is readable, otherwise the ground's. */
export const onEmphasis = (emphasis: string, ground: string, { accent }: FilmPalette): string =>
  contrastOf(accent, emphasis) >= minContrast ? accent : ground;

const shadeSteps = [0, 0.06, 0.12, 0.18, 0.24, 0.3, 0.36];

/** The nearest ground on which the film's light or dark words are readable. */
export function readableGround(ground: string, { light, dark }: FilmPalette): string {
  const grounds = shadeSteps.map((share) => mixed(ground, dark, share));
  return grounds.find((color) => [light, dark].some((ink) => isReadable(ink, color))) ?? ground;
}

export const differs = (color: string, ground: string): boolean => distance(color, ground) > 18;

/** The first candidate that differs enough from the ground. */
export const shapeOn = (ground: string, candidates: readonly string[]): string =>
  candidates.find((color) => differs(color, ground)) ?? candidates[0] ?? ground;
