import { invalid } from "../../errors.ts";

/** A single quantifier, and none for white space around the key: matching stays linear for any text. */
const placeholder = /\{\{([^{}]+)\}\}/g;

export type PlaceholderValues = { readonly [key: string]: string };

export type FilledText = {
  readonly text: string;
  /** Keys without a value, in order of first appearance. Their placeholders stay in the text. */
  readonly pending: readonly string[];
};

/**
 * Replaces each `{{key}}` by its value. Values are plain text: placeholders in them are not replaced.
 * Throws validation_error if the text grows beyond `maxCharacters`.
 */
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

const tooLong = () => invalid("placeholderValues", "Must be shorter: the texts become too long with them.");
