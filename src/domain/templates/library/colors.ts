import { contrastRatio, parseColor } from "../../../platform/colors.ts";
import type { Palette } from "../../brand/brand.ts";

export const defaultPalette: Required<Palette> = {
  primary: "#16324f",
  secondary: "#e8edf2",
  accent: "#f5b83d",
  text: "#ffffff",
  background: "#10151c",
};

/** WCAG 2 AA for text of any size. */
const minContrast = 4.5;

// safe: all are CSS colors
const contrast = (one: string, other: string): number => contrastRatio(parseColor(one)!, parseColor(other)!);

/** The first of some colors that is readable on a ground, otherwise the most readable one. */
const firstReadable = (ground: string, colors: readonly string[]): string =>
  colors.find((color) => contrast(color, ground) >= minContrast) ??
  colors.toSorted((one, other) => contrast(other, ground) - contrast(one, ground))[0]!; // safe: it is not empty

/** The palette's text color if it is readable there, otherwise the most readable of its colors, white and black. */
export const readableOn = (ground: string, { text, background }: Required<Palette>): string =>
  firstReadable(ground, [text, background, "#ffffff", "#000000"]);

/**
 * The colors of a page: each role of the palette with `--on-` for words on it, and `--emphasis` for words on the
 * background that stand out.
 */
export function pageColors(palette: Required<Palette>): { readonly [name: string]: string } {
  const { primary, secondary, accent, background } = palette;
  return {
    ...{ primary, secondary, accent, ground: background },
    "on-primary": readableOn(primary, palette),
    "on-secondary": readableOn(secondary, palette),
    "on-accent": readableOn(accent, palette),
    ink: readableOn(background, palette),
    /** On darkened pictures. */
    "on-dark": firstReadable("#1a1a1a", [accent, secondary, primary, "#ffffff"]),
    emphasis: firstReadable(background, [accent, secondary, primary, readableOn(background, palette)]),
    "on-primary-emphasis": firstReadable(primary, [accent, secondary, readableOn(primary, palette)]),
  };
}
