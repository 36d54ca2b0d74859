import type { MediaFacts, Source } from "../timeline/source.ts";

type BuildInput = {
  readonly source: Source;
  /** The source's file, which stays until the build ends. */
  readonly path: string;
  /** A private folder of this build. */
  readonly folder: string;
  readonly output: string;
  readonly signal: AbortSignal;
};

/** A kind of proxy: a smaller copy of a video, which is made from nothing but the video's file and its facts. */
export type ProxyKind = {
  /** True for sources for which it is right, and pays. */
  isFor(facts: MediaFacts): boolean;
  /** Everything that determines the bytes of the proxy, besides the source's bytes and the version of ffmpeg. */
  describe(source: Source): unknown;
  /** With the least priority. Throws if the source has no proxy, and what aborts `signal`. */
  build(input: BuildInput): Promise<void>;
};
