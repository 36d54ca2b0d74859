import { bitmapAt, type DrawnOverlay } from "../compiler/video/overlays.ts";
import { type FrameRange, isInside } from "../timeline/time.ts";
import {
  type OverlayBitmaps,
  type OverlayOptions,
  overlayFiles,
  type RenderFootage,
  type RenderGround,
  type Surroundings,
  type WantedBitmaps,
} from "./files.ts";
import type { Piece, Pieces } from "./pieces.ts";

type DrawOptions = {
  readonly signal: AbortSignal;
  readonly renderGround: RenderGround;
  readonly renderFootage: RenderFootage;
};

type FrameOptions = OverlayOptions & DrawOptions & { readonly frames: readonly number[] };

/** Draws only the bitmaps that some frames show, in paint order. */
export async function drawOverlays(
  pieces: Pieces,
  { frames, signal, renderGround, renderFootage, ...options }: FrameOptions,
): Promise<readonly DrawnOverlay[]> {
  const { want, bitmapsOf } = overlayFiles(options);
  const visible = pieces.all.filter(({ range }) => frames.some((frame) => isInside(frame, range)));
  const wanted = visible.map((piece) => want(piece, (starts) => numbersOn(frames, piece, starts)));
  return await drawInOrder(wanted, { renderGround, renderFootage }, (each, around) => bitmapsOf(each, signal, around));
}

function numbersOn(frames: readonly number[], { range }: Piece, starts: readonly number[]): readonly number[] {
  const visibleFrames = frames.filter((frame) => isInside(frame, range));
  return [...new Set(visibleFrames.map((frame) => bitmapAt({ range, starts }, frame)))];
}

export type SegmentOverlays = {
  /** Draws the overlays that a segment shows, in paint order. */
  draw(segment: FrameRange, options: DrawOptions): Promise<readonly DrawnOverlay[]>;
  /** Call it once per segment, after its last `draw`: it deletes the files that no other segment shows. */
  release(segment: FrameRange): Promise<void>;
};

export function segmentOverlays(
  pieces: Pieces,
  segments: readonly FrameRange[],
  options: OverlayOptions,
): SegmentOverlays {
  const { want, bitmapsOf, remove } = overlayFiles(options);
  const known = new Map<Piece, WantedBitmaps>();
  const wanted = (piece: Piece): WantedBitmaps => {
    const each = known.get(piece) ?? want(piece, allNumbers);
    known.set(piece, each);
    return each;
  };
  const shownIn = (segment: FrameRange) => pieces.in(segment).map(wanted);
  const keysIn = (segment: FrameRange) => new Set(shownIn(segment).map(({ key }) => key));
  /** The number of unreleased segments, by key. */
  const uses = new Map<string, number>();
  for (const key of segments.flatMap((segment) => [...keysIn(segment)])) uses.set(key, (uses.get(key) ?? 0) + 1);

  return {
    draw: (segment, { signal, ...renderers }) =>
      drawInOrder(shownIn(segment), renderers, (each, around) => bitmapsOf(each, signal, around)),

    async release(segment) {
      for (const key of keysIn(segment)) {
        const left = (uses.get(key) ?? 0) - 1;
        uses.set(key, left);
        if (left <= 0) await remove(key);
      }
    },
  };
}

const allNumbers = (starts: readonly number[]): readonly number[] => [...starts.keys()];

/** Draws sequentially, so that a video with many overlays leaves processes to others. Omits invisible ones. */
async function drawInOrder(
  wanted: readonly WantedBitmaps[],
  { renderGround, renderFootage }: Omit<DrawOptions, "signal">,
  draw: (each: WantedBitmaps, around: Surroundings) => Promise<OverlayBitmaps | undefined>,
): Promise<readonly DrawnOverlay[]> {
  const drawn: DrawnOverlay[] = [];
  for (const { piece, starts, numbers, ...each } of wanted) {
    const below = [...drawn];
    const around = { groundOf: (frames: readonly number[]) => renderGround(frames, below), renderFootage };
    const bitmaps = await draw({ piece, starts, numbers, ...each }, around);
    // a file of raw frames holds the wanted ones only
    const shown = bitmaps?.files.kind === "raw" ? numbers.map((number) => starts[number]!) : starts;
    if (bitmaps) drawn.push({ ...bitmaps, range: piece.range, starts: shown });
  }
  return drawn;
}
