import type { Overlay } from "../../../../engine/timeline/overlay.ts";
import { intersection } from "../../../../engine/timeline/time.ts";
import type { Clip } from "../../../../engine/timeline/track.ts";
import type { ClipMotionRequest } from "../layers/clips.ts";
import { type EffectSources, maskOf } from "./effects.ts";
import type { VideoBounds } from "./overlays.ts";

const white = { red: 255, green: 255, blue: 255, alpha: 1 };

/** The mask of a clip as a white plane, which the mask cuts; undefined without one. Its box is the frame. */
export function clipMask(
  { mask }: ClipMotionRequest,
  { range, transition }: Clip,
  { canvas, frames }: VideoBounds,
  sources: EffectSources,
): Overlay | undefined {
  const box = { x: 0, y: 0, ...canvas };
  const own = mask && maskOf(mask, sources, box);
  // a clip continues until the end of its transition
  const visible = intersection({ start: range.start, end: range.end + transition.frames }, { start: 0, end: frames });
  if (!own || !visible) return undefined;
  return {
    range: visible,
    content: { kind: "shape", shape: "rect", box, fill: white },
    ...{ opacity: 1, rotationDegrees: 0, animateIn: "none", animateOut: "none" },
    effects: { mask: own },
    masks: sources.path,
  };
}
