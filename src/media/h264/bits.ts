export type BitReader = ReturnType<typeof bitReader>;

/** Reads bits. Of more than 31 bits, the value is meaningless. Throws at the end of the bytes. */
export function bitReader(bytes: readonly number[] | Uint8Array) {
  let at = 0;
  const bits = (count: number): number => {
    const end = at + count;
    if (end > 8 * bytes.length) throw new Error("The syntax goes on behind the end of its unit.");
    let value = 0;
    for (; at < end; at++) value = value * 2 + ((bytes[at >> 3]! >> (7 - (at & 7))) & 1);
    return value;
  };
  const flag = (): boolean => bits(1) === 1;
  /** Exp-Golomb code, 9.1. */
  const exponential = (): number => {
    let zeros = 0;
    while (zeros < 31 && bits(1) === 0) zeros++;
    return 2 ** zeros - 1 + bits(zeros);
  };
  return { bits, flag, exponential };
}

export type BitWriter = ReturnType<typeof bitWriter>;

export function bitWriter() {
  const bytes: number[] = [];
  let used = 0;
  const bits = (value: number, count: number): void => {
    for (let bit = count - 1; bit >= 0; bit--) {
      if (used % 8 === 0) bytes.push(0);
      bytes[bytes.length - 1]! |= ((value >> bit) & 1) << (7 - (used++ % 8));
    }
  };
  /** Exp-Golomb code, 9.1. */
  const exponential = (value: number): void => bits(value + 1, 2 * Math.floor(Math.log2(value + 1)) + 1);
  /** A one, and zeros up to the end of a byte: rbsp_trailing_bits, 7.3.2.11. */
  const end = (): Uint8Array => {
    bits(1, 1);
    return Uint8Array.from(bytes);
  };
  return { bits, exponential, end, bytes: (): Uint8Array => Uint8Array.from(bytes) };
}

/** Removes the byte 3 of each sequence 0 0 3 (7.4.1). */
export function withoutEmulation(bytes: Uint8Array): readonly number[] {
  return [...bytes].filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0));
}

/** Inserts a byte 3 before a byte of at most 3 that follows two zeros (7.4.1). */
export function withEmulation(bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length + (bytes.length >> 1) + 1);
  let length = 0;
  let zeros = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (zeros === 2 && byte <= 3) {
      result[length++] = 3;
      zeros = 0;
    }
    result[length++] = byte;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return result.subarray(0, length);
}
