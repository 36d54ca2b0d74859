import type { GroupLayer, Overlay } from "../../../../engine/timeline/overlay.ts";
import { type FrameRate, toSeconds } from "../../../../engine/timeline/time.ts";
import { DomainError } from "../../../../errors.ts";
import { toHundredths } from "../../../../platform/values.ts";

/** A layer of a request with its path and its name for people. */
export type LimitedLayer = { readonly path: string; readonly name: string; readonly overlay: Overlay };

const maxVideos = 9;

/** Videos that are visible during a time, `count` of them at once. */
type Visible = { readonly start: number; readonly end: number; readonly count: number };

/** too_many_videos if more videos are visible at once than can be decoded together; also those in groups and masks. */
export function exceededVideos(layers: readonly LimitedLayer[], rate: FrameRate): DomainError | undefined {
  const visible = layers.flatMap((layer) => {
    const { range } = layer.overlay;
    const times = { start: toSeconds(range.start, rate), end: toSeconds(range.end, rate) };
    return videosIn(layer.overlay, times).map((video) => ({ ...video, layer }));
  });
  const { count, at } = peak(visible);
  if (count <= maxVideos) return undefined;
  // safe because a video begins where most are visible
  const { path, name } = visible.findLast(({ start, end }) => start <= at && at < end)!.layer;
  return new DomainError("too_many_videos", { path, what: name, seconds: toHundredths(at), count, allowed: maxVideos });
}

type Times = Pick<Visible, "start" | "end">;

/** The videos of a layer that is visible during `times`, on the same clock. */
function videosIn({ content, effects }: Overlay | GroupLayer, times: Times): readonly Visible[] {
  const own = content.kind === "video" ? [{ ...times, count: 1 }] : [];
  const inner = content.kind === "group" ? videosInGroup(content, times) : [];
  const mask = effects?.mask?.kind === "layer" ? effects.mask.layer : undefined;
  const masks = mask ? videosIn(mask, within(mask, times)) : [];
  return [...own, ...inner, ...masks].filter(({ start, end }) => start < end);
}

const within = ({ start, end }: Times, outer: Times): Times => ({
  start: Math.max(start, outer.start),
  end: Math.min(end, outer.end),
});

function videosInGroup(
  { layers, speed, repeats, seconds }: Extract<GroupLayer["content"], { kind: "group" }>,
  times: Times,
): readonly Visible[] {
  const length = repeats ? seconds : (times.end - times.start) * speed;
  const inside = layers.flatMap((layer) => videosIn(layer, within(layer, { start: 0, end: length })));
  if (inside.length === 0) return [];
  // each round shows the same
  if (repeats) return [{ ...times, count: peak(inside).count }];
  return inside.map(({ start, end, count }) => ({
    start: times.start + start / speed,
    end: times.start + end / speed,
    count,
  }));
}

/** Less than a frame: the ends of two videos in turn are rounded. */
const tolerance = 1e-6;

/** The most videos at once, and the first time with them. */
function peak(visible: readonly Visible[]): { readonly count: number; readonly at: number } {
  const edges = visible.flatMap(({ start, end, count }) => [
    { at: start, change: count },
    { at: end - tolerance, change: -count },
  ]);
  let [count, most, at] = [0, 0, 0];
  for (const edge of edges.sort((one, other) => one.at - other.at || one.change - other.change)) {
    count += edge.change;
    if (count > most) [most, at] = [count, edge.at];
  }
  return { count: most, at };
}
