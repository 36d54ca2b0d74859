import type { MediaFacts, Source } from "../timeline/source.ts";

type BuildInput = {
  readonly source: Source;
  /** The source's file, which exists until the build ends. */
  readonly path: string;
  /** A private folder of this build. */
  readonly folder: string;
  readonly output: string;
  readonly signal: AbortSignal;
};

/** A kind of proxy: a smaller copy of a video, made only from the video's file and its facts. */
export type ProxyKind = {
  /** True for sources for which it is correct and worthwhile. */
  isFor(facts: MediaFacts): boolean;
  /** Everything that determines the bytes of the proxy, besides the source's bytes and the version of ffmpeg. */
  describe(source: Source): unknown;
  /** Runs with the lowest priority. Throws if the source has no proxy, and the reason of `signal`. */
  build(input: BuildInput): Promise<void>;
};
