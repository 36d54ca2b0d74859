import { sum } from "../../../platform/sum.ts";
import { fitsInTask } from "../../compiler/compile.ts";
import { type FrameRange, framesIn } from "../../timeline/time.ts";
import type { Ranged, Splits } from "./splits.ts";

type PlanOptions = {
  /** The number of parallel tasks. */
  readonly workers: number;
  /** False if each segment needs a separate encoder. */
  readonly canShareEncoder: boolean;
  /** The number of frames of most segments. */
  readonly usualFrames: number;
} & Splits;

/** The maximum number of usual segments in a task, because each clip is a decoder in memory. */
const maxSegments = 12;
/** A shorter task continues with the next clip, and is not split. */
const minSegments = 4;

type Shares = {
  readonly workers: number;
  /** The frames of a row that is not split. */
  readonly shortest: number;
  /** The superfluous decoding of a task that begins with this segment, in frames that take as long to render. */
  readonly costOf: (segment: Ranged) => number;
};

/** Decoding superfluous frames takes about a third of the time of rendering as many frames. */
const leadInWeight = 1 / 3;

/**
 * Rows of adjacent segments, each for one process, in the order in which free workers take them. Whole clips come
 * first, those that are long or costly to split before the others. The rest, which whole clips cannot balance, is split
 * into ever smaller tasks, so that all workers end together: guided self-scheduling (Polychronopoulos and Kuck, 1987).
 */
export function planEncodeTasks<Segment extends Ranged>(
  segments: readonly Segment[],
  options: PlanOptions,
): readonly Segment[][] {
  if (!options.canShareEncoder) return segments.map((segment) => [segment]);
  const { workers, usualFrames, leadInAt } = options;
  const rows = rowsOf(segments, options);
  const tasks: Segment[][] = [];
  let left = framesOf(segments);
  const shortest = shortestFor(left, { workers, usualFrames });
  const costOf = ({ range }: Ranged) => leadInWeight * leadInAt(range.start);
  const shares = { workers, shortest, costOf };
  while (rows.length > 0) {
    const row = firstOf(rows, costOf);
    const task = row.splice(0, countFor(row, left, shares));
    if (row.length === 0) rows.splice(rows.indexOf(row), 1);
    tasks.push(task);
    left -= framesOf(task);
  }
  return tasks;
}

/** The frames of a row that is not split. */
function shortestFor(frames: number, { workers, usualFrames }: Pick<PlanOptions, "workers" | "usualFrames">): number {
  const few = minSegments * usualFrames;
  // after a small edit: one task for each worker, because each decodes from a keyframe
  if (frames <= 2 * few) return Math.max(usualFrames, (1.25 * frames) / workers);
  // with many workers, the length of the longest task decides when all end
  return frames / workers < few ? usualFrames : few;
}

/** Splits segments where no encoder could continue, where a clip begins, and where a row would be too long. */
function rowsOf<Segment extends Ranged>(
  segments: readonly Segment[],
  { usualFrames, clipStarts }: PlanOptions,
): Segment[][] {
  const rows: Segment[][] = [];
  for (const segment of segments) {
    const row = rows.at(-1) ?? [];
    const isComplete = clipStarts.has(segment.range.start) && framesOf(row) >= minSegments * usualFrames;
    const isTooLong = framesOf([...row, segment]) > maxSegments * usualFrames;
    const fits = row.length > 0 && fitsInTask(rangesOf(row), segment.range, usualFrames);
    if (fits && !isComplete && !isTooLong) row.push(segment);
    else rows.push([segment]);
  }
  return rows;
}

/** The longest row, and its cheapest split. */
function firstOf<Segment extends Ranged>(rows: readonly Segment[][], costOf: Shares["costOf"]): Segment[] {
  const weightOf = ([segment, ...others]: readonly Segment[]) =>
    framesOf(segment ? [segment, ...others] : []) + (others.length > 0 ? Math.min(...others.map(costOf)) : 0);
  return rows.reduce((first, row) => (weightOf(row) > weightOf(first) ? row : first));
}

/** A second process has a cost: a slightly too long row is not split. */
const tolerance = 1.1;

/** A whole row if its worker does not end much later than the others; else the segments nearest to most of a share. */
function countFor(row: readonly Ranged[], left: number, { workers, shortest, costOf }: Shares): number {
  const share = left / workers;
  if (framesOf(row) <= Math.max(share * tolerance, shortest)) return row.length;
  const losses = row.map((_, index) => {
    const next = row[index + 1];
    return Math.abs(framesOf(row.slice(0, index + 1)) - share * 0.9) + (next ? costOf(next) : 0);
  });
  return losses.indexOf(Math.min(...losses)) + 1;
}

const rangesOf = (segments: readonly Ranged[]): readonly FrameRange[] => segments.map(({ range }) => range);

const framesOf = (segments: readonly Ranged[]): number => sum(segments.map(({ range }) => framesIn(range)));
