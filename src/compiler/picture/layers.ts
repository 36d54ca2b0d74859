import { type FrameRange, type FrameRate, framesIn, intersection, toSeconds } from "../../timeline/time.ts";
import { concat, inFormat, looped, numbered, overlaid, scaled, squarePixels, trimmed } from "../filters/filters.ts";
import { input, type Video } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { openFile } from "../sources.ts";

/**
 * An overlay as bitmaps: numbered RGBA PNG files of one even size, painted at one even place.
 * Pictures 0..intro-1 play once each, picture `intro` holds, the `outro` pictures after it end the overlay.
 */
export type DrawnOverlay = {
  /** Path of the files with `%d` for their number, counted from 0; a percent sign of its own is doubled. */
  readonly pattern: string;
  /** SHA-256 of all those files, hex. */
  readonly hash: string;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Frames of the timeline; at least intro + 1 + outro of them. */
  readonly range: FrameRange;
  readonly intro: number;
  readonly outro: number;
};

/** What a segment shows of an overlay: from which picture on, and how often the held one. */
type Shown = {
  readonly overlay: DrawnOverlay;
  readonly frames: FrameRange;
  readonly firstPicture: number;
  readonly heldTimes: number;
};

/** The overlays seen on the frames of `range`, bottom first. */
export const shownOverlays = (overlays: readonly DrawnOverlay[], range: FrameRange): readonly Shown[] =>
  overlays.flatMap((overlay) => {
    const frames = intersection(overlay.range, range);
    if (!frames) return [];
    const { start, end } = overlay.range;
    const hold = { start: start + overlay.intro, end: end - overlay.outro };
    const held = intersection(hold, frames);
    return [{ overlay, frames, firstPicture: pictureAt(overlay, frames.start), heldTimes: held ? framesIn(held) : 0 }];
  });

/** Which of its pictures an overlay shows on a frame of the timeline. */
export function pictureAt({ range, intro, outro }: Pick<DrawnOverlay, "range" | "intro" | "outro">, frame: number) {
  const outroStart = range.end - outro;
  if (frame >= outroStart) return intro + 1 + frame - outroStart;
  return Math.min(frame - range.start, intro);
}

export const overlayArgs = ({ overlay, firstPicture }: Shown, { num, den }: FrameRate): readonly string[] =>
  openFile(overlay.pattern, "image2", [
    ...["-threads", "1", "-f", "image2", "-framerate", `${num}/${den}`, "-start_number", `${firstPicture}`],
  ]);

type Segment = { readonly range: FrameRange; readonly rate: FrameRate };

/** Paints overlays over a segment's picture; their inputs count from `firstInput`. */
export const drawOverlays = (picture: Video, shown: readonly Shown[], firstInput: number, segment: Segment): Video =>
  shown.reduce((below, each, index) => drawOverlay(below, each, firstInput + index, segment), picture);

function drawOverlay(below: Video, shown: Shown, inputIndex: number, { range, rate }: Segment): Video {
  const { overlay, frames } = shown;
  const { x, y, ...size } = overlay.box;
  const bitmaps = inFormat(scaled(input("video", inputIndex), size, { toRec709: true }), "yuva420p");
  const first = frames.start - range.start;
  const placed = numbered(played(numbered(squarePixels(bitmaps), rate), shown, rate), rate, first);
  return overlaid(below, placed, { x, y }, { enable: between(first, frames.end - range.start, rate) });
}

/** The bitmaps one a frame, and the held one for as long as it is held. */
function played(bitmaps: Video, { overlay, frames, firstPicture, heldTimes }: Shown, rate: FrameRate): Video {
  const count = framesIn(frames);
  if (heldTimes <= 1) return trimmed(bitmaps, { start: 0, end: count });

  const lead = Math.max(0, overlay.intro - firstPicture);
  const tail = count - lead - heldTimes;
  const piece = (start: number, length: number) => numbered(trimmed(bitmaps, { start, end: start + length }), rate);
  // not by loop's own start: that counts from one
  const held = numbered(trimmed(looped(piece(lead, 1)), { start: 0, end: heldTimes }), rate);
  return concat([...(lead > 0 ? [piece(0, lead)] : []), held, ...(tail > 0 ? [piece(lead + 1, tail)] : [])], rate);
}

/** True on the frames from `start` to before `end`, asked half a frame beside each so that no rounding matters. */
const between = (start: number, end: number, rate: FrameRate): string => {
  const edge = (frame: number) => printNumber(toSeconds(frame - 0.5, rate));
  return `between(t,${edge(start)},${edge(end)})`;
};
