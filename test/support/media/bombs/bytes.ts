export type Size = { readonly width: number; readonly height: number };

/** Bytes, and big-endian numbers of 16 and 32 bits. */
export const u8 = (...values: readonly number[]): Buffer => Buffer.from(values);

export function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, 2 * index);
  return bytes;
}

export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * index);
  return bytes;
}

export const text = (value: string): Buffer => Buffer.from(value, "latin1");

export const join = (...parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts);

/** The same bytes `count` times, without an array of that many parts. */
export const repeat = (bytes: Uint8Array, count: number): Buffer =>
  count === 0 ? Buffer.alloc(0) : Buffer.alloc(bytes.length * count, bytes);

/** Bits as a number each (0 or 1), most significant first, filled up with ones as JPEG does. */
export function packBits(bits: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8), 0xff);
  for (const [index, bit] of bits.entries()) if (!bit) bytes[index >> 3]! &= ~(0x80 >> (index & 7));
  return bytes;
}

export const bitsOf = (value: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => (value >> (count - 1 - index)) & 1);
