import { sum } from "../../platform/values.ts";
import { tableBytes } from "../inspect/structure/gif.ts";
import { type Container, maxPictures } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { pixelChunks, webpChunk, webpFile } from "./animated-webp.ts";
import { pngChunk, pngSignature } from "./png.ts";

/** A picture of an animation: a part of its canvas. */
export type MovingPart = Canvas & {
  readonly x: number;
  readonly y: number;
  readonly milliseconds: number;
  /** Replaces what lies below it; else it is painted over that. */
  readonly replaces: boolean;
  /** What becomes of its part of the canvas after it. */
  readonly after: "kept" | "cleared" | "restored";
  /** A still image of this part alone. */
  file(): Uint8Array;
};

export type MovingImage = Canvas & { readonly parts: readonly MovingPart[] };

/** More pixels in all take seconds of each drawing task. */
const limits = { pictures: maxPictures, pixels: 200_000_000 };

/** Browsers show pictures without a duration, and those of a hundredth of a second, this long. */
const usualMilliseconds = 100;

/**
 * Finds the pictures of an animated GIF, WebP or PNG, without decoding them; undefined if it has one alone, or too many
 * to be played. Skia decodes the first picture of an animation only, so each becomes a file of its own.
 */
export function readMovingImage(bytes: Uint8Array, container: Container): MovingImage | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const image = readers[container]?.(file);
  if (!image || image.parts.length < 2 || image.parts.length > limits.pictures) return undefined;
  const { width, height, parts } = image;
  const pixels = Math.max(width * height * parts.length, sum(parts.map((part) => part.width * part.height)));
  if (pixels > limits.pixels || parts.some((part) => part.width * part.height === 0)) return undefined;
  return { width, height, parts: parts.map((part) => ({ ...part, milliseconds: shownFor(part) })) };
}

const shownFor = ({ milliseconds }: MovingPart): number => (milliseconds > 10 ? milliseconds : usualMilliseconds);

const readers: Partial<Record<Container, (file: Buffer) => MovingImage>> = {
  gif: readGif,
  webp: readWebp,
  png: readPng,
};

const gifEnd = Buffer.from([0x3b]);

const empty: MovingImage = { width: 0, height: 0, parts: [] };

function readGif(file: Buffer): MovingImage {
  if (file.length < 13) return empty;
  const headEnd = 13 + tableBytes(file[10] ?? 0);
  const parts: MovingPart[] = [];
  let [width, height] = [file.readUInt16LE(6), file.readUInt16LE(8)];
  let control: Buffer | undefined;
  for (let at = headEnd; at + 10 <= file.length; ) {
    const start = at;
    const isExtension = file[at] === 0x21;
    if (!isExtension && file[at] !== 0x2c) break;
    at += isExtension ? 2 : 11 + tableBytes(file[at + 9]!);
    while (at < file.length && file[at] !== 0) at += 1 + file[at]!;
    at++;
    if (at > file.length) break;
    if (isExtension) {
      if (file[start + 1] === 0xf9 && at - start >= 8) control = file.subarray(start, at);
      continue;
    }
    const [x, y, partWidth, partHeight] = [1, 3, 5, 7].map((offset) => file.readUInt16LE(start + offset)) as Sides;
    // as decoders do: the first picture may be larger than the screen
    if (parts.length === 0) [width, height] = [Math.max(width, x + partWidth), Math.max(height, y + partHeight)];
    const disposal = ((control?.[3] ?? 0) >> 2) & 7;
    const own = control ?? Buffer.alloc(0);
    const picture = Buffer.from(file.subarray(start, at));
    picture.fill(0, 1, 5);
    parts.push({
      ...{ x, y, width: partWidth, height: partHeight, replaces: false },
      milliseconds: 10 * (control?.readUInt16LE(4) ?? 0),
      after: disposal === 2 ? "cleared" : disposal === 3 ? "restored" : "kept",
      file() {
        const head = Buffer.from(file.subarray(0, headEnd));
        head.writeUInt16LE(partWidth, 6);
        head.writeUInt16LE(partHeight, 8);
        return Buffer.concat([head, own, picture, gifEnd]);
      },
    });
    control = undefined;
  }
  return { width, height, parts };
}

