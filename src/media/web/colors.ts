import { hexColor, parseColor } from "../../domain/shared/colors.ts";

const maxColors = 12;
// a hostile sheet could hold millions
const maxDeclarations = 50_000;

const colored = /color|background|border|fill|stroke|shadow|^--/;
const values = /#[0-9a-f]{3,8}\b|[a-z]{2,20}\([^()]{1,100}\)|[a-z]{3,30}/gi;

/** The colors that the declarations of a style sheet name, the most used first. */
export function colorsOf(css: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const color of css.split(/[;{}]/).slice(0, maxDeclarations).flatMap(colorsIn)) {
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const byUse = [...counts].toSorted(([, one], [, other]) => other - one);
  return byUse.slice(0, maxColors).map(([color]) => color);
}

function colorsIn(declaration: string): readonly string[] {
  const colon = declaration.indexOf(":");
  if (colon < 0 || !colored.test(declaration.slice(0, colon).trim().slice(-60).toLowerCase())) return [];
  const words = declaration.slice(colon + 1, colon + 400).match(values) ?? [];
  return words.flatMap((word) => visibleColor(word) ?? []);
}

/** What hardly shows through, as shadows do, is no color of a brand. */
const visibleColor = (text: string) => ((parseColor(text)?.alpha ?? 0) < 0.5 ? undefined : hexColor(text));
