import type { Brief } from "../../domain/ai/models.ts";
import { colorName, inOneBreath } from "../../domain/shared/color-names.ts";
import { hexColor, parseColor } from "../../domain/shared/colors.ts";
import { cleanText } from "../../domain/shared/texts.ts";

/** How a film is to look, in words that a picture is drawn from. */
export type Look = {
  readonly light: string;
  /** A sentence on the main colors; empty without any. */
  readonly colors: string;
  /** Of clothes. */
  readonly leadColor: string;
  readonly mood: string;
  readonly camera: string;
};

const lightFor: readonly { readonly tone: RegExp; readonly light: string }[] = [
  { tone: /luxur|elegan|premium|exclusiv|sophist|edel|luxe|lujo/i, light: "one soft light out of deep shadow" },
  { tone: /dark|moody|dramatic|mysteri|noir|intense/i, light: "a single hard light from the left, the rest in shadow" },
  { tone: /play|fun|bold|energ|vibrant|young|pop|loud|frech|bunt/i, light: "hard, bright sunlight with crisp shadows" },
  { tone: /tech|modern|futur|precise|clean|sleek|cool/i, light: "cool, even light with one clear rim of light" },
  { tone: /calm|minimal|quiet|serene|soft|gentle|zen|ruhig/i, light: "soft, even daylight from a large window" },
  { tone: /warm|cozy|cosy|home|friendly|hearty|nostalg|gemüt|herz/i, light: "low, warm window light from the left" },
  { tone: /natur|honest|fresh|organic|authentic|pure/i, light: "open daylight, a little sun through leaves" },
];

export function lookOf({ styleGuide, analysis }: Brief): Look {
  const colors = paletteOf({ styleGuide, analysis }).slice(0, 4);
  const tone = cleanText(styleGuide?.tone ?? textIn(analysis?.overall_tone), 80);
  return {
    light: lightFor.find((row) => row.tone.test(tone))?.light ?? lightFromColors(colors),
    colors: colors.length > 0 ? `Main colors of set, clothes and light: ${inOneBreath(colors.map(inWords))}.` : "",
    leadColor: colors[0] ? colorName(colors[0]) : "plain",
    mood: tone ? `Mood: ${tone.replace(/[.\s]+$/, "")}.` : "",
    camera: cleanText(styleGuide?.camera_style ?? "", 160),
  };
}

/** The style guide's colors, else those that were measured; each as #rrggbb. */
export function paletteOf({ styleGuide, analysis }: Pick<Brief, "styleGuide" | "analysis">): readonly string[] {
  const own = colorsIn(styleGuide?.color_palette);
  return own.length > 0 ? own : colorsIn(analysis?.color_palette);
}

/** A list from a caller may be as long as a body. */
const mostRead = 200;

const colorsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? [...new Set(value.slice(0, mostRead).flatMap((color) => hexColor(textIn(color)) ?? []))] : [];

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

const inWords = (hex: string): string => `${colorName(hex)} (${hex})`;

/** A dark leading color asks for a dark room, a warm one for warm light. */
function lightFromColors([lead]: readonly string[]): string {
  const color = lead === undefined ? undefined : parseColor(lead);
  if (!color) return "soft daylight from a window on the left";
  const { red, green, blue } = color;
  const brightness = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
  if (brightness < 0.3) return "low light from one side, the background falling into shade";
  return red > blue + 30 ? "warm late daylight from the left" : "clear, even daylight from a window on the left";
}
