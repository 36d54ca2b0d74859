/** One run of ffmpeg: `ffmpeg ...inputArgs <option that reads the graph from its file> ...outputArgs`. */
export type Command = {
  readonly inputArgs: readonly string[];
  /** Passed in a file, because Linux rejects an argument above 128 KiB. Empty for a command without a filtergraph. */
  readonly graph: string;
  readonly outputArgs: readonly string[];
};

/** The options that read a graph from a file: ffmpeg 7 introduced the first, ffmpeg 9 removed the second. */
export const graphOptions = ["-/filter_complex", "-filter_complex_script"] as const;

export type GraphOption = (typeof graphOptions)[number];
