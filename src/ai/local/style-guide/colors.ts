import { hexColor } from "../../../domain/shared/colors.ts";
import { consistsOf, type Finding, isNegatedBefore, type Part, type Rule } from "./sentence.ts";
import { anyOf, anyWord, inflected, vocabularies, wholeWord } from "./vocabulary.ts";

/** CSS notations, hex and functions. */
export const colorNotation =
  /#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgba?|hsla?|hwb|oklch|oklab|lch|lab|color)\([^()]{3,80}\)/gi;

/** Names that always mean a color; words such as "lime", "chocolate" or "gold" are left out. */
const colorName =
  /\b(?:black|white|gr[ae]y|red|blue|green|yellow|purple|pink|brown|navy|teal|turquoise|crimson|magenta|beige|ivory|indigo|violet|maroon|cyan|lavender|coral|orange|(?:dark|light)(?:blue|green|gr[ae]y|red)|(?:sky|royal|steel|midnight)blue|forestgreen)\b/gi;

const maxColors = 8;

/** Finds the colors in a text as #rrggbb, the most used first. Names count only if there is no CSS notation. */
export function findColors(text: string): readonly string[] {
  const exact = hexColorsIn(text.match(colorNotation) ?? []);
  return colorsByFrequency(exact.length > 0 ? exact : hexColorsIn(text.match(colorName) ?? []));
}

const hexColorsIn = (words: readonly string[]) => words.flatMap((word) => hexColor(word) ?? []);

/** Without duplicates, the most used first. */
export function colorsByFrequency(colors: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  // the sort is stable: equal counts keep the order of the text
  const sorted = [...counts].sort(([, first], [, second]) => second - first);
  return sorted.slice(0, maxColors).map(([color]) => color);
}

const names = vocabularies.flatMap((vocabulary) =>
  Object.entries(vocabulary.colors ?? {}).map(([name, css]) => ({ pattern: inflected(name, vocabulary), css })),
);
const namePatterns = names.map(({ pattern, css }) => ({ css, pattern: new RegExp(`^${pattern}$`, "iu") }));
const namedColor = wholeWord(anyWord(names.map(({ pattern }) => pattern)), "giu");
const cssColor = (name: string) => namePatterns.find(({ pattern }) => pattern.test(name))?.css ?? name;

const anyColor = new RegExp(`${colorNotation.source}|${namedColor.source}`, "giu");
const onlyColors = wholeWord(`(?:${namedColor.source}|${anyOf("colorQualifiers", "colorNouns")})`, "giu");
const colorNoun = wholeWord(anyOf("colorNouns"));

/** The colors that a clause says: by notation, else by name. */
export function colorsIn(text: string): readonly Finding[] {
  const exact = hexColorsIn(text.match(colorNotation) ?? []);
  const colors =
    exact.length > 0
      ? exact
      : [...text.matchAll(namedColor)]
          .filter(({ index }) => !isNegatedBefore(text, index))
          .flatMap(({ 0: name }) => hexColor(cssColor(name)) ?? []);
  return colors.map((value) => ({ field: "colors", value }));
}

/** Reads color notations anywhere, and color names where a sentence is about colors or a clause names only colors. */
export const colorRule: Rule = ({ text, parts }, open) => {
  const isAboutColors = colorNoun.test(text);
  const read = open.flatMap((part) => {
    const isOnlyColors = part.isFragment && namesOnlyColors(part) && !endsOtherList(part, parts);
    const hasNotation = part.text.search(colorNotation) >= 0;
    const findings = isAboutColors || isOnlyColors || hasNotation ? colorsIn(part.text) : [];
    return findings.length === 0 ? [] : [{ part, findings }];
  });
  return { findings: read.flatMap(({ findings }) => findings), used: read.map(({ part }) => part) };
};

/** "available in red and black": the second color stands in the list of the first, which is more than a color. */
const endsOtherList = ({ index, joint }: Part, parts: readonly Part[]) => {
  const previous = joint === "and" || joint === "or" ? parts[index - 1] : undefined;
  return previous !== undefined && !namesOnlyColors(previous) && previous.text.search(colorNotation) < 0;
};

const namesOnlyColors = ({ text }: Part): boolean =>
  text.search(anyColor) >= 0 && consistsOf(text.replace(colorNotation, " "), onlyColors);
