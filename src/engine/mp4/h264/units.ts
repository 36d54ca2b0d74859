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

export const unitTypes = { idrSlice: 5, supplement: 6, sequenceParameters: 7, pictureParameters: 8 };

export const typeOf = ([header = 0]: Uint8Array): number => header & 0x1f;

/** Decoding can begin at an IDR picture: no later one refers to a picture before it. */
export const isIdr = (units: readonly Uint8Array[]): boolean =>
  units.some((unit) => typeOf(unit) === unitTypes.idrSlice);
