import { expect, test } from "bun:test";
import { hasPhrase } from "../../../src/domain/gate/phrases.ts";

/** A text that counts the characters that searches in it read. */
function counted(text: string) {
  let read = 0;
  const searched = Object.assign(new String(text), {
    indexOf(phrase: string, from = 0) {
      const found = text.indexOf(phrase, from);
      read += (found < 0 ? text.length : found + phrase.length) - from;
      return found;
    },
  });
  // safe because the search only calls methods of a string
  return { text: searched as unknown as string, read: () => read };
}

test("a search reads each character a few times, however often a phrase begins in a text", () => {
  const { text, read } = counted("a".repeat(100_000));
  expect(hasPhrase(text, "aa")).toBe(false);
  expect(read()).toBeGreaterThanOrEqual(100_000);
  expect(read()).toBeLessThanOrEqual(3 * 100_000);
  expect(hasPhrase(counted("a b ".repeat(1000)).text, "b")).toBe(true);
});
