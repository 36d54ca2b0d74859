import { type Draft, withEditor } from "./draft.ts";

/** As many colors as a film is recognized by. */
const mostColors = 6;
const hex = /^#[0-9a-f]{6}$/i;

/** All values inside a value that JSON can hold. */
function valuesIn(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [value];
  return Object.values(value).flatMap(valuesIn);
}

/** What is drawn over the scenes and on them, besides pictures. */
const drawnOf = ({ editor: { textOverlays, imageOverlays, layers, captions } }: Draft) => ({
  textOverlays,
  imageOverlays,
  ...(layers && { layers }),
  ...(captions && { captions }),
});

/** The colors of texts and layers as `#rrggbb`, the most frequent first. */
export function colorsIn(draft: Draft): readonly string[] {
  const counts = new Map<string, number>();
  for (const value of valuesIn(drawnOf(draft))) {
    if (typeof value !== "string" || !hex.test(value)) continue;
    const color = value.toLowerCase();
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, mostColors)
    .map(([color]) => color);
}

/** Fields of words, in which a color is none. */
const isWords = (field: string): boolean => field === "text" || field === "vtt";

/** Replaces a color wherever it is, also in the styles of cards. */
export function withColor(draft: Draft, from: string, to: string): Draft {
  const pattern = new RegExp(`${from}\\b`, "gi");
  const replaced = JSON.stringify(drawnOf(draft), (field, value: unknown) =>
    typeof value === "string" && !isWords(field) ? value.replace(pattern, to) : value,
  );
  return withEditor(draft, JSON.parse(replaced));
}

/** The families of the texts, the most frequent first. */
export function familiesIn({ editor: { textOverlays } }: Draft): readonly string[] {
  const families = Object.values(textOverlays).flatMap(({ fontFamily }) =>
    typeof fontFamily === "string" && fontFamily ? [fontFamily] : [],
  );
  const counts = Map.groupBy(families, (family) => family);
  return [...counts.keys()].toSorted((one, other) => counts.get(other)!.length - counts.get(one)!.length);
}

/** Sets all texts of a family in another one. */
export function withFamily(draft: Draft, from: string, to: string): Draft {
  const { textOverlays } = draft.editor;
  const set = Object.entries(textOverlays).map(([id, overlay]) => [
    id,
    overlay.fontFamily === from ? { ...overlay, fontFamily: to } : overlay,
  ]);
  return withEditor(draft, { textOverlays: Object.fromEntries(set) });
}
