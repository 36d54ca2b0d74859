import type { DrawnState, DrawnVideo } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";

/** Frames of a video that some looks of a layer show. */
export type FootageRequest = {
  readonly key: string;
  readonly source: Source;
  readonly size: Canvas;
  readonly chromaKey?: DrawnVideo["chromaKey"];
  /** Seconds of the source's own clock, in ascending order. */
  readonly times: readonly number[];
};

/** Identifies the frames of a video at one size. */
export const footageKey = ({ source, chromaKey }: Pick<DrawnVideo, "source" | "chromaKey">): string =>
  JSON.stringify([source.file, chromaKey]);

/** The frames that looks of a layer show, each video at the size of its largest box. */
export function footageRequests(
  states: readonly (DrawnState | undefined)[],
  canvas: Canvas,
): readonly FootageRequest[] {
  const shown = states.flatMap((state) => (state ? videosIn(state, 1) : []));
  return [...Map.groupBy(shown, ({ video }) => footageKey(video))].map(([key, uses]) => {
    const { source, chromaKey } = uses[0]!.video;
    const sizes = uses.map(({ video, scale }) => coverSize(video, scale));
    return {
      key,
      source,
      size: limited(
        { width: Math.max(...sizes.map(({ width }) => width)), height: Math.max(...sizes.map(({ height }) => height)) },
        canvas,
      ),
      ...(chromaKey && { chromaKey }),
      times: [...new Set(uses.map(({ video }) => video.at))].sort((one, other) => one - other),
    };
  });
}

type Use = { readonly video: DrawnVideo; readonly scale: number };

function videosIn({ content, effects, view }: DrawnState, outer: number): readonly Use[] {
  const own = Math.max(Math.abs(effects?.scaleX ?? 1), Math.abs(effects?.scaleY ?? 1));
  const scale = outer * own * (view?.scale ?? 1);
  const masked = effects?.mask?.kind === "layer" ? videosIn(effects.mask.layer, outer) : [];
  if (content.kind === "video") return [{ video: content, scale }, ...masked];
  if (content.kind === "group") return [...content.layers.flatMap((layer) => videosIn(layer, scale)), ...masked];
  return masked;
}

/** The size of the whole picture with which it covers its box, or fits into it. */
function coverSize({ box, fit, source: { facts }, zoom = 1 }: DrawnVideo, scale: number): Canvas {
  const { width = box.width, height = box.height } = facts;
  const [across, down] = [box.width / width, box.height / height];
  const factor = scale * zoom * (fit === "contain" ? Math.min(across, down) : Math.max(across, down));
  // more pixels than the source has show nothing more
  const shown = Math.min(1, factor);
  return { width: width * shown, height: height * shown };
}

const maxOversize = 2;

/** Even sides, and no more pixels than twice the canvas on a side. */
function limited({ width, height }: Canvas, canvas: Canvas): Canvas {
  const scale = Math.min(1, (maxOversize * Math.max(canvas.width, canvas.height)) / Math.max(width, height));
  const even = (length: number) => Math.max(2, 2 * Math.round((length * scale) / 2));
  return { width: even(width), height: even(height) };
}

/** In seconds: times are rounded to six decimals. */
const tolerance = 4e-6;

/** The distance of times that are equally far from each other; undefined for others and for a single one. */
export function evenStep(times: readonly number[]): number | undefined {
  const first = times[0] ?? 0;
  const length = (times.at(-1) ?? first) - first;
  const step = length / (times.length - 1);
  const isEven = times.every((time, index) => Math.abs(time - first - index * step) < tolerance);
  return length > tolerance && isEven ? step : undefined;
}

/** A file of raw frames has at most this many bytes, unless one piece needs more. */
const maxBytes = 512 * 2 ** 20;

/**
 * Joins requests of adjacent pieces for the same video at one size: decoding it once costs less than seeking in it
 * for each. Only frames at even distances are the same wherever decoding begins.
 */
export function joinRequests(requests: readonly FootageRequest[]): readonly FootageRequest[] {
  const groups = Map.groupBy(requests, ({ key, size }) => JSON.stringify([key, size]));
  return [...groups.values()].flatMap((group) => {
    const times = [...new Set(group.flatMap((request) => request.times))].sort((one, other) => one - other);
    const { size } = group[0]!;
    const isSmall = times.length * size.width * size.height * 4 <= maxBytes;
    return group.length > 1 && isSmall && evenStep(times) !== undefined ? [{ ...group[0]!, times }] : group;
  });
}
