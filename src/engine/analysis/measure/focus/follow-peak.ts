import type { FocusShot } from "../../../timeline/focus.ts";
import { blockMiddle, totalOf } from "./blocks.ts";
import { type Extent, subjectProfile } from "./subject.ts";

/** A position for each sample, as fractions of a side. */
export type Positions = readonly number[];

type Profiles = {
  readonly times: readonly number[];
  /** The length of the side, in pixels. */
  readonly length: number;
  /** The share of the side that a crop shows. */
  readonly share: number;
  readonly detail: readonly Float32Array[];
  /** The motion of each sample; undefined if no sample precedes it. */
  readonly motion: readonly (Float32Array | undefined)[];
  /** The subject as a vision model has seen it: detail and motion count only there. */
  readonly seen: readonly (Extent | undefined)[];
};

const candidateCount = 65;
/** The cost of a move by the whole side, in shares of a sample's saliency. */
const moveCost = 8;
/** Saliency counts for samples up to this many seconds away. */
const reachSeconds = 0.3;
/** The weight of motion relative to detail. */
const motionWeight = 2;
/** The loss of weight from the middle of the frame to its sides. */
const centerPrior = 0.25;
/** A position is preferred to the middle only if it shows this much more saliency. */
const advantage = 0.04;

/** The path of a crop along one side of the frame that shows the most saliency without unnecessary moves. */
export function followPeak({ times, length, share, seen, ...whole }: Profiles): {
  readonly positions: Positions;
  readonly reason: FocusShot["reason"];
} {
  const motion = aboveUsual(whole.motion);
  const detail = whole.detail.map(aboveGround);
  const still = times.map(() => 0.5);
  if (share > 0.99) return { positions: still, reason: "center" };
  const candidates = Array.from(
    { length: candidateCount },
    (_, index) => share / 2 + ((1 - share) * index) / (candidateCount - 1),
  );
  const middles = Array.from(detail[0]!, (_, index) => blockMiddle(index, length));
  const prior = middles.map(priorAt);
  const motionLevel = levelOf(motion.filter((profile) => profile !== undefined));
  const detailLevel = levelOf(detail);
  const profiles = smoothed(
    times,
    detail.map((still, at) => {
      const measured = mixed(still, motion[at], { motionLevel, detailLevel });
      return seen[at] ? subjectProfile(seen[at], measured, { length, share, weight: 1 + motionWeight }) : measured;
    }),
  );
  const kernels = candidates.map((position) =>
    middles.map((middle, index) => prior[index]! * kernel((middle - position) / share)),
  );
  const gains = profiles.map((profile) => kernels.map((weights) => dot(profile, weights)));
  const path = bestPath(gains, candidates);
  const found = path.reduce((sum, index, at) => sum + gains[at]![index]!, 0);
  const atCenter = gains.reduce((sum, each) => sum + each[candidateCount >> 1]!, 0);
  const total = profiles.reduce((sum, profile) => sum + dot(profile, prior), 0);
  const isMiddle = total === 0 || (!seen.some(Boolean) && found - atCenter < advantage * total);
  if (isMiddle) return { positions: still, reason: "center" };
  const moved = path.map((index) => candidates[index]!);
  const motionTotal = motion.reduce(
    (sum, profile) => sum + (profile ? (motionWeight * totalOf(profile)) / Math.max(1e-9, motionLevel) : 0),
    0,
  );
  return {
    positions: settled(times, moved, share),
    reason: motionTotal > detail.length * 0.5 && motionLevel > 0 ? "motion" : "detail",
  };
}

const priorAt = (middle: number): number => 1 - centerPrior * (2 * middle - 1) ** 2;

/** Subtracts what every part of the frame has: it says nothing about the subject. */
function aboveGround(profile: Float32Array): Float32Array {
  const ground = profile.toSorted()[profile.length >> 2]!;
  return profile.map((value) => Math.max(0, value - ground));
}

/** The quantile of a position's motion that counts as usual: what the camera follows always moves. */
const usualShare = 0.5;