type Sides = [x: number, y: number, width: number, height: number];

type Chunk = { readonly name: string; readonly data: Buffer };

/** The chunks of a RIFF file. */
function webpChunks(file: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4);
    chunks.push({ name: file.toString("latin1", at, at + 4), data: file.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length & 1);
  }
  return chunks;
}

const [hasAlpha, hasProfile] = [0x10, 0x20];

function readWebp(file: Buffer): MovingImage {
  const chunks = webpChunks(file);
  const head = chunks.find(({ name, data }) => name === "VP8X" && data.length >= 10)?.data;
  if (!head) return empty;
  const profile = chunks.find(({ name }) => name === "ICCP")?.data;
  const frames = chunks.filter(({ name, data }) => name === "ANMF" && data.length > 16);
  const parts = frames.map(({ data }): MovingPart => {
    const flags = data[15]!;
    const [width, height] = [data.readUIntLE(6, 3) + 1, data.readUIntLE(9, 3) + 1];
    return {
      ...{ x: 2 * data.readUIntLE(0, 3), y: 2 * data.readUIntLE(3, 3), width, height },
      milliseconds: data.readUIntLE(12, 3),
      replaces: (flags & 2) !== 0,
      after: flags & 1 ? "cleared" : "kept",
      file() {
        const flags = hasAlpha | (profile ? hasProfile : 0);
        return webpFile({ width, height }, flags, [
          ...(profile ? [webpChunk("ICCP", profile)] : []),
          ...pixelChunks(data, 16),
        ]);
      },
    };
  });
  return { width: head.readUIntLE(4, 3) + 1, height: head.readUIntLE(7, 3) + 1, parts };
}

/** The chunks before the pixels that say how these are read. */
const pngHeads: ReadonlySet<string> = new Set(["PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT"]);

function readPng(file: Buffer): MovingImage {
  let header = Buffer.alloc(13);
  const heads: Buffer[] = [];
  const parts: MovingPart[] = [];
  let pixels: Buffer[] | undefined;
  for (let at = pngSignature.length; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const name = file.toString("latin1", at + 4, at + 8);
    const data = file.subarray(at + 8, at + 8 + length);
    if (name === "IHDR" && data.length === 13) header = Buffer.from(data);
    else if (pngHeads.has(name)) heads.push(file.subarray(at, at + 12 + length));
    else if (name === "fcTL" && data.length >= 26) {
      pixels = [];
      parts.push(pngPart(data, { header, heads, pixels }));
    } else if (name === "IDAT") pixels?.push(data);
    else if (name === "fdAT") pixels?.push(data.subarray(4));
    at += 12 + length;
  }
  return { width: header.readUInt32BE(0), height: header.readUInt32BE(4), parts };
}

type PngFile = { readonly header: Buffer; readonly heads: readonly Buffer[]; readonly pixels: readonly Buffer[] };

function pngPart(control: Buffer, { header, heads, pixels }: PngFile): MovingPart {
  const [width, height, x, y] = [4, 8, 12, 16].map((offset) => control.readUInt32BE(offset)) as Sides;
  const [counter, divisor] = [control.readUInt16BE(20), control.readUInt16BE(22)];
  return {
    ...{ x, y, width, height },
    milliseconds: Math.round((1000 * counter) / (divisor || 100)),
    replaces: control[25] === 0,
    after: control[24] === 1 ? "cleared" : control[24] === 2 ? "restored" : "kept",
    file() {
      const own = Buffer.from(header);
      own.writeUInt32BE(width, 0);
      own.writeUInt32BE(height, 4);
      const chunks = [pngChunk("IHDR", own), ...heads, pngChunk("IDAT", Buffer.concat(pixels)), pngChunk("IEND")];
      return Buffer.concat([pngSignature, ...chunks]);
    },
  };
}
