import {
  differenceCiede2000,
  formatHex,
  interpolateWithPremultipliedAlpha,
  parse,
  rgb,
  wcagContrast,
  wcagLuminance,
} from "culori";

const maxCharacters = 200;

/**
 * Parses an absolute CSS color: names, hex, rgb, hsl, hwb, lab, lch, oklab, oklch and color().
 * Clips colors outside sRGB, as browsers do. Returns undefined for any other text, including `currentColor`.
 */
export function parseColor(text: string): Color | undefined {
  const name = text.trim().toLowerCase();
  if (name.length > maxCharacters || !isCssSyntax(name)) return undefined;
  const color = rgb(parse(name));
  if (!color) return undefined;
  const { r, g, b, alpha = 1 } = color;
  return { red: toChannel(r), green: toChannel(g), blue: toChannel(b), alpha: clamp(alpha) };
}

/** Converts to culori's form. */
export const asRgb = ({ red, green, blue }: Color) => ({
  mode: "rgb" as const,
  r: red / 255,
  g: green / 255,
  b: blue / 255,
});

/** WCAG contrast ratio, 1 to 21, of a color blended over an opaque background by its alpha. */
export function contrastRatio(color: Color, background: Color): number {
  const blended = (channel: "red" | "green" | "blue") =>
    color.alpha * color[channel] + (1 - color.alpha) * background[channel];
  const visible = { red: blended("red"), green: blended("green"), blue: blended("blue"), alpha: 1 };
  return wcagContrast(asRgb(visible), asRgb(background));
}

/** The relative luminance of WCAG, 0..1. Ignores alpha. */
export const luminanceOf = (color: Color): number => wcagLuminance(asRgb(color));

const ciede2000 = differenceCiede2000();

/** The difference of two colors by CIEDE2000: 0 for equal ones, 100 for black and white. Ignores alpha. */
export const colorDistance = (one: Color, other: Color): number => ciede2000(asRgb(one), asRgb(other));

// culori also accepts hex digits without `#`, and its own color spaces with the prefix `--`
const isCssSyntax = (text: string) => !/^[0-9a-f]+$|--/.test(text);

// culori returns undefined or NaN for channels such as `none`
const clamp = (value: number | undefined) => Math.min(1, Math.max(0, value || 0));

const toChannel = (value: number | undefined) => Math.round(clamp(value) * 255);

/** Converts a CSS color to #rrggbb and drops its alpha; undefined for any other text. */
export function hexColor(text: string): string | undefined {
  const color = parseColor(text);
  return color && formatHex(asRgb(color));
}

/** Channels 0..255, alpha 0..1. */
export type Color = { readonly red: number; readonly green: number; readonly blue: number; readonly alpha: number };

/** The color on the way from one to another, in OKLab; a share outside 0..1 extends the way, within sRGB. */
export function mixColors(from: Color, to: Color, share: number): Color {
  if (share === 0 || share === 1) return share === 0 ? from : to;
  const [one, other] = [from, to].map((color) => ({ ...asRgb(color), alpha: color.alpha }));
  const mixed = rgb(interpolateWithPremultipliedAlpha([one!, other!], "oklab")(share));
  const { r, g, b, alpha = 1 } = mixed;
  return { red: toChannel(r), green: toChannel(g), blue: toChannel(b), alpha: clamp(alpha) };
}
