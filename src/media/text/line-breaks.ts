const words = new Intl.Segmenter("en", { granularity: "word" });
const clusters = new Intl.Segmenter("en", { granularity: "grapheme" });

export const clustersOf = (text: string): string[] => Array.from(clusters.segment(text), ({ segment }) => segment);

const written = {
  space: /[\t \u1680\u2000-\u2006\u2008-\u200B\u205F\u3000]$/u,
  glue: /[\u00A0\u2007\u202F\u2060\uFEFF]/u,
  hyphen: /[\p{L}\p{N}][-\u2010\u2013\u2014]$/u,
  opening: /[\p{Ps}\p{Pi}¿¡]$/u,
  closing: /^[\p{Pe}\p{Pf}!?.,:;%…、。，．・：；？！ー々〻ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ]/u,
  withoutSpaces:
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{Extended_Pictographic}\p{RI}]/u,
  eastAsian: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u,
};

/** The pieces of a line between which it may be broken; joined they are the line again. */
export function breakablePieces(line: string): string[] {
  const pieces: string[] = [];
  for (const part of partsOf(line)) {
    const last = pieces.at(-1);
    if (last === undefined || mayBreak(last, part)) pieces.push(part);
    else pieces[pieces.length - 1] = last + part;
  }
  return pieces;
}

/** Words, with East Asian ones taken apart: those lines may break between any two characters. */
function partsOf(line: string): string[] {
  const parts = line.split(/(?<=\u200B)/u).flatMap((part) => Array.from(words.segment(part), ({ segment }) => segment));
  return parts.flatMap((part) => (written.eastAsian.test(part) ? clustersOf(part) : [part]));
}

function mayBreak(before: string, after: string): boolean {
  if (/^\s/u.test(after)) return false;
  if (written.space.test(before)) return true;
  const [last, first] = [clustersOf(before.slice(-32)).at(-1)!, after];
  if (written.glue.test(last) || written.glue.test(first[0]!)) return false;
  if (written.closing.test(first) || written.opening.test(last)) return false;
  if (written.hyphen.test(before.slice(-3))) return /^\p{L}/u.test(first);
  return written.withoutSpaces.test(last) || written.withoutSpaces.test(first);
}

type Fits = (text: string) => boolean;

/** Fills lines with as many pieces as fit; a piece too long for a line of its own is broken between clusters. */
export function wrap(line: string, fits: Fits): string[] {
  let pieces = breakablePieces(line);
  const lines: string[] = [];
  while (pieces.length > 0) {
    const count = fittingCount(pieces, fits);
    const parts = count === 0 ? clustersOf(pieces[0]!) : [];
    if (parts.length > 1) {
      pieces = [...parts, ...pieces.slice(1)];
      continue;
    }
    lines.push(joined(pieces, Math.max(1, count)));
    pieces = pieces.slice(Math.max(1, count));
  }
  return lines.length > 0 ? lines : [""];
}

/** The first `count` pieces without the spaces at their end, which hang over the line's edge. */
const joined = (pieces: readonly string[], count: number): string => pieces.slice(0, count).join("").trimEnd();

/** How many pieces fit together: doubles, then halves, as measuring a line costs with its length. */
function fittingCount(pieces: readonly string[], fits: Fits): number {
  let [fitting, tooMany] = [0, 1];
  while (tooMany <= pieces.length && fits(joined(pieces, tooMany))) [fitting, tooMany] = [tooMany, tooMany * 2];
  tooMany = Math.min(tooMany, pieces.length + 1);
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(joined(pieces, middle))) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}
