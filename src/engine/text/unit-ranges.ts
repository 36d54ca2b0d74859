import type { MoveUnit } from "../timeline/motion.ts";

/** A part of a line, as indices into its text. */
export type Range = { readonly start: number; readonly end: number };

const wordSegmenter = new Intl.Segmenter("en", { granularity: "word" });
const graphemeSegmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The parts of a line that move as one, in reading order. Spaces belong to no word and no letter. */
export function unitRanges(line: string, by: Exclude<MoveUnit, "layer">): readonly Range[] {
  if (blank.test(line)) return [];
  if (by === "line") return [{ start: 0, end: line.length }];
  const words = wordRanges(line);
  return by === "word" ? words : words.flatMap((word) => letterRanges(line, word));
}

const blank = /^[\s\u200B]*$/u;
const pictograph = /^[\p{Extended_Pictographic}\p{RI}]/u;
const opening = /^[\p{Ps}\p{Pi}¿¡]/u;

/** Signs that join the letters on both sides into one word. */
const connector = /^[-\u2010\u2011'’_./@&+:\p{Sc}]$/u;

/** Punctuation belongs to the word before it, or to the one after it if it opens something or follows a space. */
function wordRanges(line: string): readonly Range[] {
  const words: Range[] = [];
  let current: { start: number; end: number; readonly hasWord: boolean; last: string } | undefined;
  const close = () => {
    if (current) words.push({ start: current.start, end: current.end });
    current = undefined;
  };
  for (const { segment, index, isWordLike } of wordSegmenter.segment(line)) {
    const end = index + segment.length;
    if (blank.test(segment)) {
      close();
      continue;
    }
    const isWord = isWordLike === true || pictograph.test(segment);
    if (isWord ? current?.hasWord && !continues(current.last, segment) : current?.hasWord && opening.test(segment))
      close();
    current = { start: current?.start ?? index, end, hasWord: isWord || current?.hasWord === true, last: segment };
  }
  close();
  return words;
}

const continues = (last: string, word: string): boolean => connector.test(last) && !pictograph.test(word);

/** Scripts whose letters join or change places: their words cannot be drawn letter by letter. */
const joining = new RegExp(
  `[${[
    ...["Arabic", "Syriac", "Mongolian", "Nko", "Adlam", "Mandaic", "Phags_Pa", "Hanifi_Rohingya"],
    ...["Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"],
    ...["Myanmar", "Khmer", "Tibetan", "Javanese", "Balinese", "Sundanese", "Tai_Tham", "Limbu", "Newa", "Tirhuta"],
  ]
    .map((script) => `\\p{sc=${script}}`)
    .join("")}]`,
  "u",
);

function letterRanges(line: string, { start, end }: Range): readonly Range[] {
  const word = line.slice(start, end);
  if (joining.test(word)) return [{ start, end }];
  return Array.from(graphemeSegmenter.segment(word), ({ segment, index }) => ({
    start: start + index,
    end: start + index + segment.length,
  }));
}
