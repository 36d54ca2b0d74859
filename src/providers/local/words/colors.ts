import { hexColor } from "../../../platform/colors.ts";

/** CSS notations, hex and functions. */
const colorNotation =
  /#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgba?|hsla?|hwb|oklch|oklab|lch|lab|color)\([^()]{3,80}\)/gi;

/** Names that always mean a color; excludes words such as "lime", "chocolate" or "gold". */
export const colorName =
  /\b(?:black|white|gr[ae]y|red|blue|green|yellow|purple|pink|brown|navy|teal|turquoise|crimson|magenta|beige|ivory|indigo|violet|maroon|cyan|lavender|coral|orange|(?:dark|light)(?:blue|green|gr[ae]y|red)|(?:sky|royal|steel|midnight)blue|forestgreen)\b/gi;

const maxColors = 8;

/** Finds the colors in a text as #rrggbb, the most used first. Names count only if there is no CSS notation. */
export function findColors(text: string): readonly string[] {
  const exact = hexColorsIn(text.match(colorNotation) ?? []);
  const colors = exact.length > 0 ? exact : hexColorsIn(text.match(colorName) ?? []);
  const counts = new Map<string, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  // the sort is stable: equal counts keep the order of the text
  const sorted = [...counts].sort(([, first], [, second]) => second - first);
  return sorted.slice(0, maxColors).map(([color]) => color);
}

export const notesColor = (text: string): boolean => text.search(colorNotation) >= 0;

const hexColorsIn = (words: readonly string[]) => words.flatMap((word) => hexColor(word) ?? []);
