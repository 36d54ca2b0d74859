import { formatHex, parse, rgb, wcagContrast } from "culori";
import type { Color } from "../../timeline/overlay.ts";

const maxCharacters = 200;

/**
 * Any CSS color that stands for itself: names, hex, rgb, hsl, hwb, lab, lch, oklab, oklch and color().
 * What lies outside sRGB is clipped, as browsers do. Undefined for anything else, `currentColor` among it.
 */
export function parseColor(text: string): Color | undefined {
  const name = text.trim().toLowerCase();
  if (name.length > maxCharacters || !isCssSyntax(name)) return undefined;
  const color = rgb(parse(name));
  if (!color) return undefined;
  const { r, g, b, alpha = 1 } = color;
  return { red: toChannel(r), green: toChannel(g), blue: toChannel(b), alpha: clamp(alpha) };
}

const asRgb = ({ red, green, blue }: Color) => ({ mode: "rgb" as const, r: red / 255, g: green / 255, b: blue / 255 });

/** WCAG's contrast, 1 to 21, of a color that lies on another one: so far as it is clear, the other shines through. */
export function contrastOn(color: Color, ground: Color): number {
  const mixed = (channel: "red" | "green" | "blue") =>
    color.alpha * color[channel] + (1 - color.alpha) * ground[channel];
  const seen = { red: mixed("red"), green: mixed("green"), blue: mixed("blue"), alpha: 1 };
  return wcagContrast(asRgb(seen), asRgb(ground));
}

// culori also reads hex digits without their `#`, and color spaces of its own behind `--`
const isCssSyntax = (text: string) => !/^[0-9a-f]+$|--/.test(text);

// `none` and the like come as undefined or NaN
const clamp = (value: number | undefined) => Math.min(1, Math.max(0, value || 0));

const toChannel = (value: number | undefined) => Math.round(clamp(value) * 255);

/** The same as #rrggbb: what shines through is left out. */
export function hexColor(text: string): string | undefined {
  const color = parseColor(text);
  return color && formatHex(asRgb(color));
}
