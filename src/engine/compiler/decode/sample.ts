import type { MediaFacts } from "../../timeline/source.ts";
import type { Command } from "../command.ts";
import { asSeen, type Size, scale } from "../filters/geometry.ts";
import { input } from "../graph/graph.ts";
import { printGraph } from "../graph/print.ts";
import { decoderArgs, openWithPixelLimit } from "../sources.ts";

/** Uses one thread on any number of cores: each needs memory for its own frame. */
const open = (path: string, facts: MediaFacts) =>
  openWithPixelLimit(path, facts, ["-threads", "1", ...decoderArgs(facts)]);

/** The files of a sample: half a second of raw sound, and small copies of interlaced frames. */
type SampleOutputs = { readonly sound: string; readonly fields: string };

// in film on video only two of five frames are interlaced; one frame more is decoded than is examined
const onlyInterlaced = "trim=end_frame=6,select=gt(interlace_type\\,0),scale=16:16";

/** Decodes the first frames, and a little sound. */
export const compileSample = (path: string, facts: MediaFacts, { sound, fields }: SampleOutputs): Command => ({
  inputArgs: open(path, facts),
  graph: "",
  outputArgs: [
    ...(facts.picture ? ["-map", "0:V:0", "-frames:v", "1", "-f", "null", "-"] : []),
    ...(facts.picture ? ["-map", "0:V:0", "-vf", onlyInterlaced, "-f", "rawvideo", fields] : []),
    ...(facts.hasSound ? ["-map", "0:a:0", "-t", "0.5", "-f", "s16le", sound] : []),
  ],
  writes: [...(facts.picture ? [fields] : []), ...(facts.hasSound ? [sound] : [])],
});

/** Decodes a whole file and fails at the first decoding error. */
export const compileFullDecode = (path: string, facts: MediaFacts): Command => ({
  inputArgs: ["-xerror", ...open(path, facts)],
  graph: "",
  outputArgs: [
    ...(facts.picture ? ["-map", "0:V:0"] : []),
    ...(facts.hasSound ? ["-map", "0:a:0"] : []),
    ...["-f", "null", "-"],
  ],
  writes: [],
});

type FrameOptions = { readonly seconds: number; readonly size: Size };

/** One upright frame at `seconds`, scaled to `size`. The extension of `output` decides its format. */
export function compileSingleFrame(
  path: string,
  facts: MediaFacts,
  { seconds, size }: FrameOptions,
  output: string,
): Command {
  const { text, map } = printGraph(scale(asSeen(input("video", 0), facts.picture), size));
  return {
    inputArgs: ["-ss", seconds.toFixed(6), ...open(path, facts)],
    graph: text,
    outputArgs: ["-map", map, "-frames:v", "1", output],
    writes: [output],
  };
}
