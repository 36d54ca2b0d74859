import { bitsOf, join, packBits, repeat, type Size, text, u8, u16 } from "./bytes.ts";

const small: Size = { width: 8, height: 8 };
const start = u8(0xff, 0xd8);
const end = u8(0xff, 0xd9);

/** A marker with its length and content. */
const segment = (marker: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = join(...content);
  return join(u8(0xff, marker), u16(body.length + 2), body);
};

const quantization = segment(0xdb, u8(0), repeat(u8(1), 64));

/** A Huffman table whose first symbol is written 0 and whose second is written 10. */
const huffman = (classAndId: number, symbols: readonly [number, number]) =>
  segment(0xc4, u8(classAndId, 1, 1), Buffer.alloc(14), u8(...symbols));

/** The table of progressive scans: a run of 2^r or more empty blocks is r in four bits, then r bits of its length. */
const emptyRuns = segment(
  0xc4,
  u8(0x10, 0, 0, 0, 15),
  Buffer.alloc(12),
  u8(...Array.from({ length: 15 }, (_, r) => r << 4)),
);

const frame = (marker: number, { width, height }: Size, components: number) => {
  const ids = [1, 2, 3].slice(0, components);
  return segment(marker, u8(8), u16(height, width), u8(components), ...ids.map((id) => u8(id, 0x11, 0)));
};

const scan = (component: number, bands: readonly [from: number, to: number], bits: number, data: Uint8Array) =>
  join(segment(0xda, u8(1, component, 0x00, ...bands, bits)), data);

const blocksOf = ({ width, height }: Size) => Math.ceil(width / 8) * Math.ceil(height / 8);

/** A gray baseline image. `more` stands before the frame. */
export const jpegOf = (size: Size, ...more: readonly Uint8Array[]): Buffer =>
  join(
    ...[start, ...more, quantization, frame(0xc0, size, 1), huffman(0x00, [0, 1]), huffman(0x10, [0, 1])],
    // in each block one bit for the same brightness as before, and one for the end of the block
    ...[scan(1, [0, 63], 0, Buffer.alloc(Math.ceil(blocksOf(size) / 4))), end],
  );

/** Segments without content, four bytes each; a decoder allocates for every one. */
export const jpegOfSegments = (count: number, marker = 0xe1): Buffer => jpegOf(small, repeat(segment(marker), count));

/** Full segments of metadata, as phones write depth maps and panoramas. */
export const jpegOfMetadata = (segments: number): Buffer =>
  jpegOf(small, repeat(segment(0xe1, text("http://ns.adobe.com/xmp/extension/\0"), Buffer.alloc(65_000)), segments));

/** A refining scan that says nothing: some bytes for 32,767 blocks, each of which the decoder visits. */
function emptyScan(component: number, size: Size, bits: number): Buffer {
  const data: number[] = [];
  for (let left = blocksOf(size); left > 0; ) {
    const r = Math.min(14, Math.floor(Math.log2(left)));
    const run = Math.min(left, 2 ** (r + 1) - 1);
    data.push(...bitsOf(r, 4), ...bitsOf(run - 2 ** r, r));
    left -= run;
  }
  return scan(component, [1, 63], bits, stuffed(packBits(data)));
}

/** A byte of eight ones would begin a marker. */
const stuffed = (data: Uint8Array) => u8(...[...data].flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte])));

type Progressive = Size & { readonly scans: number; readonly components?: 1 | 3 };

/** A progressive image of empty scans that refine the same bits over and over. */
export function progressiveJpeg({ scans, components = 3, ...size }: Progressive): Buffer {
  const ids = [1, 2, 3].slice(0, components);
  const flat = ids.map((id) => scan(id, [0, 0], 0, Buffer.alloc(Math.ceil(blocksOf(size) / 8))));
  const first = ids.map((id) => emptyScan(id, size, 0x01));
  const refining = ids.map((id) => emptyScan(id, size, 0x10));
  return join(
    ...[start, quantization, frame(0xc2, size, components), huffman(0x00, [0, 1]), emptyRuns],
    ...[...flat, ...first],
    ...Array.from({ length: Math.max(0, scans - 2 * components) }, (_, index) => refining[index % components]!),
    end,
  );
}

/** Two frames of different sizes: readers of headers may see one and decoders the other. */
export const jpegOfTwoFrames = (first: Size, second: Size): Buffer => jpegOf(second, frame(0xc0, first, 1));
