import { type FrameRate, framesIn } from "../../../timeline/time.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import { type ColorMatrix, fromRgb, mixChannels, toRgb, type While } from "../../filters/color.ts";
import type { Video } from "../../graph/graph.ts";
import { type Coloring, joined, type Matrix, matricesOf } from "./color-matrices.ts";
import { drawRuns, runsOf, whileIn } from "./runs.ts";

/** Applies a filter of its own to each frame. Frames without one stay as they are. */
export function colorFrames(video: Video, frames: readonly Coloring[], canvas: Canvas, rate: FrameRate): Video {
  const matrices = new Map<string, readonly Matrix[]>();
  const keys = frames.map((frame) => {
    const own = joined(matricesOf(frame));
    const key = own.length > 0 ? JSON.stringify(own) : "";
    matrices.set(key, own);
    return key;
  });
  if (keys.every((key) => key === "")) return video;
  const runs = runsOf(keys.map((key) => key !== ""));
  return drawRuns(video, runs, rate, (part, { range, kind: isColored }) => {
    if (!isColored) return part;
    const own = keys.slice(range.start, range.end);
    const colored = runsOf(own).reduce(
      (below, run) =>
        mixAll(below, matrices.get(run.kind)!, framesIn(run.range) === own.length ? {} : whileIn(run.range)),
      toRgb(part, canvas, "rgba"),
    );
    return fromRgb(colored, canvas);
  });
}

const mixAll = (video: Video, matrices: readonly Matrix[], when: While): Video =>
  matrices.reduce((below, matrix) => mixChannels(below, toFilter(matrix), when), video);

/** The alpha of opaque frames is the largest level, so its share is the offset. */
const toFilter = (matrix: Matrix): ColorMatrix =>
  matrix.map(([r, g, b, offset]) => [bounded(r), bounded(g), bounded(b), bounded(offset / 255)] as const);

/** The range of the filter's entries. */
const bounded = (entry: number) => Math.min(2, Math.max(-2, Math.round(entry * 1e4) / 1e4));
