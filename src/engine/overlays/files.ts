import { rm } from "node:fs/promises";
import { join } from "node:path";
import { invalid } from "../../errors.ts";
import { sum } from "../../platform/values.ts";
import type { DrawnOverlay } from "../compiler/video/overlays.ts";
import type { DrawnState, Footage, Overlay } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import { type FrameRate, framesIn } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { bitmapStarts } from "./animation.ts";
import { pieceFingerprint } from "./fingerprint.ts";
import { type FootageRequest, footageRequests } from "./footage.ts";
import type { Piece, PlainPiece, StatesPiece } from "./pieces.ts";

/** The position of an overlay's bitmaps on the canvas. */
export type OverlayLayout = Pick<DrawnOverlay, "box">;

export type OverlayBitmaps = Pick<DrawnOverlay, "box" | "files">;

/** Captions have many bitmaps that are read once: compressing one would take longer than drawing it. */
const extensionOf = ({ kind }: Overlay["content"]): string => (kind === "caption" ? "pam" : "png");

export const bitmapPath = (pathPrefix: string, number: number | "%d", content: Overlay["content"]): string =>
  `${pathPrefix}-${number}.${extensionOf(content)}`;

type BitmapsToDraw = {
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  readonly numbers: readonly number[];
  readonly pathPrefix: string;
  readonly signal: AbortSignal;
};

type StatesToDraw = {
  readonly canvas: Canvas;
  readonly output: string;
  readonly format: "png" | "raw";
  /** Raw RGBA frames of the canvas, one for each state, that the layer is blended with. */
  readonly ground?: string | undefined;
  readonly footage: readonly Footage[];
  readonly signal: AbortSignal;
};

/** Renders frames of a video. */
export type RenderFootage = (request: FootageRequest) => Promise<Footage>;

/** Renders what lies below a layer on some frames, and returns the path of its raw RGBA frames. */
export type RenderGround = (frames: readonly number[], below: readonly DrawnOverlay[]) => Promise<string>;

/** Both functions that draw files return undefined if nothing is visible. */
export type OverlayDrawer = {
  /** The local file of a source. */
  pathOf(source: Source): string;
  /** Draws the bitmaps `numbers` of an overlay without motion at `bitmapPath`. */
  overlay(overlay: Overlay, bitmaps: BitmapsToDraw): Promise<OverlayLayout | undefined>;
  /** Draws looks into one file: one as PNG, or frames of raw pixels. */
  states(states: readonly (DrawnState | undefined)[], to: StatesToDraw): Promise<OverlayLayout | undefined>;
};

/** The disk space of a job's bitmaps, in bytes. */
export type ByteBudget = { readonly maxBytes: number; usedBytes: number };

/** Without a limit, 500 overlays of 59 MB per bitmap fill the disk. */
export const byteBudget = (maxBytes = 2 * 2 ** 30): ByteBudget => ({ maxBytes, usedBytes: 0 });

export type OverlayOptions = {
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  /** See `overlayFingerprint`. */
  readonly textEngine: string;
  /** The folder for the files. */
  readonly folder: string;
  readonly budget: ByteBudget;
  readonly draw: OverlayDrawer;
};

/** Bitmaps of a piece to be drawn. Equal ones have equal keys. */
export type WantedBitmaps = {
  readonly piece: Piece;
  /** See `DrawnOverlay`; of all bitmaps of the piece. */
  readonly starts: readonly number[];
  readonly numbers: readonly number[];
  readonly key: string;
};

type DrawnFiles = { readonly bitmaps: Promise<OverlayBitmaps | undefined>; readonly paths: readonly string[] };

/** What ffmpeg renders for a piece before it is drawn. */
export type Surroundings = {
  /** Renders the frames below the piece. */
  groundOf(frames: readonly number[]): Promise<string>;
  /** The frames of the videos that the piece shows. */
  footageOf(requests: readonly FootageRequest[]): Promise<readonly Footage[]>;
};