/** Subtracts constant motion in one position: noise, leaves and blinking lights say less than what comes and goes. */
function aboveUsual(profiles: Profiles["motion"]): Profiles["motion"] {
  const known = profiles.filter((profile) => profile !== undefined);
  const usual = known[0]?.map(
    (_, at) => known.map((profile) => profile[at]!).sort((a, b) => a - b)[known.length >> 2]!,
  );
  return profiles.map((profile) => usual && profile?.map((value, at) => Math.max(0, value - usualShare * usual[at]!)));
}

const levelOf = (profiles: readonly Float32Array[]) => (profiles.length === 0 ? 0 : Math.max(...profiles.map(totalOf)));

type Levels = { readonly motionLevel: number; readonly detailLevel: number };

function mixed(
  detail: Float32Array,
  motion: Float32Array | undefined,
  { motionLevel, detailLevel }: Levels,
): Float32Array {
  const detailTotal = Math.max(totalOf(detail), 1e-9, 0.2 * detailLevel);
  const motionTotal = motion ? Math.max(totalOf(motion), 1e-9, 0.2 * motionLevel) : 1;
  return detail.map(
    (value, index) => value / detailTotal + (motion ? (motionWeight * motion[index]!) / motionTotal : 0),
  );
}

/** 1 in the inner half of the crop, falling to 0 at its edges. */
function kernel(offset: number): number {
  const distance = Math.abs(offset);
  if (distance <= 0.25) return 1;
  return distance >= 0.5 ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * (distance - 0.25)) / 0.25);
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!;
  return sum;
};

/** Counts equally many samples before and after, so that the ends of a movement are not drawn to its middle. */
function weightsAround(
  times: readonly number[],
  at: number,
): readonly { readonly index: number; readonly weight: number }[] {
  const time = times[at]!;
  const reach = Math.min(reachSeconds, time - times[0]!, times.at(-1)! - time) + 0.01;
  return times.flatMap((other, index) => {
    const weight = 1 - Math.abs(other - time) / reach;
    return weight > 0 ? [{ index, weight }] : [];
  });
}

function smoothed(times: readonly number[], profiles: readonly Float32Array[]): readonly Float32Array[] {
  return profiles.map((profile, at) => {
    const around = weightsAround(times, at);
    const total = around.reduce((sum, { weight }) => sum + weight, 0);
    return profile.map(
      (_, block) => around.reduce((sum, { index, weight }) => sum + weight * profiles[index]![block]!, 0) / total,
    );
  });
}

/** The positions with the highest gain after the cost of moving. */
function bestPath(gains: readonly (readonly number[])[], candidates: readonly number[]): readonly number[] {
  let best = [...gains[0]!];
  const cameFrom: number[][] = [];
  for (const gain of gains.slice(1)) {
    const from = candidates.map((position) => {
      let chosen = 0;
      let value = Number.NEGATIVE_INFINITY;
      for (const [index, other] of candidates.entries()) {
        const candidate = best[index]! - moveCost * Math.abs(position - other);
        if (candidate > value) [chosen, value] = [index, candidate];
      }
      return { chosen, value };
    });
    cameFrom.push(from.map(({ chosen }) => chosen));
    best = from.map(({ value }, index) => value + gain[index]!);
  }
  let at = best.indexOf(Math.max(...best));
  const path = [at];
  for (const from of cameFrom.toReversed()) {
    at = from[at]!;
    path.unshift(at);
  }
  return path;
}

/** Removes small movements, and smooths the others. */
function settled(times: readonly number[], positions: Positions, share: number): Positions {
  const [low, high] = [Math.min(...positions), Math.max(...positions)];
  if (high - low < 0.12 * share) return positions.map(() => (low + high) / 2);
  return positions.map((_, at) => {
    const around = weightsAround(times, at);
    const total = around.reduce((sum, { weight }) => sum + weight, 0);
    return around.reduce((sum, { index, weight }) => sum + weight * positions[index]!, 0) / total;
  });
}
