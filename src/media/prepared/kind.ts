import type { MediaFacts, Source } from "../../timeline/source.ts";

export type BuildInput = {
  readonly source: Source;
  /** The source's file, which stays until the build ends. */
  readonly path: string;
  /** A private folder of this build. */
  readonly folder: string;
  /** Where the result is written. */
  readonly output: string;
  /** User id. */
  readonly owner: string;
  readonly signal: AbortSignal;
};

/** Something that can be prepared of a video: one file, which is made from nothing but the video's file and its facts. */
export type PreparedKind = {
  readonly name: string;
  /** True for sources for which it is right, and pays. */
  isFor(facts: MediaFacts): boolean;
  /** Everything that determines the bytes of the result, besides the source's bytes and the version of ffmpeg. */
  describe(source: Source): unknown;
  /**
   * Writes the result, with the least priority. Throws if the source cannot be prepared, and the signal's reason when
   * that aborts, which must stop all processes.
   */
  build(input: BuildInput): Promise<void>;
};
