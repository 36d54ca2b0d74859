import { clampChroma, converter, type Oklch, wcagContrast } from "culori";
import { parseColor } from "../../domain/shared/colors.ts";
import type { Color } from "../../timeline/overlay.ts";

export const white: Color = { red: 255, green: 255, blue: 255, alpha: 1 };
export const black: Color = { red: 0, green: 0, blue: 0, alpha: 1 };

/** What the parts of a frame are painted in. */
export type Scheme = {
  readonly sky: Color;
  readonly floor: Color;
  /** Of the shapes, the leading one first; each stands out from the sky. */
  readonly tones: readonly [Color, Color, Color];
  /** The darkest and the lightest that belong to the palette. */
  readonly dark: Color;
  readonly light: Color;
};

type Ends = Pick<Scheme, "dark" | "light">;

const quiet = ["#2f4b46", "#e8e1d3", "#c98f63", "#8ea79c"];

/** Schemes that differ and yet belong together, of a palette whose unusable colors are left out. */
export function schemesOf(palette: readonly string[]): readonly Scheme[] {
  const usable = colorsOf(palette);
  const colors = usable.length > 0 ? usable : colorsOf(quiet);
  const lead = colors[0]!;
  const byLightness = [...colors].sort((a, b) => lightnessOf(a) - lightnessOf(b));
  const [darkest, lightest] = [byLightness[0]!, byLightness.at(-1)!];
  const dark = lightnessOf(darkest) < 0.4 ? darkest : toned(lead, { lightness: 0.27, chroma: 0.06 });
  const light = lightnessOf(lightest) > 0.87 ? lightest : toned(lead, { lightness: 0.95, chroma: 0.025 });
  const [first, second] = accentsOf(colors, lead, { dark, light });
  return [
    schemeOf(light, mixed(lead, light, 0.12), [first, second, lead], { dark, light }),
    schemeOf(lead, mixed(dark, lead, 0.15), [first, light, second], { dark, light }),
    schemeOf(dark, mixed(lead, dark, 0.25), [second, first, light], { dark, light }),
    schemeOf(first, mixed(light, first, 0.1), [lead, second, dark], { dark, light }),
  ];
}

function colorsOf(palette: readonly string[]): readonly Color[] {
  const parsed = palette.map(parseColor).filter((color) => color !== undefined && color.alpha >= 0.5) as Color[];
  const opaque = parsed.map((color) => ({ ...color, alpha: 1 }));
  return opaque.filter((color, index) => opaque.findIndex((other) => isNear(other, color, 0.03)) === index).slice(0, 8);
}

/** Two colors for what must catch the eye: the palette's own, or a bright and a deep relative of the leading one. */
function accentsOf(colors: readonly Color[], lead: Color, { dark, light }: Ends): readonly [Color, Color] {
  const free = colors.filter((color) => ![lead, dark, light].some((other) => isNear(other, color, 0.08)));
  const [first, second] = [...free].sort((a, b) => chromaOf(b) - chromaOf(a));
  const accent = first ?? mixed(turned(lead, 24), light, 0.5);
  return [accent, second ?? mixed(turned(lead, -18), lightnessOf(accent) > 0.6 ? dark : light, 0.45)];
}

function schemeOf(sky: Color, floor: Color, tones: readonly Color[], ends: Ends): Scheme {
  const apart = (color: Color, from: Color) => (isNear(color, from, 0.13) ? lightened(color, awayFrom(from)) : color);
  const [first, second, third] = tones.map((tone) => apart(tone, sky));
  // safe because every scheme names three tones
  return { sky, floor: legible(apart(floor, sky), ends), tones: [first!, apart(second!, first!), third!], ...ends };
}

// more than the 4.5 that a text needs: light falls on the floor
const wantedContrast = 5.6;

/** A color moved away from the middle until the dark or the light end can be read on it. */
function legible(color: Color, { dark, light }: Ends): Color {
  const [onDark, onLight] = [contrast(color, dark), contrast(color, light)];
  if (Math.max(onDark, onLight) >= wantedContrast) return color;
  const moved = lightened(color, onDark > onLight ? 0.03 : -0.03);
  return isNear(moved, color, 0.005) ? color : legible(moved, { dark, light });
}

const awayFrom = (color: Color) => (lightnessOf(color) > 0.55 ? -0.17 : 0.17);

const oklch = converter("oklch");
const rgb = converter("rgb");
const oklab = converter("oklab");

const plain = ({ red, green, blue }: Color) => ({ mode: "rgb" as const, r: red / 255, g: green / 255, b: blue / 255 });

/** Any lightness and hue at the strongest chroma that a screen shows of it. */
function shown(color: Oklch): Color {
  const { r, g, b } = rgb(clampChroma(color, "oklch"));
  const channel = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 255);
  return { red: channel(r), green: channel(g), blue: channel(b), alpha: 1 };
}

const lightnessOf = (color: Color): number => oklch(plain(color)).l;
const chromaOf = (color: Color): number => oklch(plain(color)).c;

const toned = (color: Color, { lightness, chroma }: { lightness: number; chroma: number }): Color => {
  const own = oklch(plain(color));
  return shown({ ...own, l: lightness, c: Math.min(own.c, chroma) });
};

const turned = (color: Color, degrees: number): Color => {
  const own = oklch(plain(color));
  return shown({ ...own, h: (own.h ?? 60) + degrees });
};

/** By so much of the whole range between black and white. */
export const lightened = (color: Color, by: number): Color => {
  const own = oklch(plain(color));
  return shown({ ...own, l: Math.min(0.99, Math.max(0.04, own.l + by)) });
};

/** `share` of the second in the first. */
export function mixed(first: Color, second: Color, share: number): Color {
  const [from, to] = [oklab(plain(first)), oklab(plain(second))];
  const between = (a: number, b: number) => a + (b - a) * share;
  return shown(oklch({ mode: "oklab", l: between(from.l, to.l), a: between(from.a, to.a), b: between(from.b, to.b) }));
}

function isNear(first: Color, second: Color, distance: number): boolean {
  const [one, other] = [oklab(plain(first)), oklab(plain(second))];
  return Math.hypot(one.l - other.l, one.a - other.a, one.b - other.b) < distance;
}

export const contrast = (first: Color, second: Color): number => wcagContrast(plain(first), plain(second));

export const css = ({ red, green, blue }: Color, alpha = 1): string => `rgba(${red}, ${green}, ${blue}, ${alpha})`;
