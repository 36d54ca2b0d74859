import { type BitReader, bitReader, withoutEmulation } from "./bits.ts";
import { typeOf, unitTypes } from "./units.ts";

/** Of a sequence parameter set, ITU-T H.264, 7.3.2.1.1. */
export type Sequence = {
  readonly id: number;
  /** 8 bits for each sample, and chroma of half the width and height. */
  readonly isUsualFormat: boolean;
  readonly frameNumberBits: number;
  /** pic_order_cnt_type: 1 is never read. */
  readonly orderType: 0 | 2;
  /** Only with order type 0. */
  readonly orderBits: number;
  /** max_num_ref_frames. */
  readonly references: number;
  readonly allowsGaps: boolean;
  /** In macroblocks of 16 × 16 samples. */
  readonly columns: number;
  readonly rows: number;
  /** No interlaced pictures. */
  readonly hasFramesOnly: boolean;
  /** Says how many pictures a decoder must delay for their order (bitstream_restriction_flag, E.1.1). */
  readonly declaresDelay: boolean;
};

/**
 * True if the stream says how many pictures a decoder must delay for their order. Otherwise ffmpeg guesses the delay
 * from the pictures that it gets.
 */
export const declaresDelay = (parameterSets: readonly Uint8Array[]): boolean => {
  const sequences = parameterSets.filter((unit) => typeOf(unit) === unitTypes.sequenceParameters);
  return sequences.length > 0 && sequences.every((unit) => readSequence(unit)?.declaresDelay ?? false);
};

const profilesWithChroma: ReadonlySet<number> = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128]);

/** Undefined for syntax that cameras and encoders do not write. Throws for syntax that is wrong. */
export function readSequence(unit: Uint8Array): Sequence | undefined {
  const reader = bitReader(withoutEmulation(unit.subarray(1)));
  const { bits, flag, exponential: number } = reader;
  const profile = bits(8);
  bits(16);
  const id = number();
  let isUsualFormat = true;
  if (profilesWithChroma.has(profile)) {
    const chroma = number();
    if (chroma === 3) bits(1);
    const depths = [number(), number()];
    const isLossless = flag();
    isUsualFormat = chroma === 1 && depths.every((depth) => depth === 0) && !isLossless;
    if (flag()) return undefined; // scaling lists
  }
  const frameNumberBits = number() + 4;
  const orderType = number();
  if (orderType !== 0 && orderType !== 2) return undefined;
  const orderBits = orderType === 0 ? number() + 4 : 0;
  const references = number();
  const allowsGaps = flag();
  const [columns, rows] = [number() + 1, number() + 1];
  const hasFramesOnly = flag();
  if (!hasFramesOnly) bits(1);
  bits(1);
  if (flag()) for (let side = 0; side < 4; side++) number();
  const counts = { id, frameNumberBits, orderBits, references, columns, rows };
  const says = { isUsualFormat, allowsGaps, hasFramesOnly, declaresDelay: flag() && usabilityHasRestriction(reader) };
  return { ...counts, ...says, orderType };
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

/** Of a picture parameter set, 7.3.2.2. */
export type PictureSettings = {
  readonly id: number;
  readonly sequenceId: number;
  /** Slices have fields for interlaced pictures, or for pictures in groups or sent twice. */
  readonly isUnusual: boolean;
  /** Entries of the two lists of reference pictures, unless a slice says otherwise. */
  readonly listLengths: readonly [number, number];
  /** Slices have a table of weights for their predictions (pred_weight_table). */
  readonly hasWeights: { readonly forward: boolean; readonly bidirectional: boolean };
};

export function readPictureSettings(unit: Uint8Array): PictureSettings {
  const { bits, flag, exponential: number } = bitReader(withoutEmulation(unit.subarray(1)));
  const [id, sequenceId] = [number(), number()];
  bits(1);
  const hasFields = flag();
  const hasGroups = number() > 0;
  const listLengths = [number() + 1, number() + 1] as const;
  const hasWeights = { forward: flag(), bidirectional: bits(2) === 1 };
  for (let quantizer = 0; quantizer < 3; quantizer++) number();
  bits(2);
  return { id, sequenceId, isUnusual: hasFields || hasGroups || flag(), listLengths, hasWeights };
}
