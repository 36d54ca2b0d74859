import { fitsInRun } from "../../../compiler/compile.ts";
import { type FrameRange, framesIn } from "../../../timeline/time.ts";
import type { Splits } from "./splits.ts";

/** A segment to render. */
type Part = { readonly range: FrameRange };

type RunOptions = {
  /** Runs that are rendered side by side. */
  readonly workers: number;
  /** False if each segment needs an encoder of its own. */
  readonly canShareEncoder: boolean;
  /** The frames of most segments. */
  readonly usualFrames: number;
} & Splits;

/** Usual segments of a run: at most so many, because each clip is a decoder in memory. */
const maxSegments = 12;
/** A run that is not at least as long goes on with the next clip, and is not split. */
const minSegments = 4;

type Shares = {
  readonly workers: number;
  /** Frames of a row that is not split. */
  readonly shortest: number;
  /** What a run that begins with this part decodes in vain, in frames that take as long to render. */
  readonly costOf: (part: Part) => number;
};

/** Decoding what is not shown takes about a third of the time of rendering as many frames. */
const leadInWeight = 1 / 3;

/**
 * Rows of adjacent segments, each for one process, in the order in which free workers take them. Whole clips come
 * first, those that are long or costly to split before the others. What cannot be shared out in whole clips is split
 * into ever smaller runs, so that all workers end together: guided self-scheduling (Polychronopoulos and Kuck, 1987).
 */
export function planRuns<P extends Part>(parts: readonly P[], options: RunOptions): readonly P[][] {
  if (!options.canShareEncoder) return parts.map((part) => [part]);
  const { workers, usualFrames, leadInAt } = options;
  const rows = rowsOf(parts, options);
  const runs: P[][] = [];
  let left = framesOf(parts);
  const shortest = shortestFor(left, { workers, usualFrames });
  const costOf = ({ range }: Part) => leadInWeight * leadInAt(range.start);
  const shares = { workers, shortest, costOf };
  while (rows.length > 0) {
    const row = firstOf(rows, costOf);
    const run = row.splice(0, partsFor(row, left, shares));
    if (row.length === 0) rows.splice(rows.indexOf(row), 1);
    runs.push(run);
    left -= framesOf(run);
  }
  return runs;
}

/** Frames of a row that is not split. */
function shortestFor(frames: number, { workers, usualFrames }: Pick<RunOptions, "workers" | "usualFrames">): number {
  const few = minSegments * usualFrames;
  // after a small edit: one run for each worker, because each decodes from a keyframe
  if (frames <= 2 * few) return Math.max(usualFrames, (1.25 * frames) / workers);
  // with many workers the length of the longest run is what they wait for
  return frames / workers < few ? usualFrames : few;
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

/** The row that is longest, together with the cheapest split of it. */
function firstOf<P extends Part>(rows: readonly P[][], costOf: Shares["costOf"]): P[] {
  const weightOf = ([part, ...others]: readonly P[]) =>
    framesOf(part ? [part, ...others] : []) + (others.length > 0 ? Math.min(...others.map(costOf)) : 0);
  return rows.reduce((first, row) => (weightOf(row) > weightOf(first) ? row : first));
}

/** A second process costs something anyway: a row a little too long is not split. */
const tolerance = 1.1;

/** All of a row that does not keep its worker much longer than the others; else the parts nearest to most of a share. */
function partsFor(row: readonly Part[], left: number, { workers, shortest, costOf }: Shares): number {
  const share = left / workers;
  if (framesOf(row) <= Math.max(share * tolerance, shortest)) return row.length;
  const losses = row.map((_, index) => {
    const next = row[index + 1];
    return Math.abs(framesOf(row.slice(0, index + 1)) - share * 0.9) + (next ? costOf(next) : 0);
  });
  return losses.indexOf(Math.min(...losses)) + 1;
}

const rangesOf = (parts: readonly Part[]): readonly FrameRange[] => parts.map(({ range }) => range);

const framesOf = (parts: readonly Part[]): number => parts.reduce((sum, { range }) => sum + framesIn(range), 0);
