import { rm } from "node:fs/promises";
import { bitmapAt, type DrawnOverlay } from "../compiler/video/overlays.ts";
import type { Footage } from "../timeline/overlay.ts";
import { type FrameRange, framesIn, isInside } from "../timeline/time.ts";
import {
  type OverlayBitmaps,
  type OverlayOptions,
  overlayFiles,
  type RenderFootage,
  type RenderGround,
  type Surroundings,
  type WantedBitmaps,
} from "./files.ts";
import { type FootageRequest, joinRequests } from "./footage.ts";
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
  const { want, bitmapsOf, footageFor } = overlayFiles(options);
  const visible = pieces.all.filter(({ range }) => frames.some((frame) => isInside(frame, range)));
  const wanted = visible.map((piece) => want(piece, (starts) => numbersOn(frames, piece, starts)));
  return await drawInOrder(wanted, { renderGround, renderFootage, footageFor }, (each, around) =>
    bitmapsOf(each, signal, around),
  );
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
  const { want, bitmapsOf, footageFor, remove } = overlayFiles(options);
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
      drawInOrder(shownIn(segment), { ...renderers, footageFor }, (each, around) => bitmapsOf(each, signal, around)),

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

type Renderers = Omit<DrawOptions, "signal"> & {
  footageFor(wanted: WantedBitmaps): readonly FootageRequest[];
};

/** Draws sequentially, so that a video with many overlays leaves processes to others. Omits invisible ones. */
async function drawInOrder(
  wanted: readonly WantedBitmaps[],
  { renderGround, renderFootage, footageFor }: Renderers,
  draw: (each: WantedBitmaps, around: Surroundings) => Promise<OverlayBitmaps | undefined>,
): Promise<readonly DrawnOverlay[]> {
  const drawn: DrawnOverlay[] = [];
  const footage = sharedFootage(wanted.flatMap(footageFor), renderFootage);
  try {
    for (const each of wanted) {
      const { piece, starts, numbers } = each;
      const below = [...drawn];
      const groundOf = (frames: readonly number[]) => renderGround(frames, below);
      const bitmaps = await draw(each, { groundOf, footageOf: footage.of });
      const before = drawn.at(-1);
      if (bitmaps && before && isSameVideo(before, bitmaps)) {
        const range = { start: before.range.start, end: piece.range.end };
        drawn[drawn.length - 1] = { ...before, range, starts: [...Array(framesIn(range)).keys()] };
        continue;
      }
      // a file of raw frames holds the wanted ones only
      const shown = bitmaps?.files.kind === "raw" ? numbers.map((number) => starts[number]!) : starts;
      const { range, masks } = piece;
      if (bitmaps) drawn.push({ ...bitmaps, range, starts: shown, ...(masks !== undefined && { masks }) });
    }
  } finally {
    await footage.remove();
  }
  return drawn;
}

/** True for adjacent pieces of a video: decoding it once costs less than seeking in it for each. */
const isSameVideo = ({ files: one }: OverlayBitmaps, { files: other }: OverlayBitmaps): boolean =>
  one.kind === "video" && other.kind === "video" && one.video === other.video;

/** Renders the frames of videos on their first use, for all pieces that show them. */
function sharedFootage(requests: readonly FootageRequest[], render: RenderFootage) {
  const joined = joinRequests(requests);
  const rendered = new Map<FootageRequest, Footage>();
  const isPart = (request: FootageRequest, whole: FootageRequest): boolean => {
    if (whole.key !== request.key || whole.size.width !== request.size.width) return false;
    const times = new Set(whole.times);
    return whole.size.height === request.size.height && request.times.every((time) => times.has(time));
  };
  return {
    async of(own: readonly FootageRequest[]): Promise<readonly Footage[]> {
      const found: Footage[] = [];
      for (const request of own) {
        const whole = joined.find((each) => isPart(request, each)) ?? request;
        const known = rendered.get(whole) ?? (await render(whole));
        rendered.set(whole, known);
        found.push(known);
      }
      return found;
    },
    async remove(): Promise<void> {
      for (const { path } of rendered.values()) await rm(path, { force: true });
    },
  };
}
