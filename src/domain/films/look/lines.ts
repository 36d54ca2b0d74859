import { isUnspaced, splitGraphemes } from "../../../engine/timeline/captions/scripts.ts";
import { leansForward } from "../../language/function-words.ts";

/** A word with the space before it; scripts without spaces have none. */
type Word = { readonly text: string; readonly before: "" | " " };

/** Words that must not begin a line: particles in hiragana, and signs. */
const clings = /^[\p{sc=Hiragana}\p{P}\p{S}ー]+$/u;

/** Words in hiragana, beside particles, that continue the previous word. */
const auxiliary =
  /^(?:ます|ませ|まし|です|でし|でも|には|にも|では|とは|との|への|から|まで|より|など|だけ|ない|なか|たい|くださ|いま|いる|いた|あり|ある|され|させ|られ|れる|する|しま|して|した|ので|のに|けど|ながら)/;

/** The end of a Japanese phrase: lines break after its particles and signs. */
const endsPhrase = /(?:[はがをにでとのもへや]|\p{P})$/u;

/** One word, even if a dictionary lacks it: a name. */
const katakana = /^[\p{sc=Katakana}ー]+$/u;

/** One word as well: a name in quotes, and a short one that の joins, such as 湯の宿しらかば. */
const quotedName = /([「『][^「」『』]{1,11}[」』])/u;
const joinedName = /^(?=.{3,9}$)[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+の[^はがをにでへ\p{P}\p{N}]+$/u;

const segmentsOf = (part: string): readonly string[] => {
  if (joinedName.test(part)) return [part];
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  return part
    .split(quotedName)
    .flatMap((piece) =>
      quotedName.test(piece) ? [piece] : [...segmenter.segment(piece)].map(({ segment }) => segment),
    );
};

function wordsOf(text: string): readonly Word[] {
  const spaced = text.trim().split(/\s+/u).filter(Boolean);
  return spaced.flatMap((part, at): Word[] => {
    const before = at === 0 ? "" : " ";
    if (!isUnspaced(part)) return [{ text: part, before }];
    const pieces: string[] = [];
    const hasParticles = /\p{sc=Hiragana}/u.test(part);
    for (const segment of segmentsOf(part)) {
      const last = pieces.length - 1;
      const before = pieces[last] ?? "";
      const isOpen = !endsPhrase.test(before);
      const isPart = clings.test(segment) && (isOpen || segment.length < 2 || auxiliary.test(segment));
      // the noun after a number
      const continues =
        (hasParticles && isOpen) || /\p{N}$/u.test(before) || (katakana.test(before) && katakana.test(segment));
      if (last >= 0 && (isPart || continues)) pieces[last] += segment;
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

/** In font sizes: the extra length of the longest line that a better break may cost. */
const breakCosts = { afterLeaning: 5, shortFirst: 4, afterClause: -2.5 };

const endsClause = /[,;:.!?–—،؛、。，；：！？]["'”’)]?$/u;

/** The cost of a break after a word. */
function costOf(word: string): number {
  if (endsClause.test(word)) return breakCosts.afterClause;
  return leansForward(word) ? breakCosts.afterLeaning : 0;
}

/**
 * Breaks a text into at most `count` lines of about equal length: after clauses, and not after words that belong to the
 * next one. Keeps a number with its noun, and no short word alone between lines.
 */
export function balancedLines(text: string, count: number): readonly string[] {
  const words = wordsOf(text);
  const costs = words.map(({ text: word }, at) => (at === words.length - 1 ? 0 : costOf(word)));
  const isShortFirst = words.length > 1 && /^\p{L}{1,3}$/u.test(words[0]?.text ?? "") && !isUnspaced(text);
  const width = (from: number, to: number) => {
    const { text: last = "" } = words[to - 1] ?? {};
    const isParted = to < words.length && number.test(last) && !isUnspaced(text);
    const isShort = shortWord.test(last) || (to < words.length && plainWord.test(last));
    const isAlone = from > 0 && to - from === 1 && isShort && !isUnspaced(last);
    return isParted || isAlone ? Number.POSITIVE_INFINITY : emsOf(joined(words.slice(from, to)));
  };
  // best[lines][end]: the longest line of the best way to set the words before `end` in so many lines, and its breaks
  let best = words.map((_, at) => ({
    ...{ longest: width(0, at + 1), starts: [0] },
    breaks: costs[at]! + (at === 0 && isShortFirst ? breakCosts.shortFirst : 0), // safe: each word has a cost
  }));
  for (let line = 1; line < Math.min(count, words.length); line++) {
    best = words.map((_, at) => {
      const ways = best.slice(0, at).map((before, cut) => ({
        longest: Math.max(before.longest, width(cut + 1, at + 1)),
        starts: [...before.starts, cut + 1],
        breaks: before.breaks + costs[at]!,
      }));
      return [best[at]!, ...ways].reduce((found, way) => (scoreOf(way) < scoreOf(found) ? way : found));
    });
  }
  const starts = best.at(-1)?.starts ?? [];
  return starts.map((start, at) => joined(words.slice(start, starts[at + 1])));
}

const scoreOf = ({ longest, breaks }: { longest: number; breaks: number }): number => longest + breaks;

/** Advances of the default font at its heavier weights, as shares of the font size, rounded up. */
const advances: readonly (readonly [RegExp, number])[] = [
  [/^\p{M}+$/u, 0],
  [/[\s\u00a0]/u, 0.24],
  [/[ijlI.,:;!'’|،؛]/u, 0.37],
  [/[tfr\-()/1]/u, 0.46],
  [/[mwMW%@—⬤]/u, 1.02],
  [/[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{Extended_Pictographic}\uFF01-\uFF60]/u, 1],
  [/[اأإآلـ]/u, 0.31],
  [/[سشصض]/u, 1],
  [/\p{sc=Arabic}/u, 0.58],
  [/[\p{Lu}\p{Sc}&]/u, 0.75],
  [/\p{N}/u, 0.67],
];
const usualAdvance = 0.64;

/** The width of a text in bold, as a multiple of its font size. */
export const emsOf = (text: string): number =>
  splitGraphemes(text).reduce((sum, one) => {
    if (/^\p{Nd}$/u.test(one)) return sum + 0.67;
    return sum + (advances.find(([pattern]) => pattern.test(one))?.[1] ?? usualAdvance);
  }, 0);

type Setting = { readonly lines: readonly string[]; readonly fontSize: number };

export type Room = {
  readonly width: number;
  readonly height: number;
  readonly maxLines: number;
  readonly maxFontSize: number;
};

/** The line height that `setLarge` assumes. */
export const lineHeight = 1.16;

/** The least line height of a text: letters of some scripts reach further up and down. */
export const leastLineHeight = (text: string): number =>
  /[\p{sc=Arabic}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Thai}\p{sc=Khmer}\p{sc=Myanmar}]/u.test(
    text,
  )
    ? 1.36
    : 0;

/** The side at which a text begins. */
export const startOf = (text: string): "left" | "right" =>
  /^\P{L}*[\p{sc=Arabic}\p{sc=Hebrew}]/u.test(text) ? "right" : "left";

/** Counts lines that end with a word of the next one, and words alone on the last one. */
function badBreaks(lines: readonly string[]): number {
  const leaning = lines.slice(0, -1).filter((line) => leansForward(line.split(/\s/u).at(-1) ?? "")).length;
  const last = lines.at(-1) ?? "";
  const isLeft = lines.length > 2 && !/\s/u.test(last) && !isUnspaced(last);
  return leaning + (isLeft ? 1 : 0);
}

/** Sets a text as large as possible in a room, in sensible lines. */
export function setLarge(text: string, { width, height, maxLines, maxFontSize }: Room): Setting {
  const settings = Array.from({ length: maxLines }, (_, at) => {
    const lines = balancedLines(text, at + 1);
    const longest = Math.max(1, ...lines.map(emsOf));
    const fontSize = Math.min(maxFontSize, width / longest, height / (Math.max(1, lines.length) * lineHeight));
    return { lines, fontSize, worth: fontSize * 0.85 ** badBreaks(lines) };
  });
  // one more line must be worth it
  return settings.reduce((best, setting) => (setting.worth > best.worth * 1.12 ? setting : best));
}
