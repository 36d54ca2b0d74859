import { sha256Of } from "../../platform/values.ts";
import type { Command } from "../compiler/command.ts";
import { compileSegment, type Segment } from "../compiler/compile.ts";
import { compilePalette } from "../compiler/formats.ts";
import { compileFrames } from "../compiler/frames.ts";
import { compileMaster } from "../compiler/sound/mastering.ts";
import { compileProfile } from "../compiler/sound/profile.ts";
import { compileSound, type SoundCodec, soundPath } from "../compiler/sound/sound.ts";
import type { SourcePaths } from "../compiler/sources.ts";
import type { DrawnOverlay } from "../compiler/video/overlays.ts";
import { describePiece } from "../overlays/fingerprint.ts";
import { type Piece, piecesOf } from "../overlays/pieces.ts";
import type { SubjectBox } from "../timeline/focus.ts";
import type { Source } from "../timeline/source.ts";
import type { FrameRange } from "../timeline/time.ts";
import type { Canvas, Timeline } from "../timeline/timeline.ts";
import { initialLevel } from "./loudness/mastering.ts";

/** Increment when the same command gives other pixels or samples, or the same overlay other bitmaps. */
export const engineVersion = 4;

/** Results are shared only within a project, so that they are removed with it. */
export type CacheScope = {
  readonly projectId: string;
  readonly ffmpegVersion: string;
  /** Identifies what determines the pixels of texts besides their own description. */
  readonly textEngine: string;
};

/** Content hashes replace file paths, so that a command describes what it renders. */
const contentHashes: SourcePaths = { pathOf: ({ hash }) => hash };

type SegmentOptions = Pick<Segment, "timeline" | "range" | "encoding">;

/** The key of a segment: a hash of the command that renders it. Nothing has to be drawn to compute it. */
export function segmentKey({ timeline, range, encoding }: SegmentOptions, scope: CacheScope): string {
  const segment = {
    timeline,
    range,
    encoding,
    files: contentHashes,
    overlays: describedOverlays(timeline, range, scope),
  };
  return keyOf(scope, { canvas: timeline.canvas, command: compileSegment(segment, "segment") });
}

type FrameOptions = {
  readonly timeline: Timeline;
  readonly frame: number;
  readonly size: Canvas;
  /** The key of the segment that the frame is decoded from; undefined if it is drawn from the sources. */
  readonly segment: string | undefined;
};

/** The key of a frame as PNG. Encoding changes pixels, so a decoded frame depends on the quality of its segment. */
export function frameKey({ timeline, frame, size, segment }: FrameOptions, scope: CacheScope): string {
  if (segment !== undefined) return keyOf(scope, { segment, frame, size });
  const overlays = describedOverlays(timeline, { start: frame, end: frame + 1 }, scope);
  const request = { timeline, frames: [frame], size, files: contentHashes, overlays, threads: 1 };
  return keyOf(scope, { canvas: timeline.canvas, drawn: compileFrames(request, "frame") });
}

type PaletteOptions = {
  readonly timeline: Timeline;
  readonly frames: readonly number[];
  readonly size: Canvas;
  readonly isTransparent: boolean;
};

/** The key of the palette of frames. */
export function paletteKey({ timeline, frames, ...request }: PaletteOptions, scope: CacheScope): string {
  const drawn = frames.map((frame) => {
    const overlays = describedOverlays(timeline, { start: frame, end: frame + 1 }, scope);
    const options = { ...request, timeline, frames: [frame], overlays };
    return compileFrames({ ...options, files: contentHashes, threads: 1 }, "frame");
  });
  return keyOf(scope, { canvas: timeline.canvas, drawn, palette: compilePalette("%d", "palette") });
}

const descriptions = new WeakMap<Piece, DrawnOverlay>();

/** Each piece is described once for all segments and frames that show it. */
function describedOverlays(timeline: Timeline, range: FrameRange, { textEngine }: CacheScope): readonly DrawnOverlay[] {
  const { canvas, rate } = timeline;
  return piecesOf(timeline)
    .in(range)
    .map((piece) => {
      const described = descriptions.get(piece) ?? describePiece(piece, { canvas, rate, textEngine });
      descriptions.set(piece, described);
      return described;
    });
}

/** The key of a source image as `prepareImage` converts it. */
export const preparedImageKey = (hash: string, maxSide: number, scope: CacheScope): string =>
  keyOf(scope, { image: hash, maxSide });

/** The key of the whole sound of a timeline. Nothing has to be measured to compute it. */
export function soundKey(timeline: Timeline, scope: CacheScope, codec: SoundCodec = "aac"): string {
  const { intermediates, mix } = compileSound({ timeline, files: contentHashes, codec }, "sound");
  const commands = [...intermediates, mix].map(({ command }) => command);
  const { added = [], isNormalized } = timeline.sound;
  // roles decide what lowers the music
  const content = { commands, ...(added.length > 0 && { roles: added.map(({ role }) => role) }) };
  if (!isNormalized) return keyOf(scope, content);
  const output = codec === "aac" ? "sound" : soundPath("sound", codec);
  return keyOf(scope, { ...content, master: compileMaster("mix", initialLevel, timeline, output) });
}

export const previewKey = (description: object, scope: CacheScope): string => keyOf(scope, { preview: description });

/** The key of the measurements of the first `seconds` of a source. */
export const profileKey = (source: Source, seconds: number, scope: CacheScope): string =>
  keyOf(scope, { profile: compileProfile(source, contentHashes, seconds, "report") });

/** Increment when the same samples give other peaks or other beats. */
const soundMeterVersion = 2;

type MeasureScope = Omit<CacheScope, "textEngine">;

/** The key of the peaks of the samples that a command decodes. */
export const waveformKey = (samples: Command, scope: MeasureScope): string =>
  keyOf(scope, { waveform: soundMeterVersion, samples });

/** The key of the beats in the samples that a command decodes. */
export const beatsKey = (samples: Command, bpm: number | undefined, scope: MeasureScope): string =>
  keyOf(scope, { beats: soundMeterVersion, samples, bpm });

/** Increment when the same frames give another focus. */
const focusVersion = 3;

/** The key of the focus that is measured in a command's frames, along boxes if there are any. */
export const focusKey = (
  analysis: Command,
  boxes: readonly SubjectBox[] | undefined,
  scope: Omit<CacheScope, "textEngine">,
): string => keyOf(scope, { focus: focusVersion, analysis, boxes });

/** Omits the text engine, which the descriptions of overlays contain. */
function keyOf({ projectId, ffmpegVersion }: Omit<CacheScope, "textEngine">, content: object): string {
  const description = JSON.stringify([engineVersion, ffmpegVersion, content]);
  return `${projectId}/${sha256Of(description)}`;
}
