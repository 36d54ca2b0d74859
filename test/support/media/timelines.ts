import type { DrawnOverlay } from "../../../src/engine/compiler/video/overlays.ts";
import { layOutClips } from "../../../src/engine/timeline/layout.ts";
import { soundPieces } from "../../../src/engine/timeline/sound.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { type FrameRate, frameRateOf } from "../../../src/engine/timeline/time.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import type { Clip, TransitionKind } from "../../../src/engine/timeline/track.ts";
import { smallCanvas } from "./draw-media.ts";

export const clip = (source: Source, start: number, end: number, more: Partial<Clip> = {}): Clip => ({
  source,
  range: { start, end },
  sourceStartSeconds: 0,
  volume: 1,
  fit: "contain",
  transition: { kind: "cut", frames: 0 },
  ...more,
});

export const transitionInto = (kind: TransitionKind, frames: number): Pick<Clip, "transition"> => ({
  transition: { kind, frames },
});

export function timeline(clips: readonly Clip[], more: Partial<Timeline> & { fps?: number } = {}): Timeline {
  const { fps = 30, ...rest } = more;
  const rate: FrameRate = frameRateOf(fps);
  const { track } = layOutClips(clips);
  return { canvas: smallCanvas, rate, track, overlays: [], sound: { pieces: soundPieces(track, rate) }, ...rest };
}

/** For test sources, whose `file` is their path. */
export const sourcePaths = { pathOf: ({ file }: Source) => file };

export const fastEncoding = { preset: "ultrafast", crf: 10, threads: 1 } as const;

export const overlay = (pattern: string, more: Partial<DrawnOverlay>): DrawnOverlay => ({
  files: { kind: "numbered", pattern },
  box: { x: 0, y: 0, width: 16, height: 16 },
  range: { start: 0, end: 1 },
  starts: [0],
  ...more,
});
