import { fitsInRun } from "../../compiler/compile.ts";
import { type FrameRange, framesIn } from "../../timeline/time.ts";

/** A segment to render. */
type Part = { readonly range: FrameRange };

type RunOptions = {
  /** Runs that are rendered side by side. */
  readonly workers: number;
  /** False if each segment needs an encoder of its own. */
  readonly canShareEncoder: boolean;
  /** Of a run of several segments: each of its clips is a decoder in memory. */
  readonly maxFrames: number;
};

/**
 * Rows of adjacent segments, each for one process, in the order in which free workers take them: guided
 * self-scheduling (Polychronopoulos and Kuck, 1987). Each run has about an equal share of half of what is left, so that
 * the first ones are long, which decodes little twice, and the last ones short, so that all workers end together.
 */
export function planRuns<P extends Part>(parts: readonly P[], options: RunOptions): readonly P[][] {
  const { workers, canShareEncoder, maxFrames } = options;
  if (!canShareEncoder) return parts.map((part) => [part]);
  const rows = rowsOf(parts, maxFrames);
  const runs: P[][] = [];
  for (let left = framesOf(rows.flat()); rows.length > 0; ) {
    const row = longestOf(rows);
    const run = row.splice(0, workers === 1 ? row.length : partsFor(row, left / workers / 2));
    if (row.length === 0) rows.splice(rows.indexOf(row), 1);
    runs.push(run);
    left -= framesOf(run);
  }
  return runs;
}

/** Splits parts where no encoder could go on, and after `maxFrames`. */
function rowsOf<P extends Part>(parts: readonly P[], maxFrames: number): P[][] {
  const rows: P[][] = [];
  for (const part of parts) {
    const row = rows.at(-1);
    const ranges = row?.map(({ range }) => range) ?? [];
    if (row && fitsInRun(ranges, part.range) && framesOf([...row, part]) <= maxFrames) row.push(part);
    else rows.push([part]);
  }
  return rows;
}

const longestOf = <P extends Part>(rows: readonly P[][]): P[] =>
  rows.reduce((longest, row) => (framesOf(row) > framesOf(longest) ? row : longest));

/** A row that is a little longer than its share is not split: a second process would seek and decode again. */
const tolerance = 1.5;

/** How many parts of a row come nearest to a number of frames; at least one. */
function partsFor(row: readonly Part[], frames: number): number {
  if (framesOf(row) <= frames * tolerance) return row.length;
  const lengths = row.map((_, index) => framesOf(row.slice(0, index + 1)));
  const distances = lengths.map((length) => Math.abs(length - frames));
  return distances.indexOf(Math.min(...distances)) + 1;
}

const framesOf = (parts: readonly Part[]): number => parts.reduce((sum, { range }) => sum + framesIn(range), 0);
