import { type FrameRange, type FrameRate, framesIn, intersection, toSeconds } from "../../timeline/time.ts";
import { format } from "../filters/color.ts";
import { paintOver, scale, setSquarePixels } from "../filters/geometry.ts";
import { concat, loopFirstFrame, resetTimestamps, trim } from "../filters/time.ts";
import { input, type Video } from "../graph/graph.ts";
import { printNumber, printRate } from "../graph/print.ts";
import { openFile } from "../sources.ts";

/**
 * An overlay as bitmaps: numbered RGBA PNG files of one even size, painted at one even position.
 * Bitmaps 0..intro-1 play once, bitmap `intro` holds, and the `outro` bitmaps after it end the overlay.
 */
export type DrawnOverlay = {
  /** Path of the files with `%d` for their number, counted from 0. Percent signs of the path itself are doubled. */
  readonly pattern: string;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Frames of the timeline; at least intro + 1 + outro of them. */
  readonly range: FrameRange;
  readonly intro: number;
  readonly outro: number;
};

/** The part of an overlay that a segment shows. */
type VisibleOverlay = {
  readonly overlay: DrawnOverlay;
  readonly frames: FrameRange;
  readonly firstBitmap: number;
  readonly holdFrames: number;
};

/** The overlays that are visible in `range`, bottom first. */
export const overlaysIn = (overlays: readonly DrawnOverlay[], range: FrameRange): readonly VisibleOverlay[] =>
  overlays.flatMap((overlay) => {
    const frames = intersection(overlay.range, range);
    if (!frames) return [];
    const { start, end } = overlay.range;
    const hold = intersection({ start: start + overlay.intro, end: end - overlay.outro }, frames);
    const firstBitmap = bitmapAt(overlay, frames.start);
    return [{ overlay, frames, firstBitmap, holdFrames: hold ? framesIn(hold) : 0 }];
  });

/** The number of the bitmap that an overlay shows on a frame of the timeline. */
export function bitmapAt({ range, intro, outro }: Pick<DrawnOverlay, "range" | "intro" | "outro">, frame: number) {
  const outroStart = range.end - outro;
  if (frame >= outroStart) return intro + 1 + frame - outroStart;
  return Math.min(frame - range.start, intro);
}

export const overlayArgs = ({ overlay, firstBitmap }: VisibleOverlay, rate: FrameRate): readonly string[] =>
  openFile(overlay.pattern, "image2", [
    ...["-threads", "1", "-f", "image2", "-framerate", printRate(rate), "-start_number", `${firstBitmap}`],
  ]);

type SegmentTiming = { readonly range: FrameRange; readonly rate: FrameRate };

/** Paints overlays over a segment's video. Their inputs start at index `firstInput`. */
export const drawOverlays = (
  video: Video,
  visible: readonly VisibleOverlay[],
  firstInput: number,
  segment: SegmentTiming,
): Video => visible.reduce((below, each, index) => drawOverlay(below, each, firstInput + index, segment), video);

function drawOverlay(below: Video, visible: VisibleOverlay, inputIndex: number, { range, rate }: SegmentTiming): Video {
  const { overlay, frames } = visible;
  const { x, y, ...size } = overlay.box;
  const bitmaps = format(scale(input("video", inputIndex), size, { toRec709: true }), "yuva420p");
  const first = frames.start - range.start;
  const played = playBitmaps(resetTimestamps(setSquarePixels(bitmaps), rate), visible, rate);
  const enable = isBetween(first, frames.end - range.start, rate);
  return paintOver(below, resetTimestamps(played, rate, first), { x, y }, { enable });
}

/** One bitmap per frame; the held one repeats. */
function playBitmaps(bitmaps: Video, visible: VisibleOverlay, rate: FrameRate): Video {
  const { overlay, frames, firstBitmap, holdFrames } = visible;
  const count = framesIn(frames);
  if (holdFrames <= 1) return trim(bitmaps, { start: 0, end: count });

  const intro = Math.max(0, overlay.intro - firstBitmap);
  const outro = count - intro - holdFrames;
  const play = (start: number, length: number) => resetTimestamps(trim(bitmaps, { start, end: start + length }), rate);
  // loop's option `start` is not used, because it counts from 1
  const held = resetTimestamps(trim(loopFirstFrame(play(intro, 1)), { start: 0, end: holdFrames }), rate);
  return concat([...(intro > 0 ? [play(0, intro)] : []), held, ...(outro > 0 ? [play(intro + 1, outro)] : [])], rate);
}

/** True on the frames from `start` to before `end`. The limits lie half a frame off, where rounding has no effect. */
const isBetween = (start: number, end: number, rate: FrameRate): string => {
  const limit = (frame: number) => printNumber(toSeconds(frame - 0.5, rate));
  return `between(t,${limit(start)},${limit(end)})`;
};
