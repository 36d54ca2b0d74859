import type { SpokenWord } from "../../engine/timeline/captions/words.ts";

/** A cue of a caption file: its lines as its author broke them, and its words with their shared times. */
export type TimedCue = {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly (readonly SpokenWord[])[];
};

/** In seconds: cues with a larger gap are separate. */
const maxGap = 0.1;
/** The most lines of a cue. */
const maxLines = 10;

/**
 * Roll-up captions, as in television and automatic captions, show each line again above the next one: keeps the first
 * occurrence of each. Leaves cues of other files unchanged, even if they repeat a line.
 */
export function toldOnce(cues: readonly TimedCue[]): readonly TimedCue[] {
  const pairs = cues.map((cue, at) => ({ cue, repeated: repeatedLines(cues[at - 1], cue) }));
  const isRollUp = pairs.some(({ repeated }, at) => repeated > 0 && repeated < cues[at - 1]!.lines.length); // safe because a line is repeated
  if (!isRollUp) return cues;
  const told: TimedCue[] = [];
  for (const { cue, repeated } of pairs) {
    const lines = cue.lines.slice(repeated);
    const last = told.at(-1);
    if (lines.length > 0) told.push({ ...cue, lines });
    else if (last) told[told.length - 1] = { ...last, end: Math.max(last.end, cue.end) };
  }
  return told;
}

/** The number of lines at the start of a cue that the previous cue ends with. */
function repeatedLines(before: TimedCue | undefined, cue: TimedCue): number {
  if (!before || cue.start > before.end + maxGap) return 0;
  const shown = before.lines.slice(-maxLines).map(textOf);
  const next = cue.lines.slice(0, maxLines).map(textOf);
  for (let count = Math.min(shown.length, next.length); count > 0; count--) {
    if (next.slice(0, count).every((line, at) => line === shown[shown.length - count + at])) return count;
  }
  return 0;
}

const textOf = (line: readonly SpokenWord[]): string =>
  line.map(({ text, glued }) => (glued ? text : ` ${text}`)).join("");
