import { type FrameRange, framesIn, intersection } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Clip, Span } from "../../timeline/track.ts";
import { concat, numbered, solid, trimmed } from "../filters/filters.ts";
import type { Video } from "../graph/graph.ts";
import { inClip, type Use } from "../sources.ts";
import { drawClip } from "./clip.ts";
import { drawTransition } from "./transitions.ts";

/** The track on the frames of `range` as one stream. */
export function drawTrack(timeline: Timeline, range: FrameRange, uses: readonly Use[]): Video {
  const pictures = new Map(uses.map((use) => [use.clip, { use, video: drawClip(use, timeline) }]));

  const framesOf = (clip: Clip, shown: FrameRange): Video => {
    const { use, video } = pictures.get(clip)!;
    const { start, end } = inClip(clip, shown);
    const kept = { start: start - use.frames.start, end: end - use.frames.start };
    return framesIn(kept) === framesIn(use.frames) ? video : numbered(trimmed(video, kept), timeline.rate);
  };
  const pieces = timeline.track.spans.flatMap((span) => {
    const shown = intersection(span.range, range);
    return shown ? [drawSpan(span, shown, timeline, framesOf)] : [];
  });
  return concat(pieces, timeline.rate);
}

type FramesOf = (clip: Clip, shown: FrameRange) => Video;

function drawSpan(span: Span, shown: FrameRange, { canvas, rate }: Timeline, framesOf: FramesOf): Video {
  if (span.kind === "gap") return solid("black", canvas, rate, framesIn(shown));
  if (span.kind === "clip") return framesOf(span.clip, shown);
  const { whole, from, to, transition } = span;
  return drawTransition(transition, {
    from: framesOf(from, shown),
    to: framesOf(to, shown),
    shown: { start: shown.start - whole.start, end: shown.end - whole.start },
    frames: framesIn(whole),
    canvas,
    rate,
  });
}
