/** One run of ffmpeg: `ffmpeg ...inputArgs -filter_complex_script <file that holds the graph> ...outputArgs`. */
export type Command = {
  readonly inputArgs: readonly string[];
  /** Passed in a file, because Linux rejects an argument above 128 KiB. Empty for a command without a filtergraph. */
  readonly graph: string;
  readonly outputArgs: readonly string[];
};
