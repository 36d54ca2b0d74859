import { type FrameRange, framesIn, intersection } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Clip, Span } from "../../timeline/track.ts";
import { solidColor } from "../filters/color.ts";
import { concat, resetTimestamps, trim } from "../filters/time.ts";
import type { Video } from "../graph/graph.ts";
import { drawClip } from "./clip.ts";
import { type ClipUse, toClipFrames } from "./clip-use.ts";
import { drawTransition } from "./transitions.ts";

/** The frames of `range` as one stream. `uses` has every clip that is visible in it. */
export function drawTrack(timeline: Timeline, range: FrameRange, uses: readonly ClipUse[]): Video {
  const clips = new Map(uses.map((use) => [use.clip, { use, video: drawClip(use, timeline) }]));

  const framesOf = (clip: Clip, visible: FrameRange): Video => {
    const { use, video } = clips.get(clip)!;
    const { start, end } = toClipFrames(clip, visible);
    const frames = { start: start - use.frames.start, end: end - use.frames.start };
    return framesIn(frames) === framesIn(use.frames) ? video : resetTimestamps(trim(video, frames), timeline.rate);
  };
  const videos = timeline.track.spans.flatMap((span) => {
    const visible = intersection(span.range, range);
    return visible ? [drawSpan(span, visible, timeline, framesOf)] : [];
  });
  return concat(videos, timeline.rate);
}

type FramesOf = (clip: Clip, visible: FrameRange) => Video;

function drawSpan(span: Span, visible: FrameRange, timeline: Timeline, framesOf: FramesOf): Video {
  const { canvas, rate, background = "black" } = timeline;
  if (span.kind === "gap") return solidColor(background, canvas, rate, framesIn(visible));
  if (span.kind === "clip") return framesOf(span.clip, visible);
  const { whole, from, to, transition } = span;
  return drawTransition(transition, {
    from: framesOf(from, visible),
    to: framesOf(to, visible),
    shown: { start: visible.start - whole.start, end: visible.end - whole.start },
    frames: framesIn(whole),
    canvas,
    rate,
  });
}
