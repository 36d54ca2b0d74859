/** Splits a sample of MP4 into NAL units, each of which follows its length in the sample. */
export function splitUnits(bytes: Uint8Array, lengthBytes: number): readonly Uint8Array[] {
  const units: Uint8Array[] = [];
  for (let at = 0; at + lengthBytes < bytes.length; ) {
    const length = bytes.subarray(at, at + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
    units.push(bytes.subarray(at + lengthBytes, at + lengthBytes + length));
    at += lengthBytes + length;
  }
  return units;
}

/** Reads an AVCDecoderConfigurationRecord (ISO/IEC 14496-15): SPS and PPS units, each after a 16-bit length. */
export function readConfiguration(record: Uint8Array) {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const parameterSets: Uint8Array[] = [];
  let at = 5;
  for (const countMask of [0x1f, 0xff]) {
    for (let remaining = view.getUint8(at++) & countMask; remaining > 0; remaining--) {
      const end = at + 2 + view.getUint16(at);
      parameterSets.push(record.subarray(at + 2, end));
      at = end;
    }
  }
  return { parameterSets, lengthBytes: (view.getUint8(4) & 3) + 1 };
}

/** ITU-T H.264, 7.3.1: the first byte of a NAL unit holds nal_ref_idc (2 bits) and nal_unit_type (5 bits). */
export const isReference = (units: readonly Uint8Array[]): boolean =>
  units.some(([header = 0]) => isSlice(header & 0x1f) && (header & 0x60) !== 0);

const isSlice = (unitType: number) => unitType >= 1 && unitType <= 5;

const unitTypes = { idrSlice: 5, sequenceParameters: 7 };

const typeOf = ([header = 0]: Uint8Array) => header & 0x1f;

/** Decoding can begin at an IDR picture: no later one refers to a picture before it. */
export const isIdr = (units: readonly Uint8Array[]): boolean =>
  units.some((unit) => typeOf(unit) === unitTypes.idrSlice);

/**
 * True if the stream says how many pictures a decoder must delay for their order (bitstream_restriction_flag, E.1.1).
 * Otherwise ffmpeg guesses the delay from the pictures that it gets.
 */
export const declaresDelay = (parameterSets: readonly Uint8Array[]): boolean => {
  const sequences = parameterSets.filter((unit) => typeOf(unit) === unitTypes.sequenceParameters);
  return sequences.length > 0 && sequences.every(hasBitstreamRestriction);
};

const profilesWithChroma: ReadonlySet<number> = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128]);

/** ITU-T H.264, 7.3.2.1.1. False also for syntax that cameras and encoders do not write. */
function hasBitstreamRestriction(unit: Uint8Array): boolean {
  const { bits, exponential: number } = bitReader(withoutEmulation(unit.subarray(1)));
  const profile = bits(8);
  bits(16);
  number();
  if (profilesWithChroma.has(profile)) {
    if (number() === 3) bits(1);
    number();
    number();
    bits(1);
    if (bits(1) === 1) return false; // scaling lists
  }
  number();
  const orderType = number();
  if (orderType === 1) return false;
  if (orderType === 0) number();
  number();
  bits(1);
  number();
  number();
  if (bits(1) === 0) bits(1);
  bits(1);
  if (bits(1) === 1) for (let side = 0; side < 4; side++) number();
  return bits(1) === 1 && usabilityHasRestriction(bits, number);
}

type Read = ReturnType<typeof bitReader>;

/** VUI parameters, E.1.1. */
function usabilityHasRestriction(bits: Read["bits"], number: Read["exponential"]): boolean {
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

/** Reads bits; those past the end are zero. Of more than 31 bits, the value is meaningless. */
function bitReader(bytes: readonly number[]) {
  let at = 0;
  const bits = (count: number): number => {
    let value = 0;
    for (const end = at + count; at < end; at++) value = value * 2 + (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    return value;
  };
  /** Exp-Golomb code, 9.1. */
  const exponential = (): number => {
    let zeros = 0;
    while (zeros < 31 && bits(1) === 0) zeros++;
    return 2 ** zeros - 1 + bits(zeros);
  };
  return { bits, exponential };
}

/** Removes the byte 3 of each sequence 0 0 3 (7.4.1). */
function withoutEmulation(bytes: Uint8Array): readonly number[] {
  return [...bytes].filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0));
}
