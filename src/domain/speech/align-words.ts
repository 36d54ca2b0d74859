import type { SpokenWord } from "../../engine/timeline/captions/words.ts";

/** A transcript with fewer matching words belongs to another text. */
const minMatchedShare = 0.5;

/** Gives words the times of the transcript; words between matches share the time. Undefined for another text. */
export function alignWords(
  script: readonly SpokenWord[],
  heard: readonly SpokenWord[],
  durationSeconds: number,
): readonly SpokenWord[] | undefined {
  const matches = longestCommon(script.map(keyOf), heard.map(keyOf));
  if (matches.size === 0 || matches.size < script.length * minMatchedShare) return undefined;
  const timed = script.map((word, at) => {
    const found = matches.get(at);
    return found === undefined ? word : { ...word, start: heard[found]!.start, end: heard[found]!.end };
  });
  for (let first = 0; first < timed.length; first++) {
    if (matches.has(first)) continue;
    let next = first;
    while (next < timed.length && !matches.has(next)) next++;
    const gap = { start: timed[first - 1]?.end ?? 0, end: timed[next]?.start ?? durationSeconds };
    fill(timed, script, { first, next }, gap);
    first = next;
  }
  return timed;
}

/** Moves words proportionally from their estimated times into a gap. */
function fill(
  timed: SpokenWord[],
  script: readonly SpokenWord[],
  { first, next }: { readonly first: number; readonly next: number },
  gap: { readonly start: number; readonly end: number },
): void {
  const from = script[first]!.start;
  const length = script[next - 1]!.end - from || 1;
  const factor = Math.max(0, gap.end - gap.start) / length;
  for (let at = first; at < next; at++) {
    const { start, end } = script[at]!;
    timed[at] = { ...script[at]!, start: gap.start + (start - from) * factor, end: gap.start + (end - from) * factor };
  }
}

const keyOf = ({ text }: SpokenWord) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** The largest distance of two equal words in their lists: bounds the work on long texts. */
const maxDistance = 400;

/** The indexes of words of `first` that are in `second` in the same order, with their indexes there. */
function longestCommon(first: readonly string[], second: readonly string[]): ReadonlyMap<number, number> {
  const width = second.length + 1;
  const lengths = new Uint16Array((first.length + 1) * width);
  for (let one = first.length - 1; one >= 0; one--) {
    for (let other = second.length - 1; other >= 0; other--) {
      const isMatch = first[one] === second[other] && first[one] !== "" && Math.abs(one - other) < maxDistance;
      lengths[one * width + other] = isMatch
        ? lengths[(one + 1) * width + other + 1]! + 1
        : Math.max(lengths[(one + 1) * width + other]!, lengths[one * width + other + 1]!);
    }
  }
  const matches = new Map<number, number>();
  for (let one = 0, other = 0; one < first.length && other < second.length; ) {
    const length = lengths[one * width + other]!;
    if (length === lengths[(one + 1) * width + other]) one++;
    else if (length === lengths[one * width + other + 1]) other++;
    else matches.set(one++, other++);
  }
  return matches;
}
