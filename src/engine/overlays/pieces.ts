import { sum } from "../../platform/values.ts";
import type { OverlayVideo } from "../compiler/video/overlays.ts";
import { runsOf } from "../motion/runs.ts";
import { stateOn } from "../motion/state.ts";
import { estimatedBox } from "../timeline/estimate.ts";
import type { Box, DrawnState, ImageContent, Overlay, VideoContent } from "../timeline/overlay.ts";
import { cutSegments } from "../timeline/segments.ts";
import { type FrameRange, framesIn, intersection } from "../timeline/time.ts";
import type { Canvas, Timeline } from "../timeline/timeline.ts";
import { standingVideo } from "./standing-video.ts";

/** A part of an overlay's time that is drawn as one. Pieces of a timeline are in paint order. */
export type Piece = PlainPiece | StatesPiece | VideoPiece;

/** An overlay without motion or effects. */
export type PlainPiece = {
  readonly kind: "plain";
  readonly range: FrameRange;
  readonly overlay: Overlay;
  readonly masks?: undefined;
};

/**
 * The looks of an overlay: one for the whole range, or one for each of its frames. A moving piece lies within one
 * segment, so that a segment depends on what it shows alone.
 */
export type StatesPiece = {
  readonly kind: "still" | "moving";
  readonly range: FrameRange;
  /** True if its pixels depend on what lies below: then it is drawn frame by frame, over that. */
  readonly isBlended: boolean;
  /** A rough number of the pixels of one bitmap. */
  readonly pixels: number;
  readonly masks?: Overlay["masks"];
  /** Undefined on frames that show nothing. */
  states(): readonly (DrawnState | undefined)[];
};

/** A video that stands still, within one segment: ffmpeg paints its frames, and nothing is drawn. */
export type VideoPiece = Pick<StatesPiece, "range" | "states"> & {
  readonly kind: "video";
  readonly box: Box;
  readonly video: OverlayVideo;
  readonly masks?: undefined;
};

type PieceTimeline = Pick<Timeline, "overlays" | "rate" | "canvas" | "track">;

export type Pieces = {
  /** In paint order. */
  readonly all: readonly Piece[];
  /** Those that a part of the timeline shows, in paint order. */
  in(range: FrameRange): readonly Piece[];
};

const known = new WeakMap<PieceTimeline, Pieces>();

/** The pieces of all overlays, found once for a timeline. */
export function piecesOf(timeline: PieceTimeline): Pieces {
  const found = known.get(timeline) ?? indexed(findPieces(timeline));
  known.set(timeline, found);
  return found;
}

/** Frames per group of the index: an hour has as many segments as pieces, and comparing all would take seconds. */
const indexFrames = 64;

function indexed(all: readonly Piece[]): Pieces {
  const groups = new Map<number, number[]>();
  for (const [number, { range }] of all.entries()) {
    for (const group of groupsOf(range)) push(groups, group, number);
  }
  const numbersIn = (range: FrameRange) => [...new Set(groupsOf(range).flatMap((group) => groups.get(group) ?? []))];
  return {
    all,
    in: (range) =>
      numbersIn(range)
        .sort((one, other) => one - other)
        .map((number) => all[number]!)
        .filter((piece) => intersection(piece.range, range)),
  };
}

function push(groups: Map<number, number[]>, group: number, number: number): void {
  const numbers = groups.get(group);
  if (numbers) numbers.push(number);
  else groups.set(group, [number]);
}

const groupsOf = ({ start, end }: FrameRange): readonly number[] => {
  const first = Math.floor(start / indexFrames);
  return Array.from({ length: Math.ceil(end / indexFrames) - first }, (_, index) => first + index);
};

/** True for an overlay without motion and effects, which is drawn by its own fields. */
export const isPlain = ({ content, effects, motion, view }: Overlay): boolean =>
  !effects && !motion && !view && isStillContent(content);

type Content = Overlay["content"] | DrawnState["content"];

type Still<C> = Extract<C, { kind: "text" | "caption" }> | (Extract<C, { kind: "image" }> & ImageContent);

const isStillContent = <C extends Content>(content: C): content is C & Still<C> => {
  if (content.kind === "image") return !("plays" in content || "picture" in content);
  return content.kind === "text" || content.kind === "caption";
};

function findPieces(timeline: PieceTimeline): readonly Piece[] {
  const { overlays } = timeline;
  if (overlays.every(isPlain)) return overlays.map(plainPiece);
  const segments = cutSegments(timeline);
  return overlays.flatMap((overlay, index) => {
    if (isPlain(overlay)) return plainPiece(overlay);
    const pieces = piecesOfMoving(overlay, timeline, segments, `video ${index}`);
    const { masks } = overlay;
    return masks === undefined ? pieces : pieces.map((piece) => ({ ...piece, masks }) as Piece);
  });
}

const plainPiece = (overlay: Overlay): PlainPiece => ({ kind: "plain", range: overlay.range, overlay });

/** A file of raw frames has at most this many bytes, or one frame. */
const maxBytes = 256 * 2 ** 20;

const maxFramesOf = ({ width, height }: Canvas): number => Math.max(1, Math.floor(maxBytes / (width * height * 4)));

