import { type FrameRange, type FrameRate, framesIn, intersection, toSeconds } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { extractPlane, format, solidColor } from "../filters/color.ts";
import { paintOver, scale, setSquarePixels } from "../filters/geometry.ts";
import { mapGray } from "../filters/mask.ts";
import { setFrames, trim } from "../filters/time.ts";
import { input, type Video } from "../graph/graph.ts";
import { printNumber, printRate } from "../graph/print.ts";
import { openFile, openPixels } from "../sources.ts";

/** An overlay as bitmaps: RGBA images of one even size, painted at one even position. */
export type DrawnOverlay = {
  readonly files: BitmapFiles;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Frames of the timeline. */
  readonly range: FrameRange;
  /** The frame on which each bitmap appears, counted from the start of the range: the first is 0, later ones follow. */
  readonly starts: readonly number[];
  /** The name of a mask of clips, which is not painted. */
  readonly masks?: string | undefined;
};

/** Bitmaps are counted from 0. */
export type BitmapFiles =
  /** One file each: a path with `%d` for the number. Percent signs of the path itself are doubled. */
  | { readonly kind: "numbered"; readonly pattern: string }
  /** All in one file, as raw pixels one after another. */
  | { readonly kind: "raw"; readonly path: string };

/** The part of an overlay that a segment shows. */
type VisibleOverlay = {
  readonly overlay: DrawnOverlay;
  readonly frames: FrameRange;
  readonly firstBitmap: number;
  /** The frame of the timeline on which each visible bitmap appears. */
  readonly appearances: readonly number[];
};

/** The overlays that are visible in `range`, bottom first. */
export const overlaysIn = (overlays: readonly DrawnOverlay[], range: FrameRange): readonly VisibleOverlay[] =>
  overlays.flatMap((overlay) => {
    const frames = intersection(overlay.range, range);
    if (!frames) return [];
    const firstBitmap = bitmapAt(overlay, frames.start);
    const appearances = overlay.starts
      .slice(firstBitmap)
      .map((start) => Math.max(frames.start, overlay.range.start + start))
      .filter((frame) => frame < frames.end);
    return [{ overlay, frames, firstBitmap, appearances }];
  });

/** The number of the bitmap that an overlay shows on a frame of the timeline. */
export const bitmapAt = ({ range, starts }: Pick<DrawnOverlay, "range" | "starts">, frame: number): number =>
  starts.findLastIndex((start) => start <= frame - range.start);

export function overlayArgs({ overlay, firstBitmap }: VisibleOverlay, rate: FrameRate): readonly string[] {
  const { files, box } = overlay;
  const framerate = ["-framerate", printRate(rate)];
  if (files.kind === "raw") return openPixels(files.path, box, ["-threads", "1", ...framerate]);
  return openFile(files.pattern, "image2", [
    ...["-threads", "1", "-f", "image2", ...framerate, "-start_number", `${firstBitmap}`],
  ]);
}

type SegmentTiming = { readonly range: FrameRange; readonly rate: FrameRate };

/** Paints overlays over a segment's video. Their inputs start at index `firstInput`. */
export const drawOverlays = (
  video: Video,
  visible: readonly VisibleOverlay[],
  firstInput: number,
  segment: SegmentTiming,
): Video =>
  visible.reduce(
    (below, each, index) =>
      each.overlay.masks === undefined ? drawOverlay(below, each, firstInput + index, segment) : below,
    video,
  );

/** An overlay that masks clips, with the input of its bitmaps. */
type MaskInput = { readonly overlay: DrawnOverlay; readonly inputIndex: number };

/** The masks of clips in a command's overlays, whose inputs start at index `firstInput`. */
export const masksIn = (visible: readonly VisibleOverlay[], firstInput: number): readonly MaskInput[] =>
  visible.flatMap(({ overlay }, index) =>
    overlay.masks === undefined ? [] : [{ overlay, inputIndex: firstInput + index }],
  );

/** The alpha of masks as gray frames of the canvas's size; where none is visible, it is black. */
export function drawMask(masks: readonly MaskInput[], canvas: Canvas, segment: SegmentTiming): Video {
  const black = solidColor("black", canvas, segment.rate, framesIn(segment.range));
  const painted = masks.reduce((below, { overlay, inputIndex }) => {
    const [visible] = overlaysIn([overlay], segment.range);
    return visible ? drawOverlay(below, visible, inputIndex, segment) : below;
  }, black);
  // the bitmaps are white
  return mapGray(extractPlane(painted, "y"), "clip((val-16)*255/219,0,255)");
}

function drawOverlay(below: Video, visible: VisibleOverlay, inputIndex: number, { range, rate }: SegmentTiming): Video {
  const { overlay, frames, appearances, firstBitmap } = visible;
  const { x, y, ...size } = overlay.box;
  const first = overlay.files.kind === "raw" ? firstBitmap : 0;
  const bitmaps = trim(input("video", inputIndex), { start: first, end: first + appearances.length });
  const colored = format(scale(bitmaps, size, { toRec709: true }), "yuva420p");
  // the overlay filter shows each until the next one
  const timed = setFrames(
    setSquarePixels(colored),
    rate,
    appearances.map((frame) => frame - range.start),
  );
  const enable = isBetween(frames.start - range.start, frames.end - range.start, rate);
  return paintOver(below, timed, { x, y }, { enable });
}

/** True on the frames from `start` to before `end`. The limits lie half a frame off, where rounding has no effect. */
const isBetween = (start: number, end: number, rate: FrameRate): string => {
  const limit = (frame: number) => printNumber(toSeconds(frame - 0.5, rate));
  return `between(t,${limit(start)},${limit(end)})`;
};
