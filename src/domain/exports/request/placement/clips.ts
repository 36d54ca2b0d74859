import { type ClipEffects, clipProperties } from "../../../../engine/timeline/clip-effects.ts";
import type { Keyframe } from "../../../../engine/timeline/motion.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import type { Clip } from "../../../../engine/timeline/track.ts";
import { withoutUndefined } from "../../../../platform/values.ts";
import type { ClipMotionRequest } from "../layers/clips.ts";
import type { ClipMoveName } from "../layers/names.ts";
import { filterOf } from "./effects.ts";
import { roundedSeconds, type Stage, timed } from "./motion.ts";

/** A clip in its place. `seconds` is its length, to which percentages refer. */
export type ClipStage = Stage & {
  /** From its start to the end of the transition after it. */
  readonly visibleSeconds: number;
};

type ClipMotion = Pick<Clip, "effects" | "gains" | "speed" | "reverses">;

/** How a clip plays, how its picture looks and moves, and its volume over time; empty for one at rest. */
export function clipMotion(clip: ClipMotionRequest, stage: ClipStage): ClipMotion {
  const { rotation, opacity, filter, blend, mask, move, keyframes } = clip;
  const scale = typeof clip.scale === "number" ? { x: clip.scale, y: clip.scale } : clip.scale;
  const keyed =
    keyframes && Object.fromEntries(clipProperties.flatMap((name) => timed(keyframes[name], name, same, stage)));
  const moved = move === undefined ? undefined : moveKeyframes(move, stage);
  const effects: ClipEffects = withoutUndefined({
    scaleX: scale?.x,
    scaleY: scale?.y,
    rotationDegrees: rotation,
    opacity,
    filter: filter && filterOf(filter),
    blend: blend === "normal" ? undefined : blend,
    mask: mask && { name: stage.path, space: mask.layer === undefined ? ("clip" as const) : ("frame" as const) },
    keyframes: moved ?? (keyed && Object.keys(keyed).length > 0 ? keyed : undefined),
  });
  const [gains] = timed(keyframes?.volume, "volume", same, stage);
  return {
    ...(Object.keys(effects).length > 0 && { effects }),
    ...(gains && { gains: gains[1] }),
    ...paceOf(clip, stage),
  };
}

function paceOf({ speed = 1, reverse = false, keyframes }: ClipMotionRequest, stage: ClipStage): ClipMotion {
  const [keyed] = timed(keyframes?.speed, "speed", same, stage);
  return { ...(keyed ? { speed: keyed[1] } : speed !== 1 && { speed }), ...(reverse && { reverses: true }) };
}

const same = (value: number): number => value;

const defaultAmount = 0.15;

/** The factor of the picture's scale and the offset of its center, as shares of the canvas, from begin to end. */
type Camera = { readonly zoom?: readonly [number, number]; readonly pan?: "x" | "y"; readonly towards?: 1 | -1 };

/** The camera pans, so the picture moves the other way. */
const cameras: Readonly<Record<ClipMoveName, Camera>> = {
  "zoom-in": { zoom: [0, 1] },
  "zoom-out": { zoom: [1, 0] },
  "pan-left": { pan: "x", towards: 1 },
  "pan-right": { pan: "x", towards: -1 },
  "pan-up": { pan: "y", towards: 1 },
  "pan-down": { pan: "y", towards: -1 },
};

/** Even until the clip is not visible any more. A pan enlarges the picture, so that nothing beside it is shown. */
function moveKeyframes(
  move: NonNullable<ClipMotionRequest["move"]>,
  { canvas, visibleSeconds }: ClipStage,
): ClipEffects["keyframes"] {
  const { name, amount = defaultAmount } = typeof move === "string" ? { name: move } : move;
  const { zoom = [1, 1], pan, towards = 1 } = cameras[name];
  const fromTo = ([from, to]: readonly [number, number]): readonly Keyframe<number>[] => [
    { at: 0, value: from, easing: "linear" },
    { at: roundedSeconds(visibleSeconds), value: to, easing: "linear" },
  ];
  const farthest = (towards * amount * lengthAlong(pan, canvas)) / 2;
  const offset = fromTo([-farthest, farthest]);
  const scale = fromTo([1 + amount * zoom[0], 1 + amount * zoom[1]]);
  return {
    // keyframes of `scale` would replace that of the clip
    scaleX: scale,
    scaleY: scale,
    ...(pan === "x" && { centerX: offset }),
    ...(pan === "y" && { centerY: offset }),
  };
}

const lengthAlong = (axis: Camera["pan"], { width, height }: Canvas): number => (axis === "y" ? height : width);
