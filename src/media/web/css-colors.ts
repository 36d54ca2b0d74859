import { hexColor, parseColor } from "../../domain/shared/colors.ts";

const maxColors = 12;
// a hostile style sheet can hold millions
const maxDeclarations = 50_000;

const colorProperty = /color|background|border|fill|stroke|shadow|^--/;
const colorValue = /#[0-9a-f]{3,8}\b|[a-z]{2,20}\([^()]{1,100}\)|[a-z]{3,30}/gi;

/** The colors in the declarations of a style sheet as #rrggbb, the most used first. */
export function cssColors(css: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const color of css.split(/[;{}]/).slice(0, maxDeclarations).flatMap(colorsInDeclaration)) {
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const byUse = [...counts].toSorted(([, first], [, second]) => second - first);
  return byUse.slice(0, maxColors).map(([color]) => color);
}

function colorsInDeclaration(declaration: string): readonly string[] {
  const colon = declaration.indexOf(":");
  if (colon < 0 || !colorProperty.test(declaration.slice(0, colon).trim().slice(-60).toLowerCase())) return [];
  const values = declaration.slice(colon + 1, colon + 400).match(colorValue) ?? [];
  return values.flatMap((value) => opaqueColor(value) ?? []);
}

/** Leaves out colors below half opacity, such as shadows: they are not a brand's colors. */
const opaqueColor = (text: string) => ((parseColor(text)?.alpha ?? 0) < 0.5 ? undefined : hexColor(text));
