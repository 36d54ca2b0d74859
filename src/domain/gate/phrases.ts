/** Lower case, one space between words, one form of each character, and none that nobody sees. */
export const normalized = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();

/** Scripts that put no space between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** True if a text has a phrase as whole words. Both are normalized. */
export function hasPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const before = text.slice(0, at).match(/.$/u)?.[0] ?? "";
    const after = text.slice(at + phrase.length).match(/^./u)?.[0] ?? "";
    if (isEdge(before, phrase.match(/^./u)?.[0] ?? "") && isEdge(after, phrase.match(/.$/u)?.[0] ?? "")) return true;
  }
  return false;
}

const isWordCharacter = (character: string) => /[\p{L}\p{N}\p{M}]/u.test(character);

/** Between a character of the phrase and the one beside it. */
const isEdge = (beside: string, own: string): boolean =>
  !isWordCharacter(beside) || !isWordCharacter(own) || unspaced.test(beside + own);
