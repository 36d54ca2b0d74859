import type { Container, MediaFacts } from "../../timeline/source.ts";
import type { Command } from "../command.ts";
import { format } from "../filters/color.ts";
import { asSeen, crop, paintOver, type Size, setSquarePixels, stack } from "../filters/geometry.ts";
import { resetTimestamps } from "../filters/time.ts";
import { filter, input, type Video } from "../graph/graph.ts";
import { printGraph } from "../graph/print.ts";
import { decoderArgs, openFile, openWithPixelLimit } from "../sources.ts";
import { toRec709 } from "../video/rec709.ts";

// one tick per frame: the stamps hold the times of the frames
const clock = { num: 25, den: 1 };

/** Writes every frame of a video to pipe 3, upright and scaled to `size`. `readAnalysisFrame` reads them. */
export function compileAnalysis(path: string, facts: MediaFacts, size: Size): Command {
  const picture = facts.kind === "image" ? ({ matrix: "rgb", hasAlpha: true } as const) : facts.picture;
  const upright = asSeen(input("video", 0), facts.picture);
  const converted = setSquarePixels(toRec709(upright, { from: { ...size, ...facts }, to: size }, picture, overBlack));
  const { text, map } = printGraph(resetTimestamps(addStamp(converted, size), clock));
  return {
    // a change of the frame size in mid-stream would restart the whole graph
    inputArgs: open(path, facts, ["-reinit_filter", "0", ...decoderArgs(facts)]),
    graph: text,
    outputArgs: ["-map", map, "-r", `${clock.num}`, "-f", "rawvideo", "pipe:3"],
    writes: [],
  };
}

/** Images that this service has encoded; those of users are converted first. */
const imageDemuxers: Partial<Record<Container, string>> = { gif: "gif", png: "png_pipe", jpeg: "jpeg_pipe" };

function open(path: string, facts: MediaFacts, options: readonly string[]): readonly string[] {
  const demuxer = facts.kind === "image" ? imageDemuxers[facts.container] : undefined;
  // ffmpeg would choose another demuxer by the name of the file
  return demuxer ? openFile(path, demuxer, ["-f", demuxer, ...options]) : openWithPixelLimit(path, facts, options);
}

/** The background is the video itself painted black, because the frames keep the times of the source. */
function overBlack(video: Video): Video {
  const transparent = format(video, "yuva420p");
  const black = filter<"video">("video", "lut", [transparent], { y: 16, u: 128, v: 128, a: 255 });
  return format(paintOver(format(black, "yuv420p"), transparent, { x: 0, y: 0 }), "yuv420p");
}

const stamp = { rows: 2, bytes: 6, pixelsPerByte: 4 };

/**
 * Raw frames carry no timestamps, so a stamp below the last row of each frame holds its time: microseconds,
 * little-endian, four pixels per byte. The filter `metadata` cannot print them instead: the ffmpeg of 2018 loses the
 * end of its output file.
 */
function addStamp(video: Video, { width }: Size): Video {
  const fine = filter<"video">("video", "settb", [video], { expr: "AVTB" });
  const strip = format(crop(fine, { width, height: stamp.rows }, { x: 0, y: 0 }), "yuv420p");
  const byte = `mod(floor((max(T,0)*1000000+0.5)/pow(256,floor(X/${stamp.pixelsPerByte}))),256)`;
  return stack([fine, filter("video", "geq", [strip], { lum: byte, cb: 128, cr: 128 })], "vertical");
}

export const analysisFrameBytes = ({ width, height }: Size): number => width * (height + stamp.rows) * 1.5;

/** Splits the bytes of a frame into its pixels (yuv420p, BT.709) and its time from the start of the video. */
export const readAnalysisFrame = (bytes: Uint8Array, size: Size) => ({
  pixels: pixelsOf(bytes, size),
  atSeconds: secondsOf(bytes, size),
});

function secondsOf(bytes: Uint8Array, { width, height }: Size): number {
  // reads each byte at a middle pixel
  const start = width * height + stamp.pixelsPerByte / 2;
  const digits = Array.from(
    { length: stamp.bytes },
    (_, digit) => bytes[start + stamp.pixelsPerByte * digit]! * 256 ** digit,
  );
  return digits.reduce((sum, digit) => sum + digit, 0) / 1e6;
}

function pixelsOf(bytes: Uint8Array, { width, height }: Size): Uint8Array {
  const pixels = new Uint8Array(width * height * 1.5);
  const chromaBytes = (width * height) / 4;
  const stampedChromaBytes = (width * (height + stamp.rows)) / 4;
  const firstChroma = width * (height + stamp.rows);
  pixels.set(bytes.subarray(0, width * height));
  for (const plane of [0, 1]) {
    const start = firstChroma + plane * stampedChromaBytes;
    pixels.set(bytes.subarray(start, start + chromaBytes), width * height + plane * chromaBytes);
  }
  return pixels;
}
