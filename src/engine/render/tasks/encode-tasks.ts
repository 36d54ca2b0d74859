import { sum } from "../../../platform/values.ts";
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
  /** The bytes of drawn frames that a task keeps for a part of the timeline. Default: none. */
  readonly rawBytesIn?: (range: FrameRange) => number;
} & Splits;

/**
 * The most bytes of drawn frames of a task, unless it is one segment: three seconds of full frames of 1080 × 1920 at
 * 30 frames a second. Each further process decodes from a keyframe, which took a tenth of a film's time at two seconds.
 */
const maxRawBytes = 768 * 2 ** 20;

/** The maximum number of usual segments in a task, because each clip is a decoder in memory. */
const maxSegments = 12;
/** A shorter task continues with the next clip, and is not split. */
const minSegments = 4;

type Shares = {
  readonly workers: number;
  /** The frames of a group that is not split. */
  readonly shortest: number;
  /** The superfluous decoding of a task that begins with this segment, in frames that take as long to render. */
  readonly costOf: (segment: Ranged) => number;
};

/** Decoding superfluous frames takes about a third of the time of rendering as many frames. */
const leadInWeight = 1 / 3;

/**
 * Groups of adjacent segments, each for one process, in the order in which free workers take them. Whole clips come
 * first, those that are long or costly to split before the others. The rest, which whole clips cannot balance, is split
 * into ever smaller tasks, so that all workers end together: guided self-scheduling (Polychronopoulos and Kuck, 1987).
 */
export function planEncodeTasks<Segment extends Ranged>(
  segments: readonly Segment[],
  options: PlanOptions,
): readonly Segment[][] {
  if (!options.canShareEncoder) return segments.map((segment) => [segment]);
  const { workers, usualFrames, leadInAt } = options;
  const groups = groupsOf(segments, options);
  const tasks: Segment[][] = [];
  let left = framesOf(segments);
  const shortest = shortestFor(left, { workers, usualFrames });
  const costOf = ({ range }: Ranged) => leadInWeight * leadInAt(range.start);
  const shares = { workers, shortest, costOf };
  while (groups.length > 0) {
    const group = firstOf(groups, costOf);
    const task = group.splice(0, countFor(group, left, shares));
    if (group.length === 0) groups.splice(groups.indexOf(group), 1);
    tasks.push(task);
    left -= framesOf(task);
  }
  return tasks;
}

/** The frames of a group that is not split. */
function shortestFor(frames: number, { workers, usualFrames }: Pick<PlanOptions, "workers" | "usualFrames">): number {
  const few = minSegments * usualFrames;
  // after a small edit: one task for each worker, because each decodes from a keyframe
  if (frames <= 2 * few) return Math.max(usualFrames, (1.25 * frames) / workers);
  // with many workers, the length of the longest task decides when all end
  return frames / workers < few ? usualFrames : few;
}

/** Splits segments where no encoder could continue, where a clip begins, and where a group would be too long. */
function groupsOf<Segment extends Ranged>(
  segments: readonly Segment[],
  { usualFrames, clipStarts, rawBytesIn = () => 0 }: PlanOptions,
): Segment[][] {
  const groups: Segment[][] = [];
  const bytesOf = (group: readonly Segment[]) => sum(group.map(({ range }) => rawBytesIn(range)));
  for (const segment of segments) {
    const group = groups.at(-1) ?? [];
    const isComplete = clipStarts.has(segment.range.start) && framesOf(group) >= minSegments * usualFrames;
    const next = [...group, segment];
    const isTooLong = framesOf(next) > maxSegments * usualFrames || bytesOf(next) > maxRawBytes;
    const fits = group.length > 0 && fitsInTask(rangesOf(group), segment.range, usualFrames);
    if (fits && !isComplete && !isTooLong) group.push(segment);
    else groups.push([segment]);
  }
  return groups;
}

/** The group whose length plus the cost of its cheapest split is greatest. */
function firstOf<Segment extends Ranged>(groups: readonly Segment[][], costOf: Shares["costOf"]): Segment[] {
  const weightOf = ([segment, ...others]: readonly Segment[]) =>
    framesOf(segment ? [segment, ...others] : []) + (others.length > 0 ? Math.min(...others.map(costOf)) : 0);
  return groups.reduce((first, group) => (weightOf(group) > weightOf(first) ? group : first));
}

/** A second process has a cost: a slightly too long group is not split. */
const tolerance = 1.1;

/** A whole group if its worker ends not much later than the others; else the segments nearest to 90 % of a share. */
function countFor(group: readonly Ranged[], left: number, { workers, shortest, costOf }: Shares): number {
  const share = left / workers;
  if (framesOf(group) <= Math.max(share * tolerance, shortest)) return group.length;
  const losses = group.map((_, index) => {
    const next = group[index + 1];
    return Math.abs(framesOf(group.slice(0, index + 1)) - share * 0.9) + (next ? costOf(next) : 0);
  });
  return losses.indexOf(Math.min(...losses)) + 1;
}

const rangesOf = (segments: readonly Ranged[]): readonly FrameRange[] => segments.map(({ range }) => range);

const framesOf = (segments: readonly Ranged[]): number => sum(segments.map(({ range }) => framesIn(range)));
