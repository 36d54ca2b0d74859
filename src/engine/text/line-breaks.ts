const wordSegmenter = new Intl.Segmenter("en", { granularity: "word" });
const graphemeSegmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

export const splitGraphemes = (text: string): string[] =>
  Array.from(graphemeSegmenter.segment(text), ({ segment }) => segment);

const patterns = {
  space: /[\t \u1680\u2000-\u2006\u2008-\u200B\u205F\u3000]$/u,
  noBreak: /[\u00A0\u2007\u202F\u2060\uFEFF]/u,
  hyphen: /[\p{L}\p{N}][-\u2010\u2013\u2014]$/u,
  opening: /[\p{Ps}\p{Pi}¿¡]$/u,
  closing: /^[\p{Pe}\p{Pf}!?.,:;%…、。，．・：；？！ー々〻ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ]/u,
  withoutSpaces:
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{Extended_Pictographic}\p{RI}]/u,
  eastAsian: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u,
};

/** Splits a line at every allowed break; joined, the pieces are the line again. */
export function breakablePieces(line: string): string[] {
  const pieces: string[] = [];
  for (const word of splitWords(line)) {
    const last = pieces.at(-1);
    if (last === undefined || canBreakBetween(last, word)) pieces.push(word);
    else pieces[pieces.length - 1] = last + word;
  }
  return pieces;
}

/** Words; East Asian text is split into single characters because a line may break between any two of them. */
function splitWords(line: string): string[] {
  const words = line
    .split(/(?<=\u200B)/u)
    .flatMap((part) => Array.from(wordSegmenter.segment(part), ({ segment }) => segment));
  return words.flatMap((word) => (patterns.eastAsian.test(word) ? splitGraphemes(word) : [word]));
}

function canBreakBetween(before: string, after: string): boolean {
  if (/^\s/u.test(after)) return false;
  if (patterns.space.test(before)) return true;
  const last = splitGraphemes(before.slice(-32)).at(-1)!;
  if (patterns.noBreak.test(last) || patterns.noBreak.test(after[0]!)) return false;
  if (patterns.closing.test(after) || patterns.opening.test(last)) return false;
  if (patterns.hyphen.test(before.slice(-3))) return /^\p{L}/u.test(after);
  return patterns.withoutSpaces.test(last) || patterns.withoutSpaces.test(after);
}

/** `start` is the index of the text in the line that is broken. */
type Fits = (text: string, start: number) => boolean;

/** Greedy line breaking. A piece that is wider than a whole line is broken between graphemes. */
export function wrapLine(line: string, fits: Fits): string[] {
  let pieces = breakablePieces(line);
  const lines: string[] = [];
  let start = 0;
  while (pieces.length > 0) {
    const from = start;
    const count = countFitting(pieces, (text) => fits(text, from));
    const graphemes = count === 0 ? splitGraphemes(pieces[0]!) : [];
    if (graphemes.length > 1) {
      pieces = [...graphemes, ...pieces.slice(1)];
      continue;
    }
    lines.push(joinTrimmed(pieces, Math.max(1, count)));
    for (const piece of pieces.slice(0, Math.max(1, count))) start += piece.length;
    pieces = pieces.slice(Math.max(1, count));
  }
  return lines.length > 0 ? lines : [""];
}

/** Joins the first `count` pieces without trailing spaces, which may hang over the edge of the line. */
const joinTrimmed = (pieces: readonly string[], count: number): string => pieces.slice(0, count).join("").trimEnd();

/** The number of pieces that fit on one line. Uses galloping search, because long lines are slow to measure. */
function countFitting(pieces: readonly string[], fits: (text: string) => boolean): number {
  let fitting = 0;
  let tooMany = 1;
  while (tooMany <= pieces.length && fits(joinTrimmed(pieces, tooMany))) {
    fitting = tooMany;
    tooMany *= 2;
  }
  tooMany = Math.min(tooMany, pieces.length + 1);
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(joinTrimmed(pieces, middle))) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}
