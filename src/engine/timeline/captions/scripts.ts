/** Scripts that put no spaces between words. */
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const eastAsian = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\uFF01-\uFF60]/u;
const pictograph = /\p{Extended_Pictographic}|\p{RI}/u;

export const isUnspaced = (text: string): boolean => unspaced.test(text);
export const isEastAsian = (text: string): boolean => eastAsian.test(text);

const opening = /[\p{Ps}\p{Pi}¿¡]$/u;
export const endsWithOpening = (text: string): boolean => opening.test(text);

/** Marks, small kana and long-vowel signs: no line starts with one. */
const closing = /^[\p{Pe}\p{Pf}!?.,:;%…、。，．・：；？！،؛؟।ー々〻ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ]/u;
export const startsWithClosing = (text: string): boolean => closing.test(text);

const hiragana = /^\p{Script=Hiragana}+\p{P}*$/u;
/** Japanese particles and endings are read with the word before them. */
export const isHiragana = (text: string): boolean => hiragana.test(text);

const closers = String.raw`["'\p{Pe}\p{Pf}]*(?:[\s\p{Extended_Pictographic}\p{RI}\p{EMod}\u200D\uFE0F])*$`;
const sentenceEnd = new RegExp(`[.!?…。．！？؟।॥។။۔]${closers}`, "u");
const clauseEnd = new RegExp(`[,;:—–、，；：،؛၊]${closers}`, "u");
/** A letter or a title before a name. */
const abbreviation =
  /^["'\p{Ps}\p{Pi}]*(?:\p{L}|Dr|Mr|Mrs|Ms|Mx|Prof|St|Sr|Sra|Jr|Nr|No|Mme|Hr|Fr|vs|ca|bzw|approx)\.$/iu;
const startsLowercase = /^\P{L}*\p{Ll}/u;

/** `next` is undefined after the last word. */
export const endsSentence = (word: string, next?: string): boolean =>
  sentenceEnd.test(word) &&
  (next === undefined || !(word.endsWith(".") && (abbreviation.test(word) || startsLowercase.test(next))));

export const endsClause = (word: string): boolean => clauseEnd.test(word);

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const ascii = /^[ -~]*$/;

export const splitGraphemes = (text: string): string[] =>
  ascii.test(text) ? text.split("") : Array.from(graphemes.segment(text), ({ segment }) => segment);

/** The columns of a text: a Chinese, Japanese or Korean character and an emoji count as two. */
export const columnsOf = (text: string): number =>
  ascii.test(text)
    ? text.length
    : splitGraphemes(text).reduce((sum, one) => sum + (eastAsian.test(one) || pictograph.test(one) ? 2 : 1), 0);
