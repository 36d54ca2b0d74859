import type { FrameChange } from "./frame-change.ts";

/** Up to this many odd frames between two similar ones are a flash or a glitch, more are a scene. */
export const maxFlashFrames = 4;

/** The scene is compared again this many frames after a candidate, when a flash has faded. */
export const flashDecayFrames = [8, 13] as const;

export const noChange: FrameChange = {
  residual: 0,
  lowerQuartileResidual: 0,
  changedShare: 0,
  histogramDistance: 0,
  difference: 0,
};

/** A cheap test that most frames fail. */
export const isCandidateCut = ({ lowerQuartileResidual, changedShare, histogramDistance }: FrameChange) =>
  lowerQuartileResidual > 1 || changedShare > 0.3 || histogramDistance > 0.08;

/** Selects the first frames of new scenes from all changes: candidates that exceed their neighbors by far. */
export function selectCuts(
  changes: readonly FrameChange[],
  /** Candidates after which the scene returns. */
  returning: ReadonlySet<number>,
  /** Candidates that only change the light. */
  lightingChanges: ReadonlySet<number>,
): number[] {
  const candidates = changes.flatMap((change, index) => (isCandidateCut(change) ? [index] : []));
  const peaks = candidates.filter(
    (index) => !lightingChanges.has(index) && exceedsNeighbors(changes, index, flashPartner(changes, index)),
  );
  const lasting = peaks.filter((index, position) => {
    const next = peaks[position + 1] ?? Number.POSITIVE_INFINITY;
    return !returning.has(index) || next - index <= Math.max(...flashDecayFrames);
  });
  const inside = lasting.filter((cut) => cut >= maxFlashFrames && cut <= changes.length - maxFlashFrames);
  return enforceMinDistance(inside, changes);
}

/** A flash on a cut makes two candidates close together: the other one, if no further candidate is near. */
function flashPartner(changes: readonly FrameChange[], index: number): number | undefined {
  const range = 2 * maxFlashFrames - 1;
  const first = Math.max(0, index - range);
  const candidates = changes
    .slice(first, index + range + 1)
    .flatMap((change, offset) => (first + offset !== index && isCandidateCut(change) ? [first + offset] : []));
  const [only, ...more] = candidates;
  return more.length === 0 && only !== undefined && Math.abs(only - index) < maxFlashFrames ? only : undefined;
}

/**
 * True if a frame changes far more than its neighbors: also in its still parts, as another take of one camera does and
 * a caption does not, or in most of the frame, or in its colors. The thresholds are empirical.
 */
function exceedsNeighbors(changes: readonly FrameChange[], index: number, partner?: number): boolean {
  const { residual, lowerQuartileResidual, histogramDistance, changedShare, difference } = changes[index]!;
  const near = neighborMaximum(changes, index, partner);
  const isNew = histogramDistance > 0.012 + 1.5 * near.histogramDistance || difference > 1.5 * near.difference;
  const everywhere =
    lowerQuartileResidual > 0.7 + 1.5 * near.lowerQuartileResidual && residual > 2.2 + 1.8 * near.residual && isNew;
  const strongly =
    lowerQuartileResidual > 0.7 + 0.3 * near.lowerQuartileResidual &&
    residual > 8 + 1.8 * near.residual &&
    changedShare > 0.2 &&
    isNew;
  const partly =
    lowerQuartileResidual > 0.7 + 1.5 * near.lowerQuartileResidual &&
    residual > 2.5 + 0.9 * near.residual &&
    changedShare > 0.05 + 0.5 * near.changedShare &&
    isNew;
  const mostly = changedShare > 0.35 + 1.5 * near.changedShare && residual > 6 + 2 * near.residual && isNew;
  const recolored =
    histogramDistance > 0.06 + 2.5 * near.histogramDistance &&
    lowerQuartileResidual > 1.2 &&
    residual > 0.8 * near.residual;
  return everywhere || strongly || partly || mostly || recolored;
}

/** Farther neighbors count only in video with repeated frames, and only for motion. */
function neighborMaximum(changes: readonly FrameChange[], index: number, partner?: number): FrameChange {
  const range = maxFlashFrames * cadence(changes, index);
  let maximum = noChange;
  for (let at = Math.max(1, index - range); at <= Math.min(changes.length - 1, index + range); at++) {
    const change = changes[at]!;
    const isFar = Math.abs(at - index) > maxFlashFrames;
    if (at === index || at === partner || (isFar && change.changedShare > 0.3)) continue;
    maximum = {
      residual: Math.max(maximum.residual, change.residual),
      lowerQuartileResidual: Math.max(maximum.lowerQuartileResidual, change.lowerQuartileResidual),
      changedShare: Math.max(maximum.changedShare, change.changedShare),
      histogramDistance: Math.max(maximum.histogramDistance, change.histogramDistance),
      difference: Math.max(maximum.difference, change.difference),
    };
  }
  return maximum;
}

/** The median distance between moving frames: 2 for 12.5 fps converted to 25 fps. At most 5. */
function cadence(changes: readonly FrameChange[], index: number): number {
  const first = Math.max(1, index - 25);
  const moving = changes
    .slice(first, index + 26)
    .flatMap(({ difference, changedShare }, offset) => (difference > 0.4 && changedShare < 0.3 ? [offset] : []));
  const gaps = moving.slice(1).map((offset, previous) => offset - moving[previous]!);
  if (gaps.length < 5) return 1;
  return Math.min(5, gaps.toSorted((a, b) => a - b)[gaps.length >> 1]!);
}

/** Keeps the strongest of cuts that are closer together than the shortest scene. */
function enforceMinDistance(cuts: readonly number[], changes: readonly FrameChange[]): number[] {
  const selected: number[] = [];
  for (const cut of cuts) {
    const last = selected.at(-1);
    if (last === undefined || cut - last >= maxFlashFrames) selected.push(cut);
    else if (changes[cut]!.residual > changes[last]!.residual) selected[selected.length - 1] = cut;
  }
  return selected;
}
