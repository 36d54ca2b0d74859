import type { Keyframe, Motion } from "../timeline/motion.ts";
import type { GroupContent, GroupLayer, Overlay } from "../timeline/overlay.ts";
import { type FrameRange, type FrameRate, intersection, toSeconds } from "../timeline/time.ts";
import { lottieSeconds, picturesSeconds } from "./footage.ts";
import { moveSeconds } from "./state.ts";

/** Frames on which an overlay looks the same, or on each of which it may look different. */
export type Run = FrameRange & { readonly isMoving: boolean };

/** Times in seconds in which a layer may change, from its start. A change at one moment has equal ends. */
type Change = { readonly from: number; readonly to: number };

/** Splits the range of an overlay at its changes. Runs are in order, without gaps, and none is empty. */
export function runsOf(overlay: Overlay, rate: FrameRate): readonly Run[] {
  const { range, motion } = overlay;
  const start = toSeconds(range.start, rate) - (motion?.lead ?? 0);
  const fps = rate.num / rate.den;
  // the first frame whose middle lies at or after a time
  const frameFrom = (seconds: number) => Math.ceil((start + seconds) * fps - 0.5 - tolerance);
  const moving = joined(
    changesOf(overlay, start).flatMap(
      ({ from, to }) =>
        intersection({ start: frameFrom(from), end: Math.max(frameFrom(from), frameFrom(to)) }, range) ?? [],
    ),
  );
  const jumps = changesOf(overlay, start).flatMap(({ from, to }) => [frameFrom(from), frameFrom(to)]);
  const isInMotion = (frame: number) => moving.some((run) => frame > run.start && frame < run.end);
  const edges = [range.start, range.end, ...moving.flatMap((run) => [run.start, run.end]), ...jumps];
  const cuts = [...new Set(edges)]
    .filter((frame) => frame >= range.start && frame <= range.end && !isInMotion(frame))
    .sort((one, other) => one - other);
  return cuts.slice(0, -1).map((from, index) => ({
    start: from,
    end: cuts[index + 1]!,
    isMoving: moving.some((run) => run.start === from),
  }));
}

/** In frames: a time that should lie on the middle of a frame may lie slightly before it. */
const tolerance = 1e-6;

function joined(ranges: readonly FrameRange[]): readonly FrameRange[] {
  const sorted = ranges.toSorted((one, other) => one.start - other.start);
  const result: FrameRange[] = [];
  for (const { start, end } of sorted) {
    const last = result.at(-1);
    if (last && start <= last.end) result[result.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else result.push({ start, end });
  }
  return result;
}

type Changing = Pick<GroupLayer, "content" | "effects" | "motion">;

/** `start` is the layer's own start on the clock of its parent. */
function changesOf({ content, effects, motion }: Changing, start: number): readonly Change[] {
  const mask = effects?.mask;
  return [
    ...(motion ? changesOfMotion(motion) : []),
    ...(content.kind === "group" ? changesInGroup(content) : []),
    ...(content.kind === "lottie" ? [{ from: 0, to: lottieSeconds(content) + maxHalfFrame }] : []),
    ...(content.kind === "image" && content.plays
      ? [{ from: 0, to: picturesSeconds(content.plays) + maxHalfFrame }]
      : []),
    ...(content.kind === "html" ? content.moments.map(({ from, to = Number.MAX_SAFE_INTEGER }) => ({ from, to })) : []),
    ...(content.kind === "video" ? [{ from: 0, to: content.seconds + 1 }] : []),
    ...(mask?.kind === "layer" ? changesOfChild(mask.layer).map((change) => shifted(change, -start)) : []),
  ];
}

/** Footage shows its time at the beginning of a frame, and changes count at its middle. */
const maxHalfFrame = 0.05;

const shifted = ({ from, to }: Change, by: number): Change => ({ from: from + by, to: to + by });

function changesOfMotion(motion: Motion): readonly Change[] {
  const lengths = moveSeconds(motion);
  const exitStart = motion.seconds - lengths.exit;
  const { keyframes = {}, enter, exit, loop, motions = [] } = motion;
  const lists: readonly (readonly Keyframe<unknown>[] | undefined)[] = Object.values(keyframes);
  return [
    ...(enter ? [{ from: 0, to: lengths.enter }] : []),
    ...(exit ? [{ from: exitStart, to: motion.seconds + 1 }] : []),
    ...(loop ? [{ from: lengths.enter, to: exitStart }] : []),
    ...motions.map(({ at, seconds }) => ({ from: at, to: at + seconds })),
    ...lists.flatMap((list = []) => changesOfKeyframes(list)),
  ];
}

/** Between equal values nothing changes, and a step changes at its keyframe only. */
function changesOfKeyframes(keyframes: readonly Keyframe<unknown>[]): readonly Change[] {
  return keyframes.slice(1).flatMap(({ at, value, easing }, index) => {
    const before = keyframes[index]!;
    if (JSON.stringify(value) === JSON.stringify(before.value)) return [];
    return easing === "step" || typeof value === "string" ? [{ from: at, to: at }] : [{ from: before.at, to: at }];
  });
}

const changesOfChild = (layer: GroupLayer): readonly Change[] => [
  { from: layer.start, to: layer.start },
  { from: layer.end, to: layer.end },
  ...changesOf(layer, layer.start).map((change) => shifted(change, layer.start)),
];

function changesInGroup({ layers, speed, repeats, seconds }: GroupContent): readonly Change[] {
  const changes = layers.flatMap(changesOfChild);
  if (repeats && changes.length > 0) return [{ from: 0, to: Number.MAX_SAFE_INTEGER }];
  // a child that is there for the whole group changes nothing
  const inside = changes.filter(({ from, to }) => to > 0 && (from < seconds || to > from));
  return inside.map(({ from, to }) => ({ from: from / speed, to: to / speed }));
}
