import type { ChromaKey } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import type { FrameRate } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";
import type { Clip } from "../timeline/track.ts";
import type { Command } from "./command.ts";
import { toRawRgba } from "./encoding.ts";
import { toRgba } from "./filters/color.ts";
import { applyMask, keyColor } from "./filters/mask.ts";
import { resetTimestamps } from "./filters/time.ts";
import { input } from "./graph/graph.ts";
import { printGraph } from "./graph/print.ts";
import { openSource, type SourcePaths } from "./sources.ts";
import { drawAlpha, drawClip } from "./video/clip.ts";
import { videoArgs } from "./video/clip-use.ts";

type FootageFrames = {
  readonly source: Source;
  readonly files: SourcePaths;
  /** The whole picture is scaled to this size. */
  readonly size: Canvas;
  /** The first frame is the one shown at this second of the source; the others follow at the rate. */
  readonly startSeconds: number;
  readonly rate: FrameRate;
  readonly frames: number;
  readonly chromaKey?: ChromaKey | undefined;
};

/** Decodes frames of a video as raw RGBA. The colors of a source with alpha are multiplied by it. */
export function compileFootage(request: FootageFrames, output: string): Command {
  const { source, files, size, startSeconds, rate, frames, chromaKey } = request;
  const range = { start: 0, end: frames };
  const cut = { kind: "cut", frames: 0 } as const;
  const clip: Clip = { source, range, sourceStartSeconds: startSeconds, volume: 0, fit: "cover", transition: cut };
  const use = { clip, inputIndex: 0, frames: range };
  const video = drawClip(use, { canvas: size, rate });
  const keyed = chromaKey ? keyColor(video, chromaKey) : video;
  const colored = toRgba(keyed, size);
  const hasAlpha = source.facts.picture?.hasAlpha === true;
  const shown = hasAlpha ? applyMask(colored, drawAlpha(use, { canvas: size, rate })) : colored;
  // as in compileSegments: a single input needs a second reader
  const { text, map } = printGraph(resetTimestamps(shown, rate), hasAlpha ? [] : [input("video", 0)]);
  return {
    inputArgs: openSource(source, files, videoArgs(use, rate, 1)),
    graph: text,
    outputArgs: ["-map", map, ...toRawRgba(output, rate, frames)],
    writes: [output],
  };
}
