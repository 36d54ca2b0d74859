import { framesIn } from "../time.ts";
import { columnsOf, splitGraphemes } from "./scripts.ts";
import type { CaptionLine, CaptionWord } from "./track.ts";

/** A line is drawn smaller rather than broken inside a word, down to this share of its size. */
const smallest = 0.5;

const softHyphen = "\u00AD";
/** Where a line may break inside a word without a mark of its own. */
const breakable = /(?<=[\p{L}\p{N}][-\u2010/_@.&])(?=[\p{L}\p{N}])/u;

/** Breaks words that are wider than a line: at hyphens and the like, and between letters if a part is far too wide. */
export const fitWords = (words: CaptionLine, columns: number): CaptionLine =>
  words.flatMap((word) => (columnsOf(word.text) > columns ? splitWord(word, columns) : [withoutSoftHyphens(word)]));

const withoutSoftHyphens = (word: CaptionWord): CaptionWord =>
  word.text.includes(softHyphen) ? { ...word, text: word.text.replaceAll(softHyphen, "") } : word;

function splitWord(word: CaptionWord, columns: number): readonly CaptionWord[] {
  const texts = joinShort(partsOf(word.text), columns).flatMap((part) => splitEvenly(part, columns / smallest));
  const widths = texts.map(columnsOf);
  const total = widths.reduce((sum, width) => sum + width, 0);
  let before = 0;
  return texts.map((text, index) => {
    const start = frameIn(word, before / total);
    before += widths[index]!;
    return { text, glued: index > 0 || word.glued, range: { start, end: frameIn(word, before / total) } };
  });
}

const frameIn = ({ range }: CaptionWord, share: number): number => range.start + Math.round(framesIn(range) * share);

function partsOf(text: string): readonly string[] {
  const syllables = text.split(softHyphen);
  return syllables.flatMap((syllable, index) =>
    (index < syllables.length - 1 ? `${syllable}${softHyphen}` : syllable).split(breakable),
  );
}

/** Parts as long as a line; a hyphen is seen only where a line ends with it. */
function joinShort(parts: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const extended = (lines.at(-1) ?? "") + part;
    if (lines.length > 0 && columnsOf(shown(extended)) <= columns) lines[lines.length - 1] = extended;
    else lines.push(part);
  }
  return lines.map(shown);
}

const shown = (part: string): string =>
  part.endsWith(softHyphen) ? `${part.replaceAll(softHyphen, "")}-` : part.replaceAll(softHyphen, "");

function splitEvenly(text: string, columns: number): readonly string[] {
  const count = Math.ceil(columnsOf(text) / columns);
  if (count <= 1) return [text];
  const letters = splitGraphemes(text);
  const size = Math.ceil(letters.length / count);
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, index) =>
    letters.slice(index * size, (index + 1) * size).join(""),
  );
}
