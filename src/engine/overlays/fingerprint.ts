import { sha256Of } from "../../platform/values.ts";
import type { DrawnOverlay } from "../compiler/video/overlays.ts";
import type { CaptionState, Overlay } from "../timeline/overlay.ts";
import { type FrameRate, framesIn } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { bitmapStarts, motionOf } from "./animation.ts";
import type { Piece } from "./pieces.ts";

type Video = { readonly canvas: Canvas; readonly rate: FrameRate; readonly textEngine: string };

/** A piece for a cache key, with a fingerprint in place of a file's path, so that nothing has to be drawn. */
export function describePiece(piece: Piece, video: Video): DrawnOverlay {
  const { masks } = piece;
  const shared = {
    ...{ range: piece.range, box: { x: 0, y: 0, ...video.canvas } },
    ...(masks !== undefined && { masks }),
  };
  const fingerprint = pieceFingerprint(piece, video);
  if (piece.kind === "moving" || piece.kind === "video") {
    return { ...shared, files: { kind: "raw", path: fingerprint }, starts: [...Array(framesIn(piece.range)).keys()] };
  }
  const starts = piece.kind === "plain" ? bitmapStarts(piece.overlay, video.rate, video.canvas.height) : [0];
  return { ...shared, files: { kind: "numbered", pattern: fingerprint }, starts };
}

/** Hashes everything that determines the bitmaps of a piece on a canvas of one size. */
export function pieceFingerprint(piece: Piece, { canvas, rate, textEngine }: Video): string {
  if (piece.kind === "plain") return overlayFingerprint(piece.overlay, canvas, rate, textEngine);
  return sha256Of(describe([textEngine, ...(piece.kind === "video" ? [piece.kind] : []), ...piece.states()]));
}

/**
 * Hashes everything that determines the bitmaps of an overlay on a canvas of one size. Images and project fonts count
 * by their content hash, because the same content may be stored as several files. The times of a caption's bitmaps do
 * not change them. `textEngine` identifies everything else that determines the pixels of a text.
 */
export function overlayFingerprint(overlay: Overlay, canvas: Canvas, rate: FrameRate, textEngine: string): string {
  const { content, opacity, rotationDegrees, within } = overlay;
  const motion = motionOf(overlay, rate, canvas.height);
  const pixels = content.kind === "caption" ? { ...content, states: content.states.map(withoutStart) } : content;
  return sha256Of(describe([textEngine, pixels, opacity, rotationDegrees, within, motion]));
}

const describe = (content: readonly unknown[]): string =>
  JSON.stringify(content, (key, value) => (key === "file" || key === "sizeBytes" ? undefined : value));

const withoutStart = ({ start: _, ...state }: CaptionState): Omit<CaptionState, "start"> => state;
