import { frameRateOf } from "../timeline/time.ts";
import type { Command } from "./command.ts";
import { soundEncoding, toMp4, videoEncoding } from "./encoding.ts";
import { declareRec709, format, solidColor } from "./filters/color.ts";
import { paintOver } from "./filters/geometry.ts";
import { silence } from "./filters/sound.ts";
import { printGraphs } from "./graph/print.ts";

const size = { width: 64, height: 36 };
const rate = frameRateOf(25);

export const probeFrames = 3;

/** A video of `probeFrames` frames with sound, without a source: shows whether an ffmpeg can render an export. */
export function compileProbe(output: string): Command {
  const white = format(solidColor("white", size, rate, probeFrames), "yuva420p");
  const video = paintOver(solidColor("black", size, rate, probeFrames), white, { x: 8, y: 8 });
  const { text, maps } = printGraphs([declareRec709(video), silence(5_760)]);
  const encoding = { preset: "ultrafast", crf: 30, threads: 1 };
  return {
    inputArgs: [],
    graph: text,
    outputArgs: [
      ...["-map", maps[0]!, ...videoEncoding(encoding, rate, { frames: probeFrames, gopFrames: probeFrames })],
      ...["-map", maps[1]!, ...soundEncoding, ...toMp4(output, rate)],
    ],
    writes: [output],
  };
}
