import { join, repeat, type Size, text, u8 } from "./bytes.ts";

const little = (value: number, bytes: number) =>
  u8(...Array.from({ length: bytes }, (_, index) => (value >>> (8 * index)) & 0xff));

export const riffChunk = (name: string, ...content: readonly Uint8Array[]): Buffer => {
  const body = join(...content);
  return join(text(name), little(body.length, 4), body, Buffer.alloc(body.length & 1));
};

export const webpOf = (...chunks: readonly Uint8Array[]): Buffer => {
  const body = join(text("WEBP"), ...chunks);
  return join(text("RIFF"), little(body.length, 4), body);
};

/** One color for all pixels, which needs no data: five prefix codes of a single symbol each. */
export const flatPixels = ({ width, height }: Size): Buffer => {
  const size = BigInt(width - 1) | (BigInt(height - 1) << 14n);
  // no transform, no color cache, no groups of prefix codes; a code is "simple, one symbol, of one bit, 0"
  const codes = [0, 1, 2, 3, 4].reduce((bits) => (bits << 4n) | 0b0001n, 0n);
  const bits = size | (codes << (28n + 4n + 3n));
  return riffChunk(
    "VP8L",
    u8(0x2f),
    u8(...Array.from({ length: 8 }, (_, index) => Number((bits >> BigInt(8 * index)) & 0xffn))),
  );
};

const animated = 0x02;

const canvas = ({ width, height }: Size, flags: number) =>
  riffChunk("VP8X", little(flags, 4), little(width - 1, 3), little(height - 1, 3));

const animationFrame = ({ width, height }: Size, pixels: Size) =>
  riffChunk(
    "ANMF",
    little(0, 6),
    little(width - 1, 3),
    little(height - 1, 3),
    little(40, 3),
    u8(0),
    flatPixels(pixels),
  );

type Animation = {
  readonly canvasSize: Size;
  readonly frames: number;
  readonly frameSize?: Size;
  readonly pixelSize?: Size;
};

/** An animation. `frameSize` is what the frames claim to be, `pixelSize` what their pixels are. */
export const animatedWebp = ({
  canvasSize,
  frames,
  frameSize = canvasSize,
  pixelSize = frameSize,
}: Animation): Buffer =>
  webpOf(
    canvas(canvasSize, animated),
    riffChunk("ANIM", little(0, 6)),
    repeat(animationFrame(frameSize, pixelSize), frames),
  );

/** A still image whose canvas and pixels have sizes of their own, with more chunks behind. */
export const extendedWebp = (canvasSize: Size, pixelSize: Size, ...more: readonly Uint8Array[]): Buffer =>
  webpOf(canvas(canvasSize, 0), flatPixels(pixelSize), ...more);
