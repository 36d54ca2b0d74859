const wordsPerSecond = 3;
const lettersPerSecond = 12;
const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** The seconds that reading takes. Words of scripts without spaces count by their letters. */
export function readingSeconds(text: string): number {
  const words = text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const spaced = words.filter((word) => !withoutSpaces.test(word));
  const letters = words.filter((word) => withoutSpaces.test(word)).join("");
  return spaced.length / wordsPerSecond + [...letters].length / lettersPerSecond;
}
