import type { ChromaKey } from "../../timeline/overlay.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRange, type FrameRate, framesIn, intersection, toSeconds } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { Clip } from "../../timeline/track.ts";
import { extractPlane, format, solidColor } from "../filters/color.ts";
import { crop, type Point, paintOver, type Size, scale, setSquarePixels } from "../filters/geometry.ts";
import { applyMask, extractAlpha, keyColor, mapGray, multiplyGray } from "../filters/mask.ts";
import { loopFirstFrame, resetTimestamps, setFrames, trim } from "../filters/time.ts";
import { input, type Video } from "../graph/graph.ts";
import { printNumber, printRate } from "../graph/print.ts";
import { openFile, openMedia, openPixels } from "../sources.ts";
import { drawPart } from "./clip.ts";
import { toClipFrames, videoArgs } from "./clip-use.ts";

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
  | { readonly kind: "raw"; readonly path: string }
  /** Frames of a video file. */
  | { readonly kind: "video"; readonly path: string; readonly video: OverlayVideo };

/** A video that is decoded while it is painted. */
export type OverlayVideo = {
  readonly source: Source;
  /** The frames of the timeline that it plays for, the second of the source that the first one shows, and its speed. */
  readonly range: FrameRange;
  readonly startSeconds: number;
  readonly speed: number;
  /** The size of the whole picture, and the position of the overlay's box in it: even numbers. */
  readonly size: Size;
  readonly at: Point;
  readonly chromaKey?: ChromaKey | undefined;
  /** The name of the overlay whose alpha is that of the video. */
  readonly mask?: string | undefined;
};

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

type InputOptions = { readonly rate: FrameRate; readonly threads: number };

export function overlayArgs(visible: VisibleOverlay, { rate, threads }: InputOptions): readonly string[] {
  const { overlay, firstBitmap } = visible;
  const { files, box } = overlay;
  if (files.kind === "video") {
    const { facts } = files.video.source;
    return openMedia(files.path, facts, videoArgs(videoUse(files.video, visible, 0), rate, threads));
  }
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
  visible.reduce((below, each, index) => {
    if (each.overlay.masks !== undefined) return below;
    const { files } = each.overlay;
    if (files.kind !== "video") return drawOverlay(below, each, firstInput + index, segment);
    const { mask } = files.video;
    const found = visible.findIndex(({ overlay }) => mask !== undefined && overlay.masks === mask);
    // a mask without visible pixels is not drawn
    if (mask !== undefined && found < 0) return below;
    const masked = found < 0 ? undefined : maskFrames(visible[found]!, firstInput + found, each, segment.rate);
    return drawVideo(below, { files, visible: each, inputIndex: firstInput + index, mask: masked }, segment);
  }, video);

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

/** An overlay's video as a clip. */
function videoUse(
  { source, range, startSeconds, speed }: OverlayVideo,
  { frames }: VisibleOverlay,
  inputIndex: number,
) {
  const cut = { kind: "cut", frames: 0 } as const;
  const clip: Clip = {
    source,
    range,
    sourceStartSeconds: startSeconds,
    speed,
    volume: 0,
    fit: "cover",
    transition: cut,
  };
  return { clip, inputIndex, frames: toClipFrames(clip, frames) };
}

/** The alpha of a bitmap in the box of a video, for each of its frames. */
function maskFrames(
  mask: VisibleOverlay,
  inputIndex: number,
  { overlay, appearances }: VisibleOverlay,
  rate: FrameRate,
) {
  const { box } = overlay;
  const inMask = { x: box.x - mask.overlay.box.x, y: box.y - mask.overlay.box.y };
  const alpha = crop(extractAlpha(input("video", inputIndex)), box, inMask);
  return resetTimestamps(trim(loopFirstFrame(alpha), { start: 0, end: appearances.length }), rate);
}

type VideoToDraw = {
  readonly files: Extract<BitmapFiles, { kind: "video" }>;
  readonly visible: VisibleOverlay;
  readonly inputIndex: number;
  readonly mask: Video | undefined;
};

function drawVideo(
  below: Video,
  { files, visible, inputIndex, mask }: VideoToDraw,
  { range, rate }: SegmentTiming,
): Video {
  const { overlay, frames } = visible;
  const { x, y, ...shown } = overlay.box;
  const { size, at, chromaKey } = files.video;
  const drawn = drawPart(videoUse(files.video, visible, inputIndex), rate, size, { ...shown, ...at });
  const keyed = chromaKey ? keyColor(drawn, chromaKey) : drawn;
  const alpha = mask && chromaKey ? multiplyGray(resetTimestamps(extractAlpha(keyed), rate), mask) : mask;
  const masked = alpha ? applyMask(resetTimestamps(keyed, rate), alpha) : keyed;
  const timed = resetTimestamps(setSquarePixels(masked), rate, frames.start - range.start);
  return paintOver(
    below,
    timed,
    { x, y },
    { enable: isBetween(frames.start - range.start, frames.end - range.start, rate) },
  );
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
