import type { Brief } from "../../../domain/ai/models.ts";
import { colorName, joinWithAnd } from "../../../domain/language/color-names.ts";
import { hexColor, parseColor } from "../../../platform/colors.ts";
import { cleanText } from "../../../platform/texts.ts";
import lights from "./content/lights.json" with { type: "json" };
import { anyOf } from "./content.ts";

/** The visual style of a video, in words for image prompts. */
export type VisualStyle = {
  readonly light: string;
  /** One sentence; empty without a palette. */
  readonly colors: string;
  /** The color of the clothes. */
  readonly leadColor: string;
  readonly mood: string;
  readonly camera: string;
};

export function visualStyleOf({ styleGuide, analysis }: Brief): VisualStyle {
  const colors = paletteOf({ styleGuide, analysis }).slice(0, 4);
  const tone = cleanText(styleGuide?.tone ?? stringOrEmpty(analysis?.overall_tone), 80);
  return {
    light: lightForTone(tone) ?? lightForColors(colors),
    colors: colors.length > 0 ? `Main colors of set, clothes and light: ${joinWithAnd(colors.map(nameWithHex))}.` : "",
    leadColor: colors[0] ? colorName(colors[0]) : "plain",
    mood: tone ? `Mood: ${tone.replace(/[.\s]+$/, "")}.` : "",
    camera: cleanText(styleGuide?.camera_style ?? "", 160),
  };
}

const lightForTone = (tone: string): string | undefined =>
  lights.byTone.find(({ tones }) => new RegExp(anyOf(tones), "i").test(tone))?.light;

/** The style guide's palette, else the measured one, as #rrggbb. */
function paletteOf({ styleGuide, analysis }: Pick<Brief, "styleGuide" | "analysis">): readonly string[] {
  const palette = hexColorsIn(styleGuide?.color_palette);
  return palette.length > 0 ? palette : hexColorsIn(analysis?.color_palette);
}

// the caller's list is limited only by the size of the request
const maxPaletteEntries = 200;

function hexColorsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.slice(0, maxPaletteEntries).flatMap((color) => hexColor(stringOrEmpty(color)) ?? []))];
}

/** Reads a field of unknown type. */
export const stringOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

const nameWithHex = (hex: string): string => `${colorName(hex)} (${hex})`;

function lightForColors([lead]: readonly string[]): string {
  const color = lead === undefined ? undefined : parseColor(lead);
  if (!color) return lights.byLeadColor.none;
  const { red, green, blue } = color;
  // luma of BT.601
  const brightness = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
  if (brightness < 0.3) return lights.byLeadColor.dark;
  return red > blue + 30 ? lights.byLeadColor.warm : lights.byLeadColor.other;
}
