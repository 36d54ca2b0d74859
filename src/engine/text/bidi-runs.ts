import bidiFactory from "bidi-js";

/** A piece of a text in one direction. Odd levels are read from right to left. */
type BidiRun = { readonly start: number; readonly end: number; readonly level: number };

const bidi = bidiFactory();

/** Pieces of one direction each, from left to right (UAX #9, rule L2). */
export function visualRuns(text: string, direction: "ltr" | "rtl"): readonly BidiRun[] {
  const { levels } = bidi.getEmbeddingLevels(text, direction);
  const runs: BidiRun[] = [];
  for (const [index, level] of levels.entries()) {
    const last = runs.at(-1);
    if (last?.level === level) runs[runs.length - 1] = { ...last, end: index + 1 };
    else runs.push({ start: index, end: index + 1, level });
  }
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--) reverseRows(runs, level);
  return runs;
}

/** Reverses each row of adjacent runs of at least this level. */
function reverseRows(runs: BidiRun[], level: number): void {
  for (let start = 0; start < runs.length; start++) {
    let end = start;
    while (end < runs.length && runs[end]!.level >= level) end++;
    runs.splice(start, end - start, ...runs.slice(start, end).reverse());
    start = Math.max(start, end);
  }
}
