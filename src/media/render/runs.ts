import { fitsInRun } from "../../compiler/compile.ts";
import { type FrameRange, framesIn } from "../../timeline/time.ts";

/** A segment to render. */
type Part = { readonly range: FrameRange };

type RunOptions = {
  /** Runs that are rendered side by side. */
  readonly workers: number;
  /** False if each segment needs an encoder of its own. */
  readonly canShareEncoder: boolean;
  /** The frames of most segments. */
  readonly usualFrames: number;
  /** Frames where a clip begins: a run that begins there decodes nothing in vain. */
  readonly clipStarts: ReadonlySet<number>;
};

/** Usual segments of a run: at most so many, because each clip is a decoder in memory. */
const maxSegments = 6;
/** A run that is not at least as long goes on with the next clip, and is not split. */
const minSegments = 2;

type Shares = {
  readonly workers: number;
  /** Frames of a row that is not split. */
  readonly shortest: number;
};

/**
 * Rows of adjacent segments, each for one process, in the order in which free workers take them. Whole clips come
 * first, the longest ones before the others. What cannot be shared out in whole clips is split into ever smaller runs,
 * so that all workers end together: guided self-scheduling (Polychronopoulos and Kuck, 1987).
 */
export function planRuns<P extends Part>(parts: readonly P[], options: RunOptions): readonly P[][] {
  if (!options.canShareEncoder) return parts.map((part) => [part]);
  const { workers, usualFrames } = options;
  const rows = rowsOf(parts, options);
  const runs: P[][] = [];
  let left = framesOf(parts);
  // with many workers the length of the longest run is what they wait for
  const shortest = left / workers < minSegments * usualFrames ? usualFrames : minSegments * usualFrames;
  while (rows.length > 0) {
    const row = longestOf(rows);
    const run = row.splice(0, partsFor(row, left, { workers, shortest }));
    if (row.length === 0) rows.splice(rows.indexOf(row), 1);
    runs.push(run);
    left -= framesOf(run);
  }
  return runs;
}

/** Splits parts where no encoder could go on, where a clip begins, and where a row would be too long. */
function rowsOf<P extends Part>(parts: readonly P[], { usualFrames, clipStarts }: RunOptions): P[][] {
  const rows: P[][] = [];
  for (const part of parts) {
    const row = rows.at(-1) ?? [];
    const isComplete = clipStarts.has(part.range.start) && framesOf(row) >= minSegments * usualFrames;
    const isTooLong = framesOf([...row, part]) > maxSegments * usualFrames;
    const fits = row.length > 0 && fitsInRun(rangesOf(row), part.range, usualFrames);
    if (fits && !isComplete && !isTooLong) row.push(part);
    else rows.push([part]);
  }
  return rows;
}

const longestOf = <P extends Part>(rows: readonly P[][]): P[] =>
  rows.reduce((longest, row) => (framesOf(row) > framesOf(longest) ? row : longest));

/** A second process seeks and decodes again, from a keyframe that may be far back: a row a little too long is not split. */
const tolerance = 1.1;

/** All of a row that does not keep its worker much longer than the others; else the parts nearest to most of a share. */
function partsFor(row: readonly Part[], left: number, { workers, shortest }: Shares): number {
  const share = left / workers;
  if (framesOf(row) <= Math.max(share * tolerance, shortest)) return row.length;
  const distances = row.map((_, index) => Math.abs(framesOf(row.slice(0, index + 1)) - share * 0.75));
  return distances.indexOf(Math.min(...distances)) + 1;
}

const rangesOf = (parts: readonly Part[]): readonly FrameRange[] => parts.map(({ range }) => range);

const framesOf = (parts: readonly Part[]): number => parts.reduce((sum, { range }) => sum + framesIn(range), 0);
