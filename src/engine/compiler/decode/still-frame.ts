import type { MediaFacts } from "../../timeline/source.ts";
import type { Clip } from "../../timeline/track.ts";
import type { Command } from "../command.ts";
import { toRawRgb } from "../encoding.ts";
import { toRgb } from "../filters/color.ts";
import type { Size } from "../filters/geometry.ts";
import { printGraph } from "../graph/print.ts";
import { openWithPixelLimit } from "../sources.ts";
import { drawClip } from "../video/clip.ts";
import { type ClipUse, videoArgs } from "../video/clip-use.ts";
import { containSize } from "../video/fit.ts";

// arbitrary: only one frame is drawn, at the requested time
const rate = { num: 25, den: 1 };

type StillFrame = { readonly facts: MediaFacts; readonly atSeconds: number; readonly size: Size };

/** The frame that an export shows at `atSeconds`: the last one at or before it, upright, over black, as raw RGB. */
export function compileStillFrame(path: string, { facts, atSeconds, size }: StillFrame, output: string): Command {
  const clip: Clip = {
    source: { file: path, hash: "", facts },
    range: { start: 0, end: 1 },
    sourceStartSeconds: Math.max(0, atSeconds),
    volume: 0,
    fit: "contain",
    transition: { kind: "cut", frames: 0 },
  };
  const use: ClipUse = { clip, inputIndex: 0, frames: { start: 0, end: 1 } };
  const { text, map } = printGraph(toRgb(drawClip(use, { canvas: size, rate }), size));
  return {
    inputArgs: openWithPixelLimit(path, facts, videoArgs(use, rate, 1)),
    graph: text,
    outputArgs: ["-map", map, ...toRawRgb(output, rate, 1)],
    writes: [output],
  };
}

/** An even size with the video's aspect ratio, no larger than the video, and with no side longer than `maxSide`. */
export function stillFrameSize({ width, height }: MediaFacts, maxSide: number): Size {
  const source = { width: width ?? maxSide, height: height ?? maxSide };
  const scale = Math.min(1, maxSide / Math.max(source.width, source.height));
  const evenSide = (length: number) => 2 * Math.max(1, Math.floor((length * scale) / 2));
  return containSize({ width: evenSide(source.width), height: evenSide(source.height) }, source);
}
