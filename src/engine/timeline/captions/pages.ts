import { type FrameRange, type FrameRate, framesIn } from "../time.ts";
import { breakPages, fitsOnLine, isSilent, type LineLimits, lineColumns } from "./lines.ts";
import { columnsOf, endsSentence, splitGraphemes } from "./scripts.ts";
import type { CaptionLine, CaptionPage, CaptionTrack, CaptionWord } from "./track.ts";

export type PageLimits = LineLimits & {
  readonly rate: FrameRate;
  /** The length of the film, in frames. */
  readonly frames: number;
};

/** A longer silence ends a page; during a shorter one the page stays until the next. */
const silenceSeconds = 0.5;
export const minSeconds = 0.7;
/** The maximum reading speed, in letters a second. */
export const maxReadingSpeed = 20;
/** The frames between two pages that do not follow each other directly, so that the change is visible. */
const framesBetween = 2;

type Spoken = Pick<CaptionTrack, "content" | "hidden">;

/** The pages of captions with their times, in lines of at most `columns`. */
export function captionPages({ content, hidden = [] }: Spoken, limits: PageLimits): readonly CaptionPage[] {
  if (content.kind === "cues") {
    const pages = content.cues.flatMap((cue) => cuePages(cue, limits));
    return pages.flatMap(({ range, lines }) => withoutRanges(range, hidden).map((part) => ({ range: part, lines })));
  }
  const words = fitWords(content.words, limits.columns);
  const pages = splitSentences(words, hidden, limits).flatMap((sentence) => breakPages(sentence, limits));
  return timePages(pages, hidden, limits);
}

type Ranges = readonly FrameRange[];

/** The parts of a range outside of others, which are in order. */
function withoutRanges({ start, end }: FrameRange, others: Ranges): Ranges {
  const edges = others.filter((other) => other.start < end && other.end > start);
  const starts = [start, ...edges.map((other) => other.end)];
  const parts = starts.map((from, index) => ({ start: from, end: Math.min(end, edges[index]?.start ?? end) }));
  return parts.filter((part) => part.end > part.start);
}

const silenceFrames = ({ num, den }: FrameRate): number => Math.floor((silenceSeconds * num) / den);

/** Splits at the ends of sentences, at silence, and where captions are hidden in between. */
function splitSentences(words: CaptionLine, hidden: Ranges, { rate }: PageLimits): readonly CaptionLine[] {
  const silence = silenceFrames(rate);
  let said = "";
  const starts = words.flatMap((word, index) => {
    const before = words[index - 1];
    const isStart =
      !before ||
      firstAfter(hidden, before.range.start) < word.range.start ||
      (!isSilent(word) && (word.range.start - before.range.end > silence || endsSentence(said, word.text)));
    // emoji are shown with the sentence before them
    said = isSilent(word) ? said + word.text : word.text;
    return isStart ? [index] : [];
  });
  return starts.map((start, index) => words.slice(start, starts[index + 1]));
}

/** The start of the first range that starts after a frame. */
const firstAfter = (ranges: Ranges, frame: number): number =>
  ranges.find(({ start }) => start > frame)?.start ?? Number.POSITIVE_INFINITY;

/** The lines of a page; never empty. */
type Lines = CaptionPage["lines"];

/** Pages start with their first word and last until they can be read, if the speaker pauses long enough. */
function timePages(pages: readonly Lines[], hidden: Ranges, limits: PageLimits): readonly CaptionPage[] {
  const starts = distinctStarts(pages);
  return pages.flatMap((lines, index) => {
    const start = starts[index]!;
    if (start >= limits.frames) return [];
    const end = pageEnd(lines, start, starts[index + 1], limits);
    return [{ range: { start, end: Math.min(end, firstAfter(hidden, start)) }, lines }];
  });
}

/** At low frame rates, short words start in the same frame: then the later page starts in the next frame. */
function distinctStarts(pages: readonly Lines[]): readonly number[] {
  let earliest = 0;
  return pages.map(([line]) => {
    const start = Math.max(earliest, line![0]!.range.start);
    earliest = start + 1;
    return start;
  });
}

function pageEnd(lines: Lines, start: number, next: number | undefined, { rate, frames }: PageLimits): number {
  const spoken = Math.max(start + 1, lines.at(-1)!.at(-1)!.range.end);
  const latest = Math.min(frames, next ?? frames);
  if (next !== undefined && next - spoken <= silenceFrames(rate)) return latest;
  const free = next === undefined ? frames : next - framesBetween;
  return Math.min(latest, Math.max(spoken, Math.min(free, start + readingFrames(lines, rate))));
}

/** The time that reading a page takes. */
const readingFrames = (lines: Lines, { num, den }: FrameRate): number =>
  Math.ceil((Math.max(minSeconds, pageColumns(lines) / maxReadingSpeed) * num) / den);

/** A line break counts as a space. */
export const pageColumns = (lines: Lines): number =>
  lines.reduce((sum, line) => sum + lineColumns(line), lines.length - 1);

/** A cue keeps its time, and its own lines if they fit; several pages share its time by their words. */
function cuePages({ range, lines }: CaptionPage, limits: PageLimits): readonly CaptionPage[] {
  const end = Math.min(range.end, limits.frames);
  const pages = lines.every((line) => fitsOnLine(line, limits))
    ? groupLines(lines, limits)
    : breakPages(fitWords(lines.flat(), limits.columns), limits);
  const starts = distinctStarts(pages).with(0, range.start);
  return pages.flatMap((page, index) => {
    const pageRange = { start: starts[index]!, end: Math.min(end, starts[index + 1] ?? end) };
    return framesIn(pageRange) > 0 ? [{ range: pageRange, lines: page }] : [];
  });
}

function groupLines(lines: Lines, { maxLines }: PageLimits): readonly Lines[] {
  const pages = Math.ceil(lines.length / maxLines);
  const size = Math.ceil(lines.length / pages);
  return Array.from({ length: pages }, (_, index) => lines.slice(index * size, (index + 1) * size));
}

/** A line is drawn smaller rather than broken inside a word, down to this share of its size. */
const smallest = 0.5;

const softHyphen = "\u00AD";
/** The positions inside a word where a line may break without a hyphen. */
const breakable = /(?<=[\p{L}\p{N}][-\u2010/_@.&])(?=[\p{L}\p{N}])/u;

/** Breaks words that are wider than a line: at hyphens and the like, and between letters if a part is far too wide. */
const fitWords = (words: CaptionLine, columns: number): CaptionLine =>
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

/** Joins parts up to the length of a line; a hyphen is visible only at the end of a line. */
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
