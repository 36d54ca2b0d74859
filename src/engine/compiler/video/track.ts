import type { Source } from "../../timeline/source.ts";
import { type FrameRange, framesIn, intersection } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { type Clip, lumaOf, type Span } from "../../timeline/track.ts";
import { solidColor } from "../filters/color.ts";
import { concat, resetTimestamps, trim } from "../filters/time.ts";
import { input, type Video } from "../graph/graph.ts";
import { drawClip, drawPicture } from "./clip.ts";
import { type ClipUse, toClipFrames } from "./clip-use.ts";
import { drawMask, type masksIn } from "./overlays.ts";
import { drawTransition } from "./transitions.ts";

/** The pictures of the transitions that are visible in a range, each once. */
export const lumasIn = ({ track }: Timeline, range: FrameRange): readonly Source[] => {
  const lumas = track.spans.flatMap((span) => (intersection(span.range, range) ? (lumaOf(span) ?? []) : []));
  return [...new Map(lumas.map((source) => [source.file, source])).values()];
};

/** The inputs of a track. */
type TrackInputs = {
  /** Every clip that is visible. */
  readonly uses: readonly ClipUse[];
  /** The inputs of the pictures of `lumasIn` begin here. */
  readonly firstLuma: number;
  readonly masks: ReturnType<typeof masksIn>;
};

/** The frames of `range` as one stream. */
export function drawTrack(timeline: Timeline, range: FrameRange, { uses, firstLuma, masks }: TrackInputs): Video {
  const lumas = new Map(lumasIn(timeline, range).map(({ file }, index) => [file, input("video", firstLuma + index)]));
  const { canvas, rate } = timeline;
  const maskOf = ({ clip, frames }: ClipUse) => {
    const name = clip.effects?.mask?.name;
    const { start } = clip.range;
    const own = masks.filter(({ overlay }) => overlay.masks === name);
    const timing = { range: { start: start + frames.start, end: start + frames.end }, rate };
    return name === undefined ? undefined : drawMask(own, canvas, timing);
  };
  const clips = new Map(uses.map((use) => [use.clip, { use, video: drawClip(use, timeline, maskOf(use)) }]));

  const framesOf = (clip: Clip, visible: FrameRange): Video => {
    const { use, video } = clips.get(clip)!;
    const { start, end } = toClipFrames(clip, visible);
    const frames = { start: start - use.frames.start, end: end - use.frames.start };
    return framesIn(frames) === framesIn(use.frames) ? video : resetTimestamps(trim(video, frames), timeline.rate);
  };
  const videos = timeline.track.spans.flatMap((span) => {
    const visible = intersection(span.range, range);
    const luma = lumas.get(lumaOf(span)?.file ?? "");
    return visible ? [drawSpan(span, visible, timeline, { framesOf, luma })] : [];
  });
  return concat(videos, timeline.rate);
}

type SpanInputs = {
  readonly framesOf: (clip: Clip, visible: FrameRange) => Video;
  readonly luma: Video | undefined;
};

function drawSpan(span: Span, visible: FrameRange, timeline: Timeline, { framesOf, luma }: SpanInputs): Video {
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
    luma: luma && drawPicture(luma, timeline),
  });
}
