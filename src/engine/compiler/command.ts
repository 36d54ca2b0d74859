/** One run of ffmpeg: `ffmpeg ...inputArgs <option that reads the graph from its file> ...outputArgs`. */
export type Command = {
  readonly inputArgs: readonly string[];
  /** Passed in a file, because Linux rejects an argument above 128 KiB. Empty for a command without a filtergraph. */
  readonly graph: string;
  readonly outputArgs: readonly string[];
  /** The files that it creates or replaces; relative ones lie in its working directory. It can write no others. */
  readonly writes: readonly string[];
  /** Outputs each frame once, at its own time, whatever the format. By default, some formats get a constant rate. */
  readonly keepsFrameTimes?: boolean;
};

/** The paths of the files that a command opens; those of numbered files are patterns. */
export const inputsOf = ({ inputArgs }: Command): readonly string[] =>
  inputArgs.filter((_, index) => inputArgs[index - 1] === "-i").map((input) => input.replace(/^file:/, ""));

/** The options that read a graph from a file: ffmpeg 7 introduced the first, ffmpeg 9 removed the second. */
export const graphOptions = ["-/filter_complex", "-filter_complex_script"] as const;

export type GraphOption = (typeof graphOptions)[number];

/** The options of `keepsFrameTimes`: versions before 5.1 do not know the first, ffmpeg 9 not the second. */
export const keepFrameTimes: Readonly<Record<GraphOption, readonly string[]>> = {
  "-/filter_complex": ["-fps_mode", "passthrough"],
  "-filter_complex_script": ["-vsync", "passthrough"],
};
