import { endsWithOpening, isUnspaced, startsWithClosing } from "../../timeline/captions/scripts.ts";
import { type SpokenWord, timeWords } from "../../timeline/captions/words.ts";
import type { SpokenWordRequest } from "./schema.ts";

/** A word of a request; `glued`: no space before it. */
type Token = { readonly text: string; readonly start: number; readonly end: number; readonly glued: boolean };

/** The words of a request in the order in which they are spoken, whole and without empty ones. */
export function givenWords(words: readonly SpokenWordRequest[], language?: string): readonly SpokenWord[] {
  const tokens = wholeWords(tokensOf(words));
  return tokens.flatMap(({ text, start, end, glued }) => {
    const [first, ...others] = timeWords(text, { start, end: Math.max(start, end) }, language);
    return first ? [{ ...first, glued }, ...others] : [];
  });
}

function tokensOf(words: readonly SpokenWordRequest[]): readonly Token[] {
  const named = words.filter(({ text }) => text.trim() !== "");
  // transcripts put the space before a word into its text; then a text without one goes on
  const hasSpaces = named.some(({ text }, index) => index > 0 && /^\s/.test(text));
  const inOrder = named.map((word) => ({ ...word, ...timesOf(word) })).toSorted((a, b) => a.start - b.start);
  return inOrder.map(({ text, start, end, glued }, index) => {
    const before = inOrder[index - 1]?.text ?? " ";
    const isGlued = hasSpaces ? !/^\s/.test(text) && !/\s$/.test(before) : isWrittenTogether(before, text);
    return { text: text.trim(), start, end, glued: index > 0 && (glued ?? isGlued) };
  });
}

/** A full-width mark brings its own space. */
const wideMark = /[\u3001-\u3011\uFF01-\uFF5E]$/u;

const isWrittenTogether = (before: string, text: string): boolean =>
  wideMark.test(before) || (isUnspaced(before) && (isUnspaced(text) || startsWithClosing(text)));

/** In seconds. The schema requires one of both. */
const timesOf = ({ start, end, startMs = 0, endMs = 0 }: SpokenWordRequest) => ({
  start: start ?? startMs / 1000,
  end: end ?? endMs / 1000,
});

/** Joins punctuation to the word before it, and syllables, except in scripts without spaces. */
function wholeWords(tokens: readonly Token[]): readonly Token[] {
  const words: Token[] = [];
  for (const token of tokens) {
    const last = words.at(-1);
    if (last && goesOn(last, token)) {
      words[words.length - 1] = { ...last, text: last.text + token.text, end: Math.max(last.end, token.end) };
    } else words.push(token);
  }
  return words;
}

function goesOn(before: Token, { text, glued }: Token): boolean {
  if (!glued || endsWithOpening(text)) return false;
  return !/[\p{L}\p{N}]/u.test(text) || !(isUnspaced(before.text) || isUnspaced(text));
}
