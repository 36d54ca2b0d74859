import { LRUCache } from "lru-cache";
import { isDomainError } from "../../errors.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import type { SourcePaths } from "../compiler/sources.ts";
import { clipUsesIn, seekTo } from "../compiler/video/clip-use.ts";
import { SandboxTaskError } from "../sandbox/failures.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import type { Source } from "../timeline/source.ts";
import type { Timeline } from "../timeline/timeline.ts";

type WantedFrames = {
  readonly timeline: Timeline;
  readonly frames: readonly number[];
  readonly files: SourcePaths;
  readonly folder: string;
  /** Videos of which only earlier frames are wanted stay whole. Default: 0. */
  readonly fromSeconds?: number;
};

/** The files of a timeline's sources, some of which are excerpts. */
type Excerpts = { readonly files: SourcePaths; isExcerpt(source: Source): boolean };

/** Sources whose excerpts took too long, or crashed their process: each attempt may take a minute. */
const failed = new LRUCache<string, true>({ max: 1000, ttl: 3_600_000 });

/**
 * Replaces the MP4 videos of a timeline by excerpts for some frames: a keyframe may lie seconds before a frame, and
 * often no frame needs half of the frames between them. Other files stay unchanged; undefined if all do.
 */
export async function writeExcerpts(
  canvas: TaskPool,
  { timeline, frames, files, folder, fromSeconds = 0 }: WantedFrames,
  options: TaskOptions,
): Promise<Excerpts | undefined> {
  const wanted = [...wantedSeconds(timeline, frames)].filter(([, seconds]) => Math.min(...seconds) >= fromSeconds);
  const placed = new Map<string, string>();
  const placing = wanted.map(async ([source, seconds], index) => {
    const output = `${folder}/excerpt-${index}`;
    const request = { path: files.pathOf(source), output, seconds };
    if (failed.has(source.hash)) return;
    const writing = canvas.run("excerptVideo", request, options).catch((error) => {
      if (!(error instanceof SandboxTaskError)) throw error;
      failed.set(source.hash, true);
      return false;
    });
    if (await writing) placed.set(source.file, output);
  });
  await Promise.all(placing);
  if (placed.size === 0) return undefined;
  return {
    files: { pathOf: (source) => placed.get(source.file) ?? files.pathOf(source) },
    isExcerpt: (source) => placed.has(source.file),
  };
}

/** The seconds of each MP4 video that some frames show. */
function wantedSeconds({ track, rate }: Timeline, frames: readonly number[]): ReadonlyMap<Source, readonly number[]> {
  const uses = frames.flatMap((frame) => clipUsesIn(track.spans, { start: frame, end: frame + 1 }));
  const videos = uses.filter(({ clip: { source } }) => isMp4Video(source));
  const seconds = new Map<string, { readonly source: Source; readonly seconds: number[] }>();
  for (const use of videos) {
    const { source } = use.clip;
    const { seekSeconds, offsetSeconds } = seekTo(use, rate);
    const known = seconds.get(source.file) ?? { source, seconds: [] };
    known.seconds.push(seekSeconds + offsetSeconds);
    seconds.set(source.file, known);
  }
  return new Map([...seconds.values()].map((each) => [each.source, each.seconds]));
}

const isMp4Video = ({ facts }: Source) => facts.kind === "video" && facts.container === "mp4";

/** False if ffmpeg fails: a damaged source may show nothing in an excerpt. Throws errors that are not of a source. */
export const succeeds = (rendering: Promise<unknown>): Promise<boolean> =>
  rendering.then(
    () => true,
    (error) => {
      if (isDomainError(error)) throw error;
      return false;
    },
  );
