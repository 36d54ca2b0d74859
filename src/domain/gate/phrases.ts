import { yieldIfBusy } from "../../platform/cpu.ts";

/** Lower case, one space between words, one form of each character, and no invisible ones. */
export const normalized = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();

/** The limit for the search in the texts of one video: more than an hour of speech. */
export const maxSearchedCharacters = 100_000;

/** The normalized texts, up to the limit for all together. Yields to other requests between texts. */
export async function normalizedWithin(texts: readonly string[]): Promise<readonly string[]> {
  const kept: string[] = [];
  let left = maxSearchedCharacters;
  for (const text of texts) {
    if (left <= 0) break;
    kept.push(normalized(text.slice(0, left)));
    left -= text.length;
    await yieldIfBusy();
  }
  return kept;
}

/** The phrases in a normalized text. Yields to other requests between phrases. */
export async function phrasesIn(text: string, phrases: Iterable<string>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const phrase of phrases) {
    if (hasPhrase(text, normalized(phrase))) found.add(phrase);
    await yieldIfBusy();
  }
  return found;
}

/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** True if a text has a phrase as whole words. Both are normalized. Linear in the text. */
export function hasPhrase(text: string, phrase: string): boolean {
  if (phrase === "") return false;
  const [first, last] = [characterAt(phrase, 0), characterBefore(phrase, phrase.length)];
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    if (isEdge(characterBefore(text, at), first) && isEdge(characterAt(text, end), last)) return true;
  }
  return false;
}

/** The whole character that begins at an index; empty at the end. */
const characterAt = (text: string, at: number): string =>
  at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : "";

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The whole character that ends before an index; empty at the beginning. */
const characterBefore = (text: string, at: number): string =>
  at === 0 ? "" : characterAt(text, at - (at > 1 && isLowSurrogate(text.charCodeAt(at - 1)) ? 2 : 1));

const isWordCharacter = (character: string) => /[\p{L}\p{N}\p{M}]/u.test(character);

/** True between a character of the phrase and its neighbor if a word ends there. */
const isEdge = (beside: string, own: string): boolean =>
  !isWordCharacter(beside) || !isWordCharacter(own) || unspaced.test(beside + own);
