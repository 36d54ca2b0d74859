import { rm } from "node:fs/promises";
import { join } from "node:path";
import { invalid } from "../../errors.ts";
import { sum } from "../../platform/values.ts";
import type { DrawnOverlay } from "../compiler/video/overlays.ts";
import type { Overlay } from "../timeline/overlay.ts";
import type { FrameRate } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { bitmapStarts } from "./animation.ts";
import { overlayFingerprint } from "./fingerprint.ts";

/** The position of an overlay's bitmaps on the canvas. */
export type OverlayLayout = Pick<DrawnOverlay, "box">;

export type OverlayBitmaps = Pick<DrawnOverlay, "box" | "pattern">;

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

/** Draws the bitmaps `numbers` of an overlay at `bitmapPath`. Undefined if none of it is visible. */
export type DrawOverlay = (overlay: Overlay, bitmaps: BitmapsToDraw) => Promise<OverlayLayout | undefined>;

/** The disk space of a job's bitmaps, in bytes. */
export type ByteBudget = { readonly maxBytes: number; usedBytes: number };

/** Without a limit, 500 overlays of 59 MB per bitmap fill the disk. */
export const byteBudget = (maxBytes = 2 * 2 ** 30): ByteBudget => ({ maxBytes, usedBytes: 0 });

export type OverlayOptions = {
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  /** See `overlayFingerprint`. */
  readonly textEngine: string;
  /** The folder for the PNG files. */
  readonly folder: string;
  readonly budget: ByteBudget;
  readonly draw: DrawOverlay;
};

/** Bitmaps of an overlay to be drawn. Equal ones have equal keys. */
export type WantedBitmaps = {
  readonly overlay: Overlay;
  /** See `DrawnOverlay`. */
  readonly starts: readonly number[];
  readonly numbers: readonly number[];
  readonly key: string;
};

type DrawnFiles = { readonly bitmaps: Promise<OverlayBitmaps | undefined>; readonly paths: readonly string[] };

/** Draws bitmaps on their first use. Equal ones share their files. */
export function overlayFiles({ folder, budget, draw, textEngine, ...video }: OverlayOptions) {
  const drawn = new Map<string, DrawnFiles>();
  let count = 0;

  const drawFiles = ({ overlay, numbers }: WantedBitmaps, signal: AbortSignal): DrawnFiles => {
    const pathPrefix = join(folder, `overlay-${count++}`);
    const paths = numbers.map((number) => bitmapPath(pathPrefix, number, overlay.content));
    const drawing = async () => {
      requireBudget(overlay, budget);
      const layout = await draw(overlay, { ...video, numbers, pathPrefix, signal });
      budget.usedBytes += totalBytes(paths);
      requireBudget(overlay, budget);
      return layout && { ...layout, pattern: bitmapPath(pathPrefix.replaceAll("%", "%%"), "%d", overlay.content) };
    };
    return { bitmaps: drawing(), paths };
  };

  return {
    /** `numbersFor` chooses bitmaps by the frames on which they appear. */
    want(overlay: Overlay, numbersFor: (starts: readonly number[]) => readonly number[]): WantedBitmaps {
      const { canvas, rate } = video;
      const starts = bitmapStarts(overlay, rate, canvas.height);
      const numbers = numbersFor(starts);
      const key = JSON.stringify([overlayFingerprint(overlay, canvas, rate, textEngine), numbers]);
      return { overlay, starts, numbers, key };
    },

    async bitmapsOf(wanted: WantedBitmaps, signal: AbortSignal): Promise<OverlayBitmaps | undefined> {
      signal.throwIfAborted();
      const files = drawn.get(wanted.key) ?? drawFiles(wanted, signal);
      drawn.set(wanted.key, files);
      return await files.bitmaps;
    },

    async remove(key: string): Promise<void> {
      const { paths } = drawn.get(key) ?? { paths: [] };
      drawn.delete(key);
      budget.usedBytes -= totalBytes(paths);
      for (const path of paths) await rm(path, { force: true });
    },
  };
}

/** Missing files count as 0 bytes: invisible overlays are not drawn. */
const totalBytes = (paths: readonly string[]): number => sum(paths.map((path) => Bun.file(path).size));

function requireBudget({ content }: Overlay, { usedBytes, maxBytes }: ByteBudget): void {
  if (usedBytes <= maxBytes) return;
  const limit = `${Number((maxBytes / 2 ** 30).toFixed(1))} GiB`;
  throw invalid(
    `${content.kind}s`,
    `The bitmaps of the ${content.kind}s need more than ${limit} at one time: show fewer or smaller ones together.`,
  );
}
