import { type FrameRange, framesIn, toSeconds } from "../../../timeline/time.ts";
import { solidColor } from "../../filters/color.ts";
import { paintOver } from "../../filters/geometry.ts";
import { fadeAlpha } from "../../filters/mask.ts";
import { concat, resetTimestamps, resetTimestampsToMiddles, trim } from "../../filters/time.ts";
import type { Video } from "../../graph/graph.ts";
import { blurFrames } from "../effects/blurring.ts";
import { atEachFrame, type Blend } from "./blend.ts";

/** Fades `above` in or out over `below`. The fade lasts for the frames `span` of the transition. */
export function fade(
  { shown, rate }: Blend,
  below: Video,
  above: Video,
  direction: "in" | "out",
  span: FrameRange,
): Video {
  const isOnHalves = [span.start, span.end].every((edge) => Number.isInteger(2 * edge));
  const timed = resetTimestampsToMiddles(above, rate, shown.start, isOnHalves ? 2 : 2000);
  const fadeTime = { startSeconds: toSeconds(span.start, rate), seconds: toSeconds(framesIn(span), rate) };
  return paintOver(below, resetTimestamps(fadeAlpha(timed, direction, fadeTime), rate), { x: 0, y: 0 });
}

/** Fades the new video in during a part of the transition: both ends are shares of its length. */
export const fadeDuring = (blend: Blend, from: Video, to: Video, [start, end]: readonly [number, number]): Video =>
  fade(blend, from, to, "in", { start: start * blend.frames, end: end * blend.frames });

/** Fades out to a color, and in from it after a share of the length, by default the half. */
export function fadeThrough(blend: Blend, color: "black" | "white", share = 0.5): Video {
  const { shown, frames, canvas, rate } = blend;
  const half = (part: FrameRange, above: Video, direction: "in" | "out", span: FrameRange) => {
    const range = { start: Math.max(part.start, shown.start), end: Math.min(part.end, shown.end) };
    if (range.start >= range.end) return [];
    const trimmed = trim(above, { start: range.start - shown.start, end: range.end - shown.start });
    const background = solidColor(color, canvas, rate, framesIn(range));
    return [fade({ ...blend, shown: range }, background, resetTimestamps(trimmed, rate), direction, span)];
  };
  const turn = share * frames;
  // a frame in the middle of which the color is reached shows it plainly
  const middle = Math.ceil(turn - 0.5);
  return concat(
    [
      ...half({ start: 0, end: middle }, blend.from, "out", { start: 0, end: turn }),
      ...half({ start: middle, end: frames }, blend.to, "in", { start: turn, end: frames }),
    ],
    rate,
  );
}

/** The strongest blur, as a share of the shorter side. */
const blurShare = 0.045;

const mixed = [0.35, 0.65] as const;

/** The old video blurs, becomes the new one, and that gets sharp. */
export function blurThrough(blend: Blend): Video {
  const { from, to, canvas, rate } = blend;
  const most = blurShare * Math.min(canvas.width, canvas.height);
  const sigmaAt = (distance: number) => most * Math.min(1, distance / 0.5) ** 2;
  const leaving = atEachFrame(blend, (progress) => (progress < mixed[1] ? sigmaAt(progress) : 0));
  const coming = atEachFrame(blend, (progress) => (progress > mixed[0] ? sigmaAt(1 - progress) : 0));
  return fadeDuring(blend, blurFrames(from, leaving, canvas, rate), blurFrames(to, coming, canvas, rate), mixed);
}
