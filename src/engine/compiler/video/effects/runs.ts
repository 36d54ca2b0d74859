import { type FrameRange, type FrameRate, framesIn } from "../../../timeline/time.ts";
import { concat, resetTimestamps, trim } from "../../filters/time.ts";
import type { Video } from "../../graph/graph.ts";

/** Adjacent frames of one kind, counted from the first frame of a stream. */
export type Run<Kind> = { readonly range: FrameRange; readonly kind: Kind };

/** Groups frames by a kind, which is compared by identity. */
export function runsOf<Kind extends string | number | boolean>(kinds: readonly Kind[]): readonly Run<Kind>[] {
  const runs: Run<Kind>[] = [];
  for (const [frame, kind] of kinds.entries()) {
    const last = runs.at(-1);
    if (last?.kind === kind) runs[runs.length - 1] = { kind, range: { start: last.range.start, end: frame + 1 } };
    else runs.push({ kind, range: { start: frame, end: frame + 1 } });
  }
  return runs;
}

/** Draws each run of a stream by itself, with its frames counted from 0. */
export function drawRuns<Kind>(
  video: Video,
  runs: readonly Run<Kind>[],
  rate: FrameRate,
  draw: (part: Video, run: Run<Kind>) => Video,
): Video {
  const [only, ...more] = runs;
  if (only && more.length === 0) return draw(video, only);
  const parts = runs.map((run) => draw(resetTimestamps(trim(video, run.range), rate), run));
  return concat(parts, rate);
}

/** True on the frames of a range, as the option `enable` of a filter. */
export const whileIn = (range: FrameRange): { readonly enable: string } => ({
  enable: framesIn(range) === 1 ? `eq(n,${range.start})` : `between(n,${range.start},${range.end - 1})`,
});
