import { crc32, deflateSync } from "node:zlib";
import { join, repeat, type Size, text, u8, u16, u32 } from "./bytes.ts";

const signature = u8(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

export const chunk = (name: string, ...content: readonly Uint8Array[]): Buffer => {
  const body = join(text(name), ...content);
  return join(u32(body.length - 4), body, u32(crc32(body)));
};

const gray = 0;
const notInterlaced = 0;

const header = ({ width, height }: Size, bitDepth = 1, colorType = gray, interlace = notInterlaced) =>
  chunk("IHDR", u32(width, height), u8(bitDepth, colorType, 0, 0, interlace));

/** Zeros, deflated a thousandfold; `bytes` is what they inflate to. */
const deflatedZeros = (bytes: number): Buffer => deflateSync(Buffer.alloc(bytes), { level: 9 });

const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 6: 4 };

const pixelBytes = ({ width, height }: Size, bitDepth: number, colorType: number) =>
  height * (1 + Math.ceil((width * bitDepth * channels[colorType]!) / 8));

type Options = Size & {
  readonly bitDepth?: 1 | 8 | 16;
  readonly colorType?: 0 | 2 | 6;
  readonly interlaced?: boolean;
  /** Chunks before the pixels. */
  readonly before?: readonly Uint8Array[];
  /** Chunks after the pixels. */
  readonly after?: readonly Uint8Array[];
  readonly pixels?: Uint8Array;
};

/** A black image. */
export function pngOf({ bitDepth = 1, colorType = 0, interlaced = false, before = [], after = [], ...rest }: Options) {
  const pixels = rest.pixels ?? deflatedZeros(pixelBytes(rest, bitDepth, colorType));
  return join(
    ...[signature, header(rest, bitDepth, colorType, interlaced ? 1 : 0), ...before],
    ...[chunk("IDAT", pixels), ...after, chunk("IEND")],
  );
}

const small: Size = { width: 8, height: 8 };

/** Empty chunks of any name. */
export const pngOfChunks = (count: number, name = "prVt"): Buffer =>
  pngOf({ ...small, before: [repeat(chunk(name), count)] });

/** Pixels in chunks of one byte each. */
export function pngOfTinyPixelChunks(size: Size): Buffer {
  const pixels = deflatedZeros(pixelBytes(size, 1, gray));
  return join(signature, header(size), ...[...pixels].map((byte) => chunk("IDAT", u8(byte))), chunk("IEND"));
}

/** Texts, a color profile or EXIF data that inflate to `bytes` each. */
export const inflatingChunk = (name: "zTXt" | "iTXt" | "iCCP", bytes: number): Buffer => {
  const flag = name === "iTXt" ? u8(1, 0, 0, 0) : u8(0);
  return chunk(name, text("Comment\0"), flag, deflatedZeros(bytes));
};

const frameControl = (sequence: number, { width, height }: Size) =>
  chunk("fcTL", u32(sequence, width, height, 0, 0), u16(1, 25), u8(0, 0));

/** An animation of equal frames; `frameSize` is that of all frames but the first. */
export function apngOf({ frames, frameSize, ...size }: Size & { readonly frames: number; readonly frameSize?: Size }) {
  const later = frameSize ?? size;
  const pixels = deflatedZeros(pixelBytes(later, 1, gray));
  const frame = (index: number) => join(frameControl(2 * index - 1, later), chunk("fdAT", u32(2 * index), pixels));
  return pngOf({
    ...size,
    before: [chunk("acTL", u32(frames, 0)), frameControl(0, size)],
    after: Array.from({ length: frames - 1 }, (_, index) => frame(index + 1)),
  });
}
