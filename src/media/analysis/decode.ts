import { resolve } from "node:path";
import {
  cropped,
  inFormat,
  numbered,
  overlaid,
  recoded,
  type Size,
  scaled,
  squarePixels,
  stacked,
  toneMapped,
  unmirrored,
} from "../../compiler/filters/filters.ts";
import { filter, input, type Video } from "../../compiler/graph/graph.ts";
import { printGraph } from "../../compiler/graph/print.ts";
import { decoderArgs, openSource } from "../../compiler/sources.ts";
import type { MediaFacts, PictureFacts } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { maxVideoPixels } from "../inspect/sample.ts";

const limits = { cpuSeconds: 600, fileBytes: 2 ** 28, memoryBytes: 4 * 2 ** 30 };

const pixels = 128 * 72;

/** As many pixels for every film, in its own proportions, in whole blocks of eight. */
export function smallSize({ width = 16, height = 9 }: MediaFacts): Size {
  const scale = Math.sqrt(pixels / (width * height));
  const side = (length: number) => Math.min(512, Math.max(32, 8 * Math.round((length * scale) / 8)));
  return { width: side(width), height: side(height) };
}

type Decoding = {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onPicture: (bytes: Uint8Array, atSeconds: number) => void;
};

/** Every picture of a film, upright and small, as yuv420p in BT.709, with its time from the film's beginning on. */
export async function decodeSmall(ffmpeg: Ffmpeg, path: string, facts: MediaFacts, decoding: Decoding): Promise<void> {
  const { folder, signal, onPicture } = decoding;
  const size = smallSize(facts);
  const { text, map } = printGraph(numbered(stamped(painted(facts, size), size), clock));
  const onStamped = (bytes: Uint8Array) => onPicture(withoutStamp(bytes, size), stampOf(bytes, size));
  await ffmpeg.run(
    {
      inputArgs: openSource({ file: path, hash: "", facts }, { pathOf: ({ file }) => resolve(file) }, [
        ...["-max_pixels", `${maxVideoPixels}`, "-reinit_filter", "0"],
        ...decoderArgs(facts),
      ]),
      graph: text,
      outputArgs: ["-map", map, "-r", `${clock.num}`, "-f", "rawvideo", "pipe:3"],
    },
    { folder, signal, limits, onOutput: inPieces(size.width * (size.height + stampRows) * 1.5, onStamped) },
  );
}

const clock = { num: 25, den: 1 };
const stampRows = 2;
const stampBytes = 6;
const stampWidth = 4;

/**
 * Raw pictures have no times, so each carries its own below: microseconds, the lowest byte first, four pixels a byte.
 * The ffmpeg of 2018 loses the end of what the filter metadata prints to a file.
 */
function stamped(video: Video, { width }: Size): Video {
  const fine = filter<"video">("video", "settb", [video], { expr: "AVTB" });
  const strip = inFormat(cropped(fine, { width, height: stampRows }, { x: 0, y: 0 }), "yuv420p");
  const byte = `mod(floor((max(T,0)*1000000+0.5)/pow(256,floor(X/${stampWidth}))),256)`;
  return stacked([fine, filter("video", "geq", [strip], { lum: byte, cb: 128, cr: 128 })], "down");
}

function stampOf(bytes: Uint8Array, { width, height }: Size): number {
  const start = width * height + stampWidth / 2;
  const digits = Array.from({ length: stampBytes }, (_, place) => bytes[start + stampWidth * place]! * 256 ** place);
  return digits.reduce((sum, digit) => sum + digit, 0) / 1e6;
}

function withoutStamp(bytes: Uint8Array, { width, height }: Size): Uint8Array {
  const picture = new Uint8Array(width * height * 1.5);
  const chroma = (width * height) / 4;
  const chromaWithStamp = (width * (height + stampRows)) / 4;
  const firstChroma = width * (height + stampRows);
  picture.set(bytes.subarray(0, width * height));
  for (const plane of [0, 1]) {
    const from = firstChroma + plane * chromaWithStamp;
    picture.set(bytes.subarray(from, from + chroma), width * height + plane * chroma);
  }
  return picture;
}

function painted(facts: MediaFacts, size: Size): Video {
  const upright = unmirrored(input("video", 0), facts.picture?.mirroring);
  return squarePixels(inRec709(upright, size, facts.picture));
}

function inRec709(video: Video, size: Size, picture?: PictureFacts): Video {
  const { matrix = "bt709", fullRange = false, transfer = "sdr", hasAlpha = false } = picture ?? {};
  if (transfer !== "sdr") return inFormat(toneMapped(scaled(video, size), transfer), "yuv420p");
  const sized = scaled(video, size, matrix === "rgb" ? { toRec709: true } : { fullRange });
  const opaque = inFormat(hasAlpha ? overBlack(sized) : sized, "yuv420p");
  return matrix === "bt601" || matrix === "bt2020" ? recoded(opaque, matrix) : opaque;
}

function overBlack(video: Video): Video {
  const clear = inFormat(video, "yuva420p");
  const black = filter("video", "lut", [clear], { y: 16, u: 128, v: 128, a: 255 });
  return overlaid(inFormat(black as Video, "yuv420p"), clear, { x: 0, y: 0 });
}

/** Hands bytes on in pieces of one size; what is left at the end is no whole picture. */
function inPieces(size: number, onPiece: (piece: Uint8Array) => void): (bytes: Uint8Array) => void {
  const piece = new Uint8Array(size);
  let filled = 0;
  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + size - filled);
      piece.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < size) continue;
      onPiece(piece);
      filled = 0;
    }
  };
}
