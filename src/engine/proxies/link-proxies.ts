import type { SourcePaths } from "../compiler/sources.ts";
import { containSize, coverSize } from "../compiler/video/fit.ts";
import type { Source } from "../timeline/source.ts";
import type { Canvas, Timeline } from "../timeline/timeline.ts";
import { type Clip, clipsOf, mapClips } from "../timeline/track.ts";
import type { ProjectSource, Proxies } from "./build.ts";
import { halfSizeOf } from "./half-size.ts";

/** The proxies of some sources, in a job's folder. */
export type LinkedProxies = {
  /** Returns the edit with proxies in place of sources, where they exist. */
  show(timeline: Timeline): Timeline;
  /** The paths of the proxies, and of the sources without one. */
  pathsBeside(files: SourcePaths): SourcePaths;
};

type LinkOptions = Pick<ProjectSource, "projectId" | "owner"> & {
  readonly folder: string;
  /** True if a clip may show a proxy. */
  readonly isFor?: (clip: Clip) => boolean;
};

export const withoutProxies: LinkedProxies = { show: (timeline) => timeline, pathsBeside: (files) => files };

/** Links the proxies of an edit's videos into a folder. Missing ones are built later. */
export async function linkProxies(
  proxies: Proxies,
  { track }: Timeline,
  { folder, isFor = () => true, ...scope }: LinkOptions,
): Promise<LinkedProxies> {
  const clips = new Set(track.spans.flatMap(clipsOf).filter(isFor));
  const sources = new Map([...clips].map(({ source }) => [source.file, source]));
  const paths = new Map<string, string>();
  for (const source of sources.values()) {
    const path = `${folder}/proxy-${paths.size}`;
    if (await proxies.linkTo({ ...scope, source }, path)) paths.set(halfSizeOf(source).file, path);
  }
  const proxyOf = (clip: Clip): Clip => {
    const source = halfSizeOf(clip.source);
    return isFor(clip) && paths.has(source.file) ? { ...clip, source } : clip;
  };
  return {
    show: (timeline) => ({ ...timeline, track: mapClips(timeline.track, proxyOf) }),
    pathsBeside: (files) => ({ pathOf: (source: Source) => paths.get(source.file) ?? files.pathOf(source) }),
  };
}

/** Sizes are rounded to even pixels. */
const tolerance = 1.01;

/** True if a frame is scaled to at most half its canvas, and a clip on it to at most half its own size. */
export const isShownHalved =
  (canvas: Canvas, size: Canvas) =>
  ({ fit, source: { facts } }: Clip): boolean => {
    const { width = 0, height = 0 } = facts;
    const scale = size.width / canvas.width;
    const onCanvas = (fit === "cover" ? coverSize : containSize)(canvas, { width, height });
    return scale <= 0.5 && onCanvas.width * scale <= (width / 2) * tolerance;
  };
