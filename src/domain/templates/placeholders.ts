import { invalid } from "../../errors.ts";

/** One quantifier and no white space beside it: whatever the text, each character is looked at a few times only. */
const placeholder = /\{\{([^{}]+)\}\}/g;

export type PlaceholderValues = { readonly [key: string]: string };

export type FilledText = {
  readonly text: string;
  /** The keys without a value, in order of first appearance; their placeholders stay in the text. */
  readonly pending: readonly string[];
};

/**
 * Replaces every `{{key}}` that has a value, once: a value is plain text and is not looked into again.
 * Throws validation_error when the text grows past `maxCharacters`.
 */
export function fillPlaceholders(text: string, values: PlaceholderValues, maxCharacters: number): FilledText {
  const pending = new Set<string>();
  let length = text.length;
  // a function, because `$&` in a replacement string would be expanded
  const filled = text.replace(placeholder, (written: string, inner: string) => {
    const key = inner.trim();
    if (!key) return written;
    if (!Object.hasOwn(values, key)) {
      pending.add(key);
      return written;
    }
    const value = values[key]!;
    length += value.length - written.length;
    if (length > maxCharacters) throw tooLong();
    return value;
  });
  return { text: filled, pending: [...pending] };
}

const tooLong = () => invalid("placeholderValues", "The texts become too long with these values.");
