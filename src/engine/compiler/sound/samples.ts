import type { Source } from "../../timeline/source.ts";
import type { Command } from "../command.ts";
import { printGraph, printNumber } from "../graph/print.ts";
import { openSound, type SourcePaths } from "../sources.ts";
import { soundOf } from "./channels.ts";

type SampleFormat = {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** Only the first seconds; default: all. */
  readonly seconds?: number;
};

/** Writes a source's sound as interleaved 16-bit samples, to a file or to `pipe:3`. */
export function compileSamples(
  source: Source,
  files: SourcePaths,
  { sampleRate, channels, seconds }: SampleFormat,
  output: string,
): Command {
  const { text, map } = printGraph(soundOf(source, 0));
  const format = ["-ac", `${channels}`, "-ar", `${sampleRate}`, "-f", "s16le", "-c:a", "pcm_s16le"];
  const isPipe = output.startsWith("pipe:");
  return {
    inputArgs: openSound(source, files, seconds === undefined ? [] : ["-t", printNumber(seconds)]),
    graph: text,
    outputArgs: ["-map", map, ...format, ...(isPipe ? [output] : ["-y", `file:${output}`])],
    writes: isPipe ? [] : [output],
  };
}
