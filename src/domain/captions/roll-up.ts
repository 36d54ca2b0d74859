import type { SpokenWord } from "../../engine/timeline/captions/words.ts";

/** A cue of a caption file: its lines as its author broke them, and its words with the times that they share. */
export type TimedCue = {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly (readonly SpokenWord[])[];
};

/** In seconds: cues with more between them are apart. */
const maxGap = 0.1;
/** Of a cue. */
const maxLines = 10;

/**
 * Captions that roll up, as television and automatic captions have them, show each line again above the next one: keeps
 * each where it is first said. Cues of other files stay as they are, also where they repeat a line.
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

/** How many lines at its beginning are those that the cue before ends with. */
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
