import { join, repeat, type Size, text, u8 } from "./bytes.ts";

const little16 = (...values: readonly number[]) => u8(...values.flatMap((value) => [value & 0xff, value >> 8]));

const palette = u8(0, 0, 0, 255, 255, 255);
const trailer = u8(0x3b);

/** Up to 255 bytes in each block, and an empty one at the end. */
function subBlocks(data: Uint8Array): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    blocks.push(u8(block.length), Buffer.from(block));
  }
  return join(...blocks, u8(0));
}

const onePixel = u8(0x44, 0x01);

const frame = ({ width, height }: Size) => join(u8(0x2c), little16(0, 0, width, height), u8(0, 2), subBlocks(onePixel));

/** Frames with the data of one pixel each, whatever their size. `screen` is the size that the header tells. */
export const gifOf = ({
  screen,
  frameSize = screen,
  frames = 1,
  before = Buffer.alloc(0),
}: {
  readonly screen: Size;
  readonly frameSize?: Size;
  readonly frames?: number;
  readonly before?: Uint8Array;
}): Buffer =>
  join(
    ...[text("GIF89a"), little16(screen.width, screen.height), u8(0x80, 0, 0), palette],
    ...[before, repeat(frame(frameSize), frames), trailer],
  );

/** Comments of one byte in a block each. */
export const gifOfComments = (count: number): Buffer =>
  gifOf({ screen: { width: 1, height: 1 }, before: repeat(join(u8(0x21, 0xfe), subBlocks(u8(0x20))), count) });
