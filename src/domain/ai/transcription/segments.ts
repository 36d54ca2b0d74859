import { endsSentence } from "../../../timeline/captions/scripts.ts";
import type { SpokenWord } from "../../../timeline/captions/words.ts";

/** A sentence, or a part of a long one. */
export type Segment = { readonly text: string; readonly start: number; readonly end: number };

/** A longer pause ends a segment, whatever the text says. */
const maxPauseSeconds = 1;
const maxSegmentSeconds = 15;

export function segmentsOf(words: readonly SpokenWord[]): readonly Segment[] {
  const groups: SpokenWord[][] = [];
  words.forEach((word, at) => {
    const before = words[at - 1];
    if (before && !endsSegment(groups.at(-1)![0]!, before, word)) groups.at(-1)!.push(word);
    else groups.push([word]);
  });
  return groups.map((group) => ({ text: textOf(group), start: group[0]!.start, end: group.at(-1)!.end }));
}

const endsSegment = (first: SpokenWord, before: SpokenWord, next: SpokenWord): boolean =>
  endsSentence(before.text, next.text) ||
  next.start - before.end > maxPauseSeconds ||
  next.end - first.start > maxSegmentSeconds;

const textOf = (words: readonly SpokenWord[]): string =>
  words.map(({ text, glued }, at) => (glued || at === 0 ? text : ` ${text}`)).join("");