/** Draws bitmaps on their first use. Equal ones share their files. */
export function overlayFiles({ folder, budget, draw, textEngine, ...video }: OverlayOptions) {
  const drawn = new Map<string, DrawnFiles>();
  const ids = new WeakMap<Piece, number>();
  let count = 0;

  const keyOf = (piece: Piece, numbers: readonly number[]): string => {
    // these are shown once
    if (piece.kind === "plain" || piece.kind === "still")
      return JSON.stringify([pieceFingerprint(piece, { ...video, textEngine }), numbers]);
    const id = ids.get(piece) ?? count++;
    ids.set(piece, id);
    return JSON.stringify([id, numbers]);
  };

  const drawPlain = ({ overlay }: PlainPiece, numbers: readonly number[], signal: AbortSignal): DrawnFiles => {
    const { content } = overlay;
    const pathPrefix = join(folder, `overlay-${count++}`);
    const paths = numbers.map((number) => bitmapPath(pathPrefix, number, content));
    const drawing = async (): Promise<OverlayBitmaps | undefined> => {
      requireBudget(content.kind, budget);
      const layout = await draw.overlay(overlay, { ...video, numbers, pathPrefix, signal });
      budget.usedBytes += totalBytes(paths);
      requireBudget(content.kind, budget);
      const pattern = bitmapPath(pathPrefix.replaceAll("%", "%%"), "%d", content);
      return layout && { ...layout, files: { kind: "numbered", pattern } };
    };
    return { bitmaps: drawing(), paths };
  };

  const drawStates = (
    piece: StatesPiece,
    numbers: readonly number[],
    signal: AbortSignal,
    { groundOf, footageOf }: Surroundings,
  ): DrawnFiles => {
    const isRaw = piece.kind === "moving";
    const path = join(folder, `overlay-${count++}${isRaw ? ".rgba" : "-0.png"}`);
    const drawing = async (): Promise<OverlayBitmaps | undefined> => {
      const states = piece.states();
      const shown = numbers.map((number) => states[number]);
      if (!shown.some(Boolean)) return undefined;
      const ground = piece.isBlended ? await groundOf(numbers.map((number) => piece.range.start + number)) : undefined;
      const footage = await footageOf(footageRequests(shown, video.canvas));
      const to = {
        canvas: video.canvas,
        output: path,
        format: isRaw ? "raw" : "png",
        ground,
        footage,
        signal,
      } as const;
      const layout = await draw.states(shown, to);
      if (ground !== undefined) await rm(ground, { force: true });
      const pattern = path.replaceAll("%", "%%").replace(/-0\.png$/, "-%d.png");
      return layout && { ...layout, files: isRaw ? { kind: "raw", path } : { kind: "numbered", pattern } };
    };
    return { bitmaps: drawing(), paths: [path] };
  };

  return {
    /** `numbersFor` chooses bitmaps by the frames on which they appear. */
    want(piece: Piece, numbersFor: (starts: readonly number[]) => readonly number[]): WantedBitmaps {
      const starts = startsOf(piece, video);
      const numbers = numbersFor(starts);
      return { piece, starts, numbers, key: keyOf(piece, numbers) };
    },

    /** The frames of videos that bitmaps need which are not drawn yet. */
    footageFor({ piece, numbers, key }: WantedBitmaps): readonly FootageRequest[] {
      if (piece.kind === "plain" || piece.kind === "video" || drawn.has(key)) return [];
      const states = piece.states();
      return footageRequests(
        numbers.map((number) => states[number]),
        video.canvas,
      );
    },

    async bitmapsOf(
      { piece, numbers, key }: WantedBitmaps,
      signal: AbortSignal,
      surroundings: Surroundings,
    ): Promise<OverlayBitmaps | undefined> {
      signal.throwIfAborted();
      if (piece.kind === "video") {
        const { box, video } = piece;
        return { box, files: { kind: "video", path: draw.pathOf(video.source), video } };
      }
      const make = () =>
        piece.kind === "plain" ? drawPlain(piece, numbers, signal) : drawStates(piece, numbers, signal, surroundings);
      const files = drawn.get(key) ?? make();
      drawn.set(key, files);
      return await files.bitmaps;
    },

    async remove(key: string): Promise<void> {
      const { paths } = drawn.get(key) ?? { paths: [] };
      drawn.delete(key);
      if (paths.some((path) => !path.endsWith(".rgba"))) budget.usedBytes -= totalBytes(paths);
      for (const path of paths) await rm(path, { force: true });
    },
  };
}

function startsOf(piece: Piece, { rate, canvas }: Pick<OverlayOptions, "rate" | "canvas">): readonly number[] {
  if (piece.kind === "plain") return bitmapStarts(piece.overlay, rate, canvas.height);
  return piece.kind === "still" ? [0] : [...Array(framesIn(piece.range)).keys()];
}

/** Missing files count as 0 bytes: invisible overlays are not drawn. */
const totalBytes = (paths: readonly string[]): number => sum(paths.map((path) => Bun.file(path).size));

function requireBudget(kind: Overlay["content"]["kind"], { usedBytes, maxBytes }: ByteBudget): void {
  if (usedBytes <= maxBytes) return;
  const limit = `${Number((maxBytes / 2 ** 30).toFixed(1))} GiB`;
  throw invalid(
    `${kind}s`,
    `The bitmaps of the ${kind}s need more than ${limit} at one time: show fewer or smaller ones together.`,
  );
}
