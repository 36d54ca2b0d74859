import { typeOf, unitTypes } from "./units.ts";

/** True if the stream declares the delay of a decoder. ffmpeg otherwise guesses it from the pictures. */
export const declaresDelay = (parameterSets: readonly Uint8Array[]): boolean => {
  const sequences = parameterSets.filter((unit) => typeOf(unit) === unitTypes.sequenceParameters);
  return sequences.length > 0 && sequences.every(sequenceDeclaresDelay);
};

const profilesWithChroma: ReadonlySet<number> = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128]);

/**
 * Reads a sequence parameter set, ITU-T H.264, 7.3.2.1.1, up to bitstream_restriction_flag. False for syntax that
 * cameras and encoders do not write. Throws for invalid syntax.
 */
function sequenceDeclaresDelay(unit: Uint8Array): boolean {
  const reader = bitReader(withoutEmulation(unit.subarray(1)));
  const { bits, flag, exponential: number } = reader;
  const profile = bits(8);
  bits(16);
  number();
  if (profilesWithChroma.has(profile)) {
    if (number() === 3) bits(1);
    number();
    number();
    bits(1);
    if (flag()) return false; // scaling lists
  }
  number();
  const orderType = number();
  if (orderType !== 0 && orderType !== 2) return false;
  if (orderType === 0) number();
  number();
  bits(1);
  number();
  number();
  const hasFramesOnly = flag();
  if (!hasFramesOnly) bits(1);
  bits(1);
  if (flag()) for (let side = 0; side < 4; side++) number();
  return flag() && usabilityHasRestriction(reader);
}

/** cpb_cnt_minus1 + 1, E.2.2. */
const maxBuffers = 32;

/** VUI parameters, E.1.1. */
function usabilityHasRestriction({ bits, exponential: number }: BitReader): boolean {
  if (bits(1) === 1 && bits(8) === 255) bits(32);
  if (bits(1) === 1) bits(1);
  if (bits(1) === 1) {
    bits(4);
    if (bits(1) === 1) bits(24);
  }
  if (bits(1) === 1) {
    number();
    number();
  }
  if (bits(1) === 1) bits(65);
  const buffers = [0, 0].map(() => {
    if (bits(1) === 0) return 0;
    const count = number() + 1;
    if (count > maxBuffers) throw new Error("The stream describes too many buffers.");
    bits(8);
    for (let buffer = 0; buffer < count; buffer++) {
      number();
      number();
      bits(1);
    }
    return bits(20) >= 0 ? 1 : 0;
  });
  if (buffers.includes(1)) bits(1);
  bits(1);
  return bits(1) === 1;
}

type BitReader = ReturnType<typeof bitReader>;

/** Reads bits. The value of more than 31 bits is meaningless. Throws at the end of the bytes. */
function bitReader(bytes: readonly number[] | Uint8Array) {
  let at = 0;
  const bits = (count: number): number => {
    const end = at + count;
    if (end > 8 * bytes.length) throw new Error("The syntax continues behind the end of its unit.");
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
function withoutEmulation(bytes: Uint8Array): readonly number[] {
  return [...bytes].filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0));
}
