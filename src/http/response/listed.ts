import { maxListedCharacters } from "../../domain/shared/paging.ts";

/** An item as lists show it: its texts, also those inside of objects, are cut to 2,000 code points. */
export const listed = <Item>(item: Item): Item =>
  // safe because only texts are replaced, by texts
  hasLongText(item) ? (withCutTexts(item) as Item) : item;

function hasLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length > maxListedCharacters;
  if (typeof value !== "object" || value === null) return false;
  return (Array.isArray(value) ? value : Object.values(value)).some(hasLongText);
}

function withCutTexts(value: unknown): unknown {
  if (typeof value === "string") return cutText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withCutTexts);
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withCutTexts(child)]));
}

// the slice bounds the work: a code point has one or two UTF-16 units
const cutText = (text: string) => [...text.slice(0, 2 * maxListedCharacters)].slice(0, maxListedCharacters).join("");
