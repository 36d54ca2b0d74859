import { clampChroma, converter, type Oklch, wcagContrast } from "culori";
import { asRgb, type Color, parseColor } from "../../../platform/colors.ts";

export const white: Color = { red: 255, green: 255, blue: 255, alpha: 1 };
export const black: Color = { red: 0, green: 0, blue: 0, alpha: 1 };

/** The colors of a storyboard frame. */
export type ColorScheme = {
  readonly sky: Color;
  readonly floor: Color;
  /** The colors of the shapes, the main one first; each differs visibly from the sky. */
  readonly tones: readonly [Color, Color, Color];
  /** The darkest and the lightest color of the palette. */
  readonly dark: Color;
  readonly light: Color;
};

type Extremes = Pick<ColorScheme, "dark" | "light">;

const defaultPalette = ["#2f4b46", "#e8e1d3", "#c98f63", "#8ea79c"];

/** Builds four different schemes from one palette of CSS colors. Ignores invalid and transparent colors. */
export function schemesOf(palette: readonly string[]): readonly ColorScheme[] {
  const usable = distinctColors(palette);
  const colors = usable.length > 0 ? usable : distinctColors(defaultPalette);
  const lead = colors[0]!;
  const extremes = extremesOf(colors, lead);
  const { dark, light } = extremes;
  const [first, second] = accentsOf(colors, lead, extremes);
  return [
    buildScheme(light, mix(lead, light, 0.12), [first, second, lead], extremes),
    buildScheme(lead, mix(dark, lead, 0.15), [first, light, second], extremes),
    buildScheme(dark, mix(lead, dark, 0.25), [second, first, light], extremes),
    buildScheme(first, mix(light, first, 0.1), [lead, second, dark], extremes),
  ];
}

/** Opaque colors, at most eight, none of which look alike. */
function distinctColors(palette: readonly string[]): readonly Color[] {
  const opaque = palette.flatMap((text) => {
    const color = parseColor(text);
    return color && color.alpha >= 0.5 ? [{ ...color, alpha: 1 }] : [];
  });
  return opaque.filter((color, index) => opaque.findIndex((other) => isNear(other, color, 0.03)) === index).slice(0, 8);
}

/** The palette's own extremes if they are dark and light enough, else shades of the lead color. */
function extremesOf(colors: readonly Color[], lead: Color): Extremes {
  const byLightness = [...colors].sort((a, b) => lightnessOf(a) - lightnessOf(b));
  const darkest = byLightness[0]!;
  const lightest = byLightness.at(-1)!;
  return {
    dark: lightnessOf(darkest) < 0.4 ? darkest : shade(lead, { lightness: 0.27, maxChroma: 0.06 }),
    light: lightnessOf(lightest) > 0.87 ? lightest : shade(lead, { lightness: 0.95, maxChroma: 0.025 }),
  };
}

/** Two eye-catching colors: the most colorful of the palette, else ones derived from the lead color. */
function accentsOf(colors: readonly Color[], lead: Color, { dark, light }: Extremes): readonly [Color, Color] {
  const free = colors.filter((color) => ![lead, dark, light].some((other) => isNear(other, color, 0.08)));
  const [first, second] = [...free].sort((a, b) => chromaOf(b) - chromaOf(a));
  const accent = first ?? mix(rotateHue(lead, 24), light, 0.5);
  return [accent, second ?? mix(rotateHue(lead, -18), lightnessOf(accent) > 0.6 ? dark : light, 0.45)];
}

type Tones = ColorScheme["tones"];

function buildScheme(sky: Color, floor: Color, tones: Tones, extremes: Extremes): ColorScheme {
  const first = separate(tones[0], sky);
  const second = separate(separate(tones[1], sky), first);
  const third = separate(tones[2], sky);
  return { sky, floor: makeReadable(separate(floor, sky), extremes), tones: [first, second, third], ...extremes };
}

/** Changes the lightness of a color that is too near to another one. */
const separate = (color: Color, from: Color): Color =>
  isNear(color, from, 0.13) ? lighten(color, lightnessOf(from) > 0.55 ? -0.17 : 0.17) : color;

// text needs 4.5; the reserve covers the light on the floor
const floorContrast = 5.6;

/** Darkens or lightens a color until the scheme's dark or light color is readable on it. */
function makeReadable(color: Color, extremes: Extremes): Color {
  const onDark = contrast(color, extremes.dark);
  const onLight = contrast(color, extremes.light);
  if (Math.max(onDark, onLight) >= floorContrast) return color;
  const changed = lighten(color, onDark > onLight ? 0.03 : -0.03);
  return isNear(changed, color, 0.005) ? color : makeReadable(changed, extremes);
}

const oklch = converter("oklch");
const rgb = converter("rgb");
const oklab = converter("oklab");

/** Reduces the chroma until the color is inside sRGB; keeps lightness and hue. */
function toSrgb(color: Oklch): Color {
  const { r, g, b } = rgb(clampChroma(color, "oklch"));
  const channel = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 255);
  return { red: channel(r), green: channel(g), blue: channel(b), alpha: 1 };
}

// OKLCH: lightness 0..1, chroma from 0 to about 0.32 in sRGB, hue in degrees
const lightnessOf = (color: Color): number => oklch(asRgb(color)).l;
const chromaOf = (color: Color): number => oklch(asRgb(color)).c;

const shade = (color: Color, { lightness, maxChroma }: { lightness: number; maxChroma: number }): Color => {
  const source = oklch(asRgb(color));
  return toSrgb({ ...source, l: lightness, c: Math.min(source.c, maxChroma) });
};

const rotateHue = (color: Color, degrees: number): Color => {
  const source = oklch(asRgb(color));
  return toSrgb({ ...source, h: (source.h ?? 60) + degrees });
};

/** Adds `by` to the OKLCH lightness; darkens if it is negative. */
export const lighten = (color: Color, by: number): Color => {
  const source = oklch(asRgb(color));
  return toSrgb({ ...source, l: Math.min(0.99, Math.max(0.04, source.l + by)) });
};

/** Interpolates in OKLab: 0 gives the first color, 1 the second. */
export function mix(first: Color, second: Color, share: number): Color {
  const from = oklab(asRgb(first));
  const to = oklab(asRgb(second));
  const between = (a: number, b: number) => a + (b - a) * share;
  return toSrgb(oklch({ mode: "oklab", l: between(from.l, to.l), a: between(from.a, to.a), b: between(from.b, to.b) }));
}

/** Distance in OKLab. */
export function isNear(first: Color, second: Color, distance: number): boolean {
  const one = oklab(asRgb(first));
  const other = oklab(asRgb(second));
  return Math.hypot(one.l - other.l, one.a - other.a, one.b - other.b) < distance;
}

/** WCAG contrast, 1..21. */
export const contrast = (first: Color, second: Color): number => wcagContrast(asRgb(first), asRgb(second));

export const toCss = ({ red, green, blue }: Color, alpha = 1): string => `rgba(${red}, ${green}, ${blue}, ${alpha})`;
