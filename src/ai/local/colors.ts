import { hexColor } from "../../domain/shared/colors.ts";

const colorNotation =
  /#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgba?|hsla?|hwb|oklch|oklab|lch|lab|color)\([^()]{3,80}\)/gi;

/** Names that always mean a color; words such as "lime", "chocolate" or "gold" are left out. */
const colorName =
  /\b(?:black|white|gr[ae]y|red|blue|green|yellow|purple|pink|brown|navy|teal|turquoise|crimson|magenta|beige|ivory|indigo|violet|maroon|cyan|lavender|coral|orange|(?:dark|light)(?:blue|green|gr[ae]y|red)|(?:sky|royal|steel|midnight)blue|forestgreen)\b/gi;

const maxColors = 8;

/** Finds the colors in a text as #rrggbb, the most used first. Names count only if there is no CSS notation. */
export function findColors(text: string): readonly string[] {
  const exact = byFrequency(text.match(colorNotation) ?? []);
  return (exact.length > 0 ? exact : byFrequency(text.match(colorName) ?? [])).slice(0, maxColors);
}

function byFrequency(found: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const color of found.flatMap((word) => hexColor(word) ?? [])) counts.set(color, (counts.get(color) ?? 0) + 1);
  // the sort is stable: equal counts keep the order of the text
  return [...counts].sort(([, first], [, second]) => second - first).map(([color]) => color);
}