function piecesOfMoving(
  overlay: Overlay,
  { rate, canvas }: PieceTimeline,
  segments: readonly FrameRange[],
  maskName: string,
): readonly Piece[] {
  const stateAt = (frame: number) => stateOn(captionFrom(overlay, frame), frame, rate);
  const statesOf = (range: FrameRange) =>
    Array.from({ length: framesIn(range) }, (_, index) => stateAt(range.start + index));
  const maxFrames = maxFramesOf(canvas);
  const pixels = roughPixels(overlay, canvas);
  const isBlended = (overlay.effects?.blend ?? "normal") !== "normal";
  const partsOf = (range: FrameRange) =>
    segments.flatMap((segment) => splitRange(intersection(range, segment), maxFrames));
  const movingPieces = (range: FrameRange): readonly Piece[] =>
    partsOf(range).map((part) => ({ kind: "moving", range: part, isBlended, pixels, states: () => statesOf(part) }));
  if (isBlended) return movingPieces(overlay.range);
  const { content } = overlay;
  if (content.kind !== "video" || content.reverses || overlay.motion?.keyframes?.speed || overlay.masks !== undefined) {
    return runsOf(overlay, rate).flatMap(({ isMoving, ...range }) =>
      isMoving ? movingPieces(range) : stillPiece(range, pixels, stateAt(range.start)),
    );
  }
  return runsOf({ ...overlay, content: frameOf(content) }, rate).flatMap(({ isMoving, ...range }, index) => {
    const state = isMoving ? undefined : stateAt(range.start);
    const standing = state && standingVideo(state, canvas);
    if (!standing) return movingPieces(range);
    const { mask, box, ...placed } = standing;
    const name = mask && `${maskName}.${index}`;
    const atOn = (frame: number) => secondShown(stateAt(frame));
    const pieces = (content.repeats ? ascending(range, atOn) : [range]).flatMap((round) => {
      const { source, speed, chromaKey } = content;
      const video = { ...placed, source, speed, chromaKey, mask: name, range: round, startSeconds: atOn(round.start) };
      return partsOf(round).map(
        (part): Piece => ({ kind: "video", range: part, video, box, states: () => statesOf(part) }),
      );
    });
    if (!mask) return pieces;
    return [{ kind: "still", range, isBlended, pixels, masks: name, states: () => [mask] }, ...pieces];
  });
}

/** What stands still where a video is at rest. */
const frameOf = ({ box }: VideoContent): Overlay["content"] => ({ kind: "shape", shape: "rect", box });

const secondShown = (state: DrawnState | undefined): number => (state?.content.kind === "video" ? state.content.at : 0);

/** The parts of a range in which the times of its frames ascend: a video starts again. */
function ascending({ start, end }: FrameRange, timeOn: (frame: number) => number): readonly FrameRange[] {
  const parts: { start: number; end: number }[] = [{ start, end: start + 1 }];
  for (let frame = start + 1; frame < end; frame++) {
    if (timeOn(frame) < timeOn(frame - 1)) parts.push({ start: frame, end: frame + 1 });
    else parts.at(-1)!.end = frame + 1;
  }
  return parts;
}

/** A layer moves through about three times its own area. */
const movingShare = 3;

function roughPixels(overlay: Overlay, { width, height }: Canvas): number {
  const box = estimatedBox(overlay);
  const { scaleX = 1, scaleY = 1 } = overlay.effects ?? {};
  return Math.min(width * height, movingShare * box.width * box.height * Math.max(1, Math.abs(scaleX * scaleY)));
}

/** The bytes of the raw frames that are drawn for a part of the timeline. */
export const rawBytesIn = (pieces: Pieces, range: FrameRange): number =>
  sum(
    pieces
      .in(range)
      .map((piece) => (piece.kind === "moving" ? 4 * piece.pixels * framesIn(intersection(piece.range, range)!) : 0)),
  );

/** A caption with the states from a frame on: the words that are lit change while nothing moves. */
function captionFrom(overlay: Overlay, frame: number): Overlay {
  const { content, range } = overlay;
  if (content.kind !== "caption") return overlay;
  const offset = frame - range.start;
  const current = content.states.findLastIndex(({ start }) => start <= offset);
  const states = content.states.slice(current).map((state) => ({ ...state, start: Math.max(0, state.start - offset) }));
  return { ...overlay, content: { ...content, states } };
}

function splitRange(range: FrameRange | undefined, maxFrames: number): readonly FrameRange[] {
  if (!range) return [];
  const count = Math.ceil(framesIn(range) / maxFrames);
  return Array.from({ length: count }, (_, index) => ({
    start: range.start + index * maxFrames,
    end: Math.min(range.end, range.start + (index + 1) * maxFrames),
  }));
}

/** A look without effects is drawn like an overlay that never had any. */
function stillPiece(range: FrameRange, pixels: number, state: DrawnState | undefined): readonly Piece[] {
  if (!state) return [];
  const { content, effects, moves, view, ...placed } = state;
  if (effects || moves || view || !isStillContent(content))
    return [{ kind: "still", range, isBlended: false, pixels, states: () => [state] }];
  return [plainPiece({ range, content, ...placed, animateIn: "none", animateOut: "none" })];
}
