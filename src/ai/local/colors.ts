import { hexColor } from "../../domain/shared/colors.ts";

const syntax =
  /#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgba?|hsla?|hwb|oklch|oklab|lch|lab|color)\([^()]{3,80}\)/gi;

/** Names that mean a color wherever they stand: no fruit, no sweets, no metal. */
const names =
  /\b(?:black|white|gr[ae]y|red|blue|green|yellow|purple|pink|brown|navy|teal|turquoise|crimson|magenta|beige|ivory|indigo|violet|maroon|cyan|lavender|coral|orange|(?:dark|light)(?:blue|green|gr[ae]y|red)|(?:sky|royal|steel|midnight)blue|forestgreen)\b/gi;

const mostColors = 8;

/** The colors that a text writes down, the most used first, each as #rrggbb. Names count only where nothing exact stands. */
export function colorsWritten(text: string): readonly string[] {
  const exact = counted(text.match(syntax) ?? []);
  return (exact.length > 0 ? exact : counted(text.match(names) ?? [])).slice(0, mostColors);
}

function counted(written: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const color of written.flatMap((word) => hexColor(word) ?? [])) counts.set(color, (counts.get(color) ?? 0) + 1);
  // a sort keeps the order of what is used alike
  return [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color);
}
