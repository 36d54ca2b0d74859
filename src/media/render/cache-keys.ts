import { createHash } from "node:crypto";
import { compileSegment, compileSound, type Files, type Segment } from "../../compiler/compile.ts";
import { compileFrames } from "../../compiler/frames.ts";
import type { DrawnOverlay } from "../../compiler/picture/layers.ts";
import { compileMaster } from "../../compiler/sound/mastering.ts";
import type { Canvas, Timeline } from "../../timeline/timeline.ts";
import { sketchOverlays } from "../overlays/overlays.ts";
import { wantedLevel } from "./loudness.ts";

/** Goes up with every change that makes other pixels or samples of the same commands, or other bitmaps of the same overlays. */
const engineVersion = 1;

/** What makes the same command give other bytes. */
export type Maker = { readonly owner: string; readonly ffmpegVersion: string };

/** Names every file by its content, so that a command says what it renders and not where. */
const contents: Files = { pathOf: ({ hash }) => hash };

/** The key of a part of the picture: the command that renders it, with contents in place of paths. */
export function segmentKey(segment: Segment, maker: Maker): string {
  const overlays = segment.overlays.map((overlay) => ({ ...overlay, pattern: overlay.hash }));
  const { canvas } = segment.timeline;
  return keyOf(maker, { canvas, command: compileSegment({ ...segment, overlays, files: contents }, "picture") });
}

/** Names a segment before any bitmap of it is drawn: what the cache holds under this is the segment's own key. */
export const segmentAlias = (segment: Omit<Segment, "overlays" | "files">, maker: Maker): string =>
  keyOf(maker, { aliasOf: segmentKey({ ...segment, files: contents, overlays: sketched(segment) }, maker) });

type PictureOf = { readonly timeline: Timeline; readonly frame: number; readonly size: Canvas };

/** The key of a frame as a picture. */
export function pictureKey({ timeline, frame, size }: PictureOf, maker: Maker): string {
  const drawn = { timeline, frames: [frame], size, files: contents, overlays: sketched({ timeline }), threads: 1 };
  return keyOf(maker, { canvas: timeline.canvas, command: compileFrames(drawn, "picture") });
}

const sketches = new WeakMap<Timeline, readonly DrawnOverlay[]>();

/** Once for all segments and frames of a film. */
function sketched({ timeline }: Pick<Segment, "timeline">): readonly DrawnOverlay[] {
  const overlays = sketches.get(timeline) ?? sketchOverlays(timeline.overlays, timeline);
  sketches.set(timeline, overlays);
  return overlays;
}

/** The key of a still picture as films take it. */
export const stillKey = (hash: string, side: number, maker: Maker): string => keyOf(maker, { still: hash, side });

/** The key of a film's whole sound. */
export function soundKey({ timeline }: Pick<Segment, "timeline">, maker: Maker): string {
  const { groups, mix } = compileSound({ timeline, files: contents }, "sound");
  const commands = [...groups, mix].map(({ command }) => command);
  if (!timeline.sound.isNormalized) return keyOf(maker, { commands });
  return keyOf(maker, { commands, master: compileMaster("mix", wantedLevel, timeline, "sound") });
}

const keyOf = (maker: Maker, said: object): string =>
  createHash("sha256")
    .update(JSON.stringify([engineVersion, maker, said]))
    .digest("hex");
