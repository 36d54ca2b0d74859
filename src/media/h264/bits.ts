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

/** Removes the byte 3 of each sequence 0 0 3 (7.4.1). */
export function withoutEmulation(bytes: Uint8Array): readonly number[] {
  return [...bytes].filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0));
}
