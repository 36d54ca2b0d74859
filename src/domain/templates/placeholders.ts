import { z } from "zod";
import { invalid } from "../../errors.ts";
import { fillHtml } from "../exports/request/layers/html-values.ts";

/** A single quantifier without one for white space around the key: matching stays linear for any text. */
const placeholder = /\{\{([^{}]+)\}\}/g;

export type PlaceholderValues = { readonly [key: string]: string };

const SavedValues = z.record(z.string().max(200), z.string().max(10_000)).catch({});

/** The values that a work keeps for its placeholders: an export shows them, and a table's row goes first. */
export const savedValues = (editorState: { readonly [key: string]: unknown } | undefined): PlaceholderValues =>
  editorState?.placeholderValues === undefined ? {} : SavedValues.parse(editorState.placeholderValues);

type FilledText = {
  readonly text: string;
  /** Keys without a value, in order of first appearance. Their placeholders stay in the text. */
  readonly pending: readonly string[];
};

/** Fills placeholders, except those in values. Throws validation_error if the text exceeds `maxCharacters`. */
export function fillPlaceholders(text: string, values: PlaceholderValues, maxCharacters: number): FilledText {
  const pending = new Set<string>();
  let length = text.length;
  // a function, because `replace` expands `$&` in a replacement string
  const filled = text.replace(placeholder, (match: string, inner: string) => {
    const key = inner.trim();
    if (!key) return match;
    if (!Object.hasOwn(values, key)) {
      pending.add(key);
      return match;
    }
    const value = values[key]!;
    length += value.length - match.length;
    if (length > maxCharacters) throw tooLong();
    return value;
  });
  return { text: filled, pending: [...pending] };
}

/**
 * The beginning of a filled text, at most `max` characters, with the beginnings of long values: for texts that are cut
 * shorter. Placeholders without a value stay.
 */
export function fillBeginning(text: string, values: PlaceholderValues, max: number): string {
  let filled = "";
  let from = 0;
  for (const { 0: match, 1: inner = "", index } of text.matchAll(placeholder)) {
    const key = inner.trim();
    const value = Object.hasOwn(values, key) ? values[key]!.slice(0, max) : match;
    filled += text.slice(from, index) + value;
    from = index + match.length;
    if (filled.length >= max) return filled.slice(0, max);
  }
  return (filled + text.slice(from)).slice(0, max);
}

const tooLong = () => invalid("placeholderValues", "Must be shorter: the texts become too long with them.");

/** Longer than any text of a request. */
const maxFilledCharacters = 100_000;

/** Replaces the placeholders in all texts of a value, escaped in HTML; those without a value stay. */
export function fillAll<Value>(value: Value, values: PlaceholderValues): Value {
  const fill = (child: unknown): unknown => {
    if (typeof child === "string") {
      return child.includes("{{") ? fillPlaceholders(child, values, maxFilledCharacters).text : child;
    }
    if (Array.isArray(child)) return child.map(fill);
    if (typeof child !== "object" || child === null) return child;
    return Object.fromEntries(
      Object.entries(child).map(([key, inner]) => [
        key,
        key === "html" && typeof inner === "string" ? fillMarkup(inner, values) : fill(inner),
      ]),
    );
  };
  // safe because only texts change
  return fill(value) as Value;
}

/** Filled HTML, in which no value is markup. */
function fillMarkup(html: string, values: PlaceholderValues): string {
  const filled = fillHtml(html, values);
  if (filled.length > Math.max(html.length, maxFilledCharacters)) throw tooLong();
  return filled;
}

/** A text of the same length with a word in place of each placeholder. */
export const withWords = (text: string): string => text.replace(placeholder, (match) => "X".repeat(match.length));

export const isPlain = (text: string): boolean => placeholderFields(text).length === 0;

export type PlaceholderField = { readonly path: string; readonly keys: readonly string[] };

/** All texts with placeholders in a value, with paths such as `texts.0.text`. */
export function placeholderFields(value: unknown, path: readonly string[] = []): readonly PlaceholderField[] {
  if (typeof value === "string") {
    const keys = [...new Set([...value.matchAll(placeholder)].map(([, inner]) => inner!.trim()).filter(Boolean))];
    return keys.length > 0 ? [{ path: path.join("."), keys }] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => placeholderFields(child, [...path, key]));
}
