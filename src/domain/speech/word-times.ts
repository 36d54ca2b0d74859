import { type Samples, type Span, secondsOf, soundSpans } from "./samples.ts";
import type { SpokenWord } from "./speech.ts";

/** A word with its punctuation. `weight`: how long it takes, in letters. `ends`: the largest unit that it ends. */
type Token = { readonly text: string; readonly glued: boolean; readonly weight: number; readonly ends: Unit };

/** From the smallest. */
const units = ["word", "clause", "sentence"] as const;
type Unit = (typeof units)[number];

/** The words of a text as they are said in a sound: spread by their lengths, between its pauses where these fit. */
export function estimateWords(text: string, samples: Samples): readonly SpokenWord[] {
  const tokens = tokensOf(text);
  const spans = soundSpans(samples);
  const all = { start: spans[0]?.start ?? 0, end: spans.at(-1)?.end ?? secondsOf(samples) };
  for (const unit of units) {
    const groups = groupsOf(tokens, unit);
    const places = placesFor(groups, spans);
    if (places) return groups.flatMap((group, at) => spread(group, places[at]!));
  }
  return spread(tokens, all);
}

/** The words spread over a span by their lengths. */
export const spreadWords = (text: string, span: Span): readonly SpokenWord[] => spread(tokensOf(text), span);

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const syllabic = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

function tokensOf(text: string): readonly Token[] {
  const tokens: { text: string; glued: boolean }[] = [];
  let afterSpace = true;
  let opening = "";
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const last = tokens.at(-1);
    if (segment.trim() === "") {
      afterSpace = true;
    } else if (isWordLike) {
      const isPartOfLast = last !== undefined && !afterSpace && opening === "" && /[-'’.@/&]$/u.test(last.text);
      if (isPartOfLast) last.text += segment;
      else tokens.push({ text: opening + segment, glued: tokens.length > 0 && !afterSpace && opening === "" });
      opening = "";
      afterSpace = false;
    } else if (last && (!afterSpace || !/^\p{P}+$/u.test(segment)) && !/^[\p{Ps}\p{Pi}¿¡]$/u.test(segment)) {
      last.text += afterSpace ? ` ${segment}` : segment;
    } else {
      opening += segment;
    }
  }
  return tokens.map((token) => ({ ...token, weight: weightOf(token.text), ends: unitEndedBy(token.text) }));
}

const weightOf = (text: string): number =>
  text
    .replace(syllabic, "aaa")
    .replace(/\p{N}/gu, "aaa")
    .replace(/[^\p{L}\p{N}]/gu, "").length + 1;

function unitEndedBy(text: string): Unit {
  if (/[.!?…。！？]["'’”»)\]]*$/u.test(text)) return "sentence";
  return /[,;:–—、，；：،؛]["'’”»)\]]*$/u.test(text) ? "clause" : "word";
}

function groupsOf(tokens: readonly Token[], unit: Unit): readonly (readonly Token[])[] {
  const groups: Token[][] = [];
  let isOpen = false;
  for (const token of tokens) {
    if (isOpen) groups.at(-1)!.push(token);
    else groups.push([token]);
    isOpen = units.indexOf(token.ends) < units.indexOf(unit);
  }
  return groups;
}

/** How far the pace of one group may be from the mean, as a factor. */
const maxPaceFactor = 2;

/**
 * The span of each group, if the sound has as many pauses as lie between them, and no group is then said at a pace of
 * its own. The longest pauses count.
 */
function placesFor(groups: readonly (readonly Token[])[], spans: readonly Span[]): readonly Span[] | undefined {
  if (groups.length < 2 || spans.length < groups.length) return undefined;
  const pauses = spans.slice(1).map(({ start }, at) => ({ at, seconds: start - spans[at]!.end }));
  const longest = pauses.toSorted((one, other) => other.seconds - one.seconds).slice(0, groups.length - 1);
  const ends = [...longest.map(({ at }) => at).sort((one, other) => one - other), spans.length - 1];
  const places = ends.map((end, index) => ({
    start: spans[index === 0 ? 0 : ends[index - 1]! + 1]!.start,
    end: spans[end]!.end,
  }));
  const weights = groups.map((group) => sum(group.map(({ weight }) => weight)));
  const pace = sum(places.map(({ start, end }) => end - start)) / sum(weights);
  const isEven = places.every(({ start, end }, at) => {
    const factor = (end - start) / (weights[at]! * pace);
    return factor < maxPaceFactor && factor > 1 / maxPaceFactor;
  });
  return isEven ? places : undefined;
}

function spread(tokens: readonly Token[], { start, end }: Span): readonly SpokenWord[] {
  const secondsPerLetter = (end - start) / Math.max(1, sum(tokens.map(({ weight }) => weight)));
  let at = start;
  return tokens.map(({ text, glued, weight }) => {
    const word = { text, start: toMilliseconds(at), end: toMilliseconds(at + weight * secondsPerLetter) };
    at += weight * secondsPerLetter;
    return glued ? { ...word, glued } : word;
  });
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const toMilliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000;
