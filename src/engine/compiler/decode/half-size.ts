import type { MediaFacts, VideoFacts } from "../../timeline/source.ts";
import type { Command } from "../command.ts";
import { rec709Tags, toTimedMp4 } from "../encoding.ts";
import { asSeen, type Size, setSquarePixels } from "../filters/geometry.ts";
import { firstFrameAtZero } from "../filters/time.ts";
import { input } from "../graph/graph.ts";
import { printGraph } from "../graph/print.ts";
import { decoderArgs, openWithPixelLimit } from "../sources.ts";
import { toRec709 } from "../video/rec709.ts";

/** Fast to decode: no B frames, no CABAC and no loop filter. A seek decodes at most half a second too much. */
const encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "18", "-threads", "1"];
const keyframes = ["-g", "12", "-keyint_min", "12", "-sc_threshold", "0"];

type Options = {
  /** Named as in x264's option `asm`. Default: all. */
  readonly cpuFeatures?: string | undefined;
};

/** Encodes a video at half its size: upright, square pixels, BT.709 of limited range. Fails at a decoding error. */
export function compileHalfSize(
  path: string,
  facts: MediaFacts,
  output: string,
  { cpuFeatures }: Options = {},
): Command {
  const { width = 0, height = 0, picture } = facts;
  const upright = asSeen(input("video", 0), picture);
  const sizes = { from: { width, height }, to: evenHalfOf(facts) };
  const converted = toRec709(upright, sizes, picture, (video) => video);
  const { text, map } = printGraph(firstFrameAtZero(setSquarePixels(converted)));
  const decoding = ["-threads", "1", "-reinit_filter", "0"];
  return {
    inputArgs: ["-xerror", ...openWithPixelLimit(path, facts, [...decoderArgs(facts), ...decoding])],
    graph: text,
    outputArgs: [
      ...["-map", map, ...encoding, ...keyframes, "-pix_fmt", "yuv420p", ...rec709Tags],
      ...(cpuFeatures === undefined ? [] : ["-x264-params", `asm=${cpuFeatures}`]),
      ...toTimedMp4(output),
    ],
    writes: [output],
    keepsFrameTimes: true,
  };
}

/** The facts of a half-size file. Its pixels may be slightly stretched, so that its sides are even. */
export function halfSizeFacts({ width = 0, height = 0, picture, ...facts }: MediaFacts): MediaFacts {
  const file = { container: "mp4", mimeType: "video/mp4", extension: "mp4" } as const;
  const half = { ...facts, ...file, width: width / 2, height: height / 2, hasSound: false };
  return picture ? { ...half, picture: { ...withoutMirroring(picture), ...codedAs } } : half;
}

const codedAs = { codec: "avc", matrix: "bt709", fullRange: false, transfer: "sdr" } as const;

const withoutMirroring = ({ mirroring: _, isInterlaced: __, ...picture }: VideoFacts): VideoFacts => picture;

const evenHalfOf = ({ width = 0, height = 0 }: MediaFacts): Size => ({
  width: 2 * Math.ceil(width / 4),
  height: 2 * Math.ceil(height / 4),
});
