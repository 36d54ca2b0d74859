import { bitWriter, withEmulation } from "./bits.ts";
import type { Sequence } from "./parameter-sets.ts";
import type { Slice } from "./slice.ts";
import { unitTypes } from "./units.ts";

/** The place of a decoded picture in its stream. */
export type Place = Pick<Slice, "referenceLevel" | "frameNumber" | "order" | "removed">;

export type RawPictures = {
  readonly sequence: Sequence;
  /** Of the picture parameter set that only these pictures use. */
  readonly settingsId: number;
};

/** The samples of a picture in planes: luma, and two of chroma with half its width and height. */
export const bytesOfPicture = ({ columns, rows }: Sequence): number => columns * rows * bytesPerBlock;

/** I_PCM: 16 × 16 samples of luma, and twice 8 × 8 of chroma (7.3.5). */
const bytesPerBlock = 384;

/**
 * A unit with a decoded picture, uncompressed, in place of the coded one that it was decoded from. Later pictures refer to
 * it as to that one.
 */
export function rawPicture(samples: Uint8Array, place: Place, stream: RawPictures): Uint8Array {
  const { columns, rows } = stream.sequence;
  const header = sliceHeader(place, stream);
  // mb_type 25 and pcm_alignment_zero_bit: those of the first block end the header's last byte
  header.exponential(25);
  const start = header.bytes();
  const body = new Uint8Array(start.length + columns * rows * (2 + bytesPerBlock) - 1);
  body.set(start);
  let to = start.length;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (to > start.length) {
        body[to] = 0b00001101;
        to += 2;
      }
      to = copyBlock(samples, stream.sequence, { row, column }, body, to);
    }
  }
  body[to] = 0x80;
  return unitOf((place.referenceLevel << 5) | 1, body);
}

function copyBlock(
  samples: Uint8Array,
  { columns, rows }: Sequence,
  { row, column }: { readonly row: number; readonly column: number },
  body: Uint8Array,
  start: number,
): number {
  let to = start;
  const copy = (plane: number, size: number) => {
    const width = columns * size;
    let from = plane + row * size * width + column * size;
    for (let line = 0; line < size; line++) {
      for (let at = 0; at < size; at++) body[to++] = samples[from + at]!;
      from += width;
    }
  };
  const luma = columns * rows * 256;
  copy(0, 16);
  copy(luma, 8);
  copy(luma + luma / 4, 8);
  return to;
}

/** A unit with a gray picture in place of one that nothing later is predicted from, because lists of pictures count it. */
export function grayPicture(place: Place, stream: RawPictures): Uint8Array {
  const { columns, rows } = stream.sequence;
  const slice = sliceHeader(place, stream);
  for (let block = columns * rows; block > 0; block--) {
    // mb_type I_16x16_2_0_0, which is predicted as gray; chroma too; the same quantizer; no coefficients
    slice.exponential(3);
    slice.bits(0b111, 3);
  }
  return unitOf((place.referenceLevel << 5) | 1, slice.end());
}

/** 7.3.3. */
function sliceHeader({ frameNumber, order, removed }: Place, { sequence, settingsId }: RawPictures) {
  const header = bitWriter();
  header.exponential(0);
  header.exponential(7); // all slices of the picture are of type I
  header.exponential(settingsId);
  header.bits(frameNumber, sequence.frameNumberBits);
  header.bits(order, sequence.orderBits);
  header.bits(removed ? 1 : 0, 1);
  for (const difference of removed ?? []) {
    header.exponential(1);
    header.exponential(difference - 1);
  }
  if (removed) header.exponential(0);
  header.exponential(0);
  header.exponential(1); // no loop filter
  return header;
}

/** 7.3.2.2: variable-length codes instead of CABAC, no weights, and control over the loop filter. */
export function rawPictureSettings({ sequence, settingsId }: RawPictures): Uint8Array {
  const settings = bitWriter();
  settings.exponential(settingsId);
  settings.exponential(sequence.id);
  settings.bits(0, 2);
  for (let zero = 0; zero < 3; zero++) settings.exponential(0);
  settings.bits(0, 3);
  for (let zero = 0; zero < 3; zero++) settings.exponential(0);
  settings.bits(0b100, 3);
  return unitOf((3 << 5) | unitTypes.pictureParameters, settings.end());
}

/** Says that decoding can begin here, and that every picture is right from here on: a recovery point, D.1.8. */
export const recoveryPoint: Uint8Array = Uint8Array.of(unitTypes.supplement, 6, 1, 0b11000100, 0x80);

function unitOf(header: number, body: Uint8Array): Uint8Array {
  const content = withEmulation(body);
  const unit = new Uint8Array(content.length + 1);
  unit[0] = header;
  unit.set(content, 1);
  return unit;
}

/** Units of a sample of MP4, each after its length. */
export function joinUnits(units: readonly Uint8Array[], lengthBytes: number): Buffer {
  return Buffer.concat(
    units.flatMap((unit) => {
      const length = Buffer.alloc(lengthBytes);
      length.writeUIntBE(unit.length, 0, lengthBytes);
      return [length, unit];
    }),
  );
}
