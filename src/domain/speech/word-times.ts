import { endsClause, endsSentence } from "../../engine/timeline/captions/scripts.ts";
import { type Span, type SpokenWord, timeWords } from "../../engine/timeline/captions/words.ts";
import { type Samples, secondsOf, soundSpans } from "../../engine/timeline/samples.ts";
import { sum, toThousandths } from "../../platform/values.ts";

/** Estimates times by the words' lengths, between matching pauses: of words, or else clauses, or else sentences. */
export function estimateWords(text: string, samples: Samples, language?: string): readonly SpokenWord[] {
  const spans = soundSpans(samples);
  const all = { start: spans[0]?.start ?? 0, end: spans.at(-1)?.end ?? secondsOf(samples) };
  const words = timeWords(text, all, language);
  for (const endsUnit of units) {
    const groups = groupsOf(words, endsUnit);
    const sounds = soundsOf(groups, spans);
    if (sounds) return groups.flatMap((group, at) => moveTo(group, sounds[at]!)).map(rounded);
  }
  return words.map(rounded);
}

type EndsUnit = (word: string, next: string) => boolean;

/** In the order words, clauses, sentences. */
const units: readonly EndsUnit[] = [
  () => true,
  (word, next) => endsClause(word) || endsSentence(word, next),
  (word, next) => endsSentence(word, next),
];

type Group = readonly [SpokenWord, ...SpokenWord[]];

function groupsOf(words: readonly SpokenWord[], endsUnit: EndsUnit): readonly Group[] {
  const groups: [SpokenWord, ...SpokenWord[]][] = [];
  words.forEach((word, at) => {
    const before = words[at - 1];
    const group = before && !endsUnit(before.text, word.text) ? groups.at(-1) : undefined;
    if (group) group.push(word);
    else groups.push([word]);
  });
  return groups;
}

/** The largest deviation of a group's pace from the mean, as a factor. */
const maxPaceFactor = 2;

/** Undefined unless the sound has a pause between any two groups, and all groups have a similar pace. */
function soundsOf(groups: readonly Group[], spans: readonly Span[]): readonly Span[] | undefined {
  if (groups.length < 2 || spans.length < groups.length) return undefined;
  const pauses = spans.slice(1).map(({ start }, at) => ({ at, seconds: start - spans[at]!.end }));
  const longest = pauses.toSorted((one, other) => other.seconds - one.seconds).slice(0, groups.length - 1);
  const ends = [...longest.map(({ at }) => at).sort((one, other) => one - other), spans.length - 1];
  const sounds = ends.map((end, index) => ({
    start: spans[index === 0 ? 0 : ends[index - 1]! + 1]!.start,
    end: spans[end]!.end,
  }));
  const estimates = groups.map((group) => lengthOf(spanOf(group)));
  const pace = sum(sounds.map(lengthOf)) / sum(estimates);
  const isEven = sounds.every((sound, at) => {
    const factor = lengthOf(sound) / (estimates[at]! * pace);
    return factor < maxPaceFactor && factor > 1 / maxPaceFactor;
  });
  return isEven ? sounds : undefined;
}

const spanOf = (group: Group): Span => ({ start: group[0].start, end: group.at(-1)!.end });
const lengthOf = ({ start, end }: Span): number => end - start;

function moveTo(group: Group, span: Span): readonly SpokenWord[] {
  const from = spanOf(group);
  const factor = lengthOf(span) / (lengthOf(from) || 1);
  const moved = (seconds: number) => span.start + (seconds - from.start) * factor;
  return group.map((word) => ({ ...word, start: moved(word.start), end: moved(word.end) }));
}

const rounded = ({ text, start, end, glued }: SpokenWord): SpokenWord => ({
  text,
  start: toThousandths(start),
  end: toThousandths(end),
  ...(glued && { glued }),
});
