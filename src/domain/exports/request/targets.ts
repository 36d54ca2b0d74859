import { captionOverlays } from "../../../engine/timeline/captions/overlays.ts";
import { disclosureOverlay } from "../../../engine/timeline/disclosure.ts";
import { reframe } from "../../../engine/timeline/reframe.ts";
import type { Canvas, Timeline } from "../../../engine/timeline/timeline.ts";
import { invalid } from "../../../errors.ts";
import { type AspectRatio, longestSide } from "../../shared/schemas.ts";
import { defaultResolution } from "../../works/editor-state.ts";
import type { Work } from "../../works/works.ts";
import type { ExportRequest } from "./schema.ts";

/** Identifies one video of an export: its aspect ratio, or "" if the request names no targets. */
export type VideoTarget = AspectRatio | "";

type OptionsOnly = Pick<ExportRequest, "options">;

export const targetsOf = ({ options }: OptionsOnly): readonly VideoTarget[] => options?.targets ?? [""];

/** One timeline per target, in the order of the request. */
export const targetTimelines = (timeline: Timeline, request: OptionsOnly): readonly Timeline[] =>
  targetsOf(request).map((target) => targetTimeline(target, timeline));

export const targetTimeline = (
  target: VideoTarget,
  timeline: Timeline,
  canvas: Canvas = targetCanvas(target, timeline.canvas),
): Timeline => withDisclosure(withCaptions(reframe(timeline, canvas)));

/** Lays out captions for each target: their lines break at its width. */
export function withCaptions(timeline: Timeline): Timeline {
  const { captions, canvas, rate, track, overlays } = timeline;
  if (!captions) return timeline;
  return { ...timeline, overlays: [...overlays, ...captionOverlays(captions, { canvas, rate, frames: track.frames })] };
}

/** Lays out the label for each target. */
function withDisclosure(timeline: Timeline): Timeline {
  const { disclosure, canvas, overlays } = timeline;
  return disclosure
    ? { ...timeline, overlays: [...overlays, disclosureOverlay(disclosure, canvas, overlays)] }
    : timeline;
}

/** The named target, or else the first. Any is valid for a request without targets; otherwise throws validation_error. */
export function requireTarget({ options }: OptionsOnly, named?: AspectRatio): VideoTarget {
  const targets = options?.targets;
  const target = named ?? targets?.[0] ?? "";
  if (target === "" || !targets || targets.includes(target)) return target;
  throw invalid("target", `Must be one of the request's targets: ${targets.join(", ")}.`);
}

/** The requested canvas, the work's resolution by default. */
export function canvasOf(
  { options }: OptionsOnly,
  { resolution = defaultResolution }: Pick<Work, "resolution">,
): Canvas {
  return { width: options?.width ?? resolution.width, height: options?.height ?? resolution.height };
}

/** Has the target's aspect ratio and the requested shorter side, or a smaller one if the longer exceeds the limit. */
export function targetCanvas(target: VideoTarget, requested: Canvas): Canvas {
  if (target === "") return requested;
  const [across = 1, down = 1] = target.split(":").map(Number);
  const wanted = Math.min(requested.width, requested.height) / Math.min(across, down);
  const unit = Math.min(wanted, longestSide / Math.max(across, down));
  return { width: even(across * unit), height: even(down * unit) };
}

const even = (length: number): number => 2 * Math.round(length / 2);
