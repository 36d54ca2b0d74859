import { columnsOf, isUnspaced } from "../../../timeline/captions/scripts.ts";

/** A word with the space before it, or without one where its script has none. */
type Word = { readonly text: string; readonly before: "" | " " };

/** Words that must not begin a line: particles in hiragana, and signs. */
const clings = /^[\p{sc=Hiragana}\p{P}\p{S}ー]+$/u;

/** Where a Japanese phrase ends: lines of a sentence break after its particles and signs. */
/** Words in hiragana that go on with the word before them, beside particles. */
const auxiliary =
  /^(?:ます|ませ|まし|です|でし|でも|には|にも|では|とは|との|への|から|まで|より|など|だけ|ない|なか|たい|くださ|いま|いる|いた|あり|ある|され|させ|られ|れる|する|しま|して|した|ので|のに|けど|ながら)/;

const endsPhrase = /(?:[はがをにでとのもへや]|\p{P})$/u;

function wordsOf(text: string): readonly Word[] {
  const spaced = text.trim().split(/\s+/u).filter(Boolean);
  return spaced.flatMap((part, at): Word[] => {
    const before = at === 0 ? "" : " ";
    if (!isUnspaced(part)) return [{ text: part, before }];
    const pieces: string[] = [];
    const hasParticles = /\p{sc=Hiragana}/u.test(part);
    for (const { segment } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(part)) {
      const last = pieces.length - 1;
      const before = pieces[last] ?? "";
      const isOpen = !endsPhrase.test(before);
      const isPart = clings.test(segment) && (isOpen || segment.length < 2 || auxiliary.test(segment));
      // what a number counts
      const goesOn = (hasParticles && isOpen) || /\p{N}$/u.test(before);
      if (last >= 0 && (isPart || goesOn)) pieces[last] += segment;
      else pieces.push(segment);
    }
    return pieces.map((piece, index) => ({ text: piece, before: index === 0 ? before : "" }));
  });
}

const joined = (words: readonly Word[]): string =>
  words.map(({ text, before }, at) => (at === 0 ? text : `${before}${text}`)).join("");

const number = /^\p{Sc}?\p{N}[\p{N}.,:/]*$/u;
const shortWord = /^\p{L}{1,3}\p{P}?$/u;
const plainWord = /^\p{L}{4,5}$/u;

/**
 * Breaks a text into at most so many lines of about equal length. A number stands with what it counts, and no short word
 * alone between lines.
 */
export function balancedLines(text: string, count: number): readonly string[] {
  const words = wordsOf(text);
  const width = (from: number, to: number) => {
    const { text: last = "" } = words[to - 1] ?? {};
    const isParted = to < words.length && number.test(last) && !isUnspaced(text);
    const isShort = shortWord.test(last) || (to < words.length && plainWord.test(last));
    const isAlone = from > 0 && to - from === 1 && isShort && !isUnspaced(last);
    return isParted || isAlone ? Number.POSITIVE_INFINITY : columnsOf(joined(words.slice(from, to)));
  };
  // best[lines][end]: the longest line of the best way to set the words before `end` in so many lines
  let best = words.map((_, at) => ({ longest: width(0, at + 1), starts: [0] }));
  for (let line = 1; line < Math.min(count, words.length); line++) {
    best = words.map((_, at) => {
      const ways = Array.from({ length: at }, (_, cut) => ({
        longest: Math.max(best[cut]!.longest, width(cut + 1, at + 1)), // safe: cut is before at
        starts: [...best[cut]!.starts, cut + 1],
      }));
      return [best[at]!, ...ways].reduce((found, way) => (way.longest < found.longest ? way : found));
    });
  }
  const starts = best.at(-1)?.starts ?? [];
  return starts.map((start, at) => joined(words.slice(start, starts[at + 1])));
}

/** The mean advance of a letter in bold text, as a share of the font size; of East Asian signs half of one. */
const columnShare = { latin: 0.58, other: 0.53 };

type Setting = { readonly lines: readonly string[]; readonly fontSize: number };

type Room = {
  readonly width: number;
  readonly height: number;
  readonly maxLines: number;
  readonly maxFontSize: number;
};

export const lineHeight = 1.16;

/** Sets a text as large as it can be in a room. */
export function setLarge(text: string, { width, height, maxLines, maxFontSize }: Room): Setting {
  const share = /\p{sc=Latin}/u.test(text) ? columnShare.latin : columnShare.other;
  const settings = Array.from({ length: maxLines }, (_, at): Setting => {
    const lines = balancedLines(text, at + 1);
    const longest = Math.max(1, ...lines.map(columnsOf));
    const fontSize = Math.min(maxFontSize, width / (longest * share), height / (lines.length * lineHeight));
    return { lines, fontSize };
  });
  // one line more must be worth it
  return settings.reduce((best, setting) => (setting.fontSize > best.fontSize * 1.12 ? setting : best));
}
