import { type BitReader, bitReader, withoutEmulation } from "./bits.ts";
import type { PictureSettings, Sequence } from "./parameter-sets.ts";
import { typeOf, unitTypes } from "./units.ts";

/** The parameter sets of a stream that has one sequence, of frames that are not interlaced. */
export type StreamFormat = {
  readonly sequence: Sequence;
  readonly settings: ReadonlyMap<number, PictureSettings>;
};

export type SliceKind = "P" | "B" | "I";

/** What a slice says about its picture, ITU-T H.264, 7.3.3. */
export type Slice = {
  readonly kind: SliceKind;
  readonly isIdr: boolean;
  /** nal_ref_idc. */
  readonly referenceLevel: number;
  /** frame_num. */
  readonly frameNumber: number;
  /** pic_order_cnt_lsb, if the stream has order type 0. */
  readonly order: number;
  /** None of an I slice, one of a P slice. */
  readonly lists: readonly ReferenceList[];
  /**
   * The reference pictures that go when this picture comes, as differences of their frame numbers. Undefined: the oldest
   * one, if not all fit.
   */
  readonly removed: readonly number[] | undefined;
};

/** A list of reference pictures. */
export type ReferenceList = {
  readonly length: number;
  /** Changes of its usual order: see 8.2.4.3. */
  readonly changes: readonly number[];
};

/** A header is shorter. */
const maxHeaderBytes = 1024;

const kinds: readonly (SliceKind | undefined)[] = ["P", "B", "I"];

/** Throws for syntax that cameras and encoders do not write. */
export function readSlice(unit: Uint8Array, { sequence, settings }: StreamFormat): Slice {
  const reader = bitReader(withoutEmulation(unit.subarray(1, maxHeaderBytes)));
  const { bits, exponential: number } = reader;
  const isIdr = typeOf(unit) === unitTypes.idrSlice;
  const referenceLevel = (unit[0]! >> 5) & 3;
  number();
  const kind = kinds[number() % 5];
  const picture = settings.get(number());
  if (!kind || !picture) throw new Error("The slice is of a rare kind.");
  const frameNumber = bits(sequence.frameNumberBits);
  if (isIdr) number();
  const order = bits(sequence.orderBits);
  if (kind === "B") bits(1);
  const lists = readLists(reader, kind, picture);
  if ((kind === "P" && picture.hasWeights.forward) || (kind === "B" && picture.hasWeights.bidirectional))
    skipWeights(reader, lists);
  const removed = referenceLevel === 0 ? undefined : readMarking(reader, isIdr);
  return { kind, isIdr, referenceLevel, frameNumber, order, lists, removed };
}

const maxListLength = 32;
const maxCommands = 66;

function readLists(reader: BitReader, kind: SliceKind, { listLengths }: PictureSettings): readonly ReferenceList[] {
  if (kind === "I") return [];
  const usual = kind === "P" ? listLengths.slice(0, 1) : listLengths;
  const lengths = reader.flag() ? usual.map(() => reader.exponential() + 1) : usual;
  if (lengths.some((length) => length > maxListLength)) throw new Error("The slice has too many reference pictures.");
  return lengths.map((length) => ({ length, changes: readListChanges(reader) }));
}

/** ref_pic_list_modification, 7.3.3.1. */
function readListChanges({ flag, exponential: number }: BitReader): readonly number[] {
  const changes: number[] = [];
  if (!flag()) return changes;
  for (let left = maxCommands; left > 0; left--) {
    const command = number();
    if (command === 3) return changes;
    if (command > 1) break;
    const difference = number() + 1;
    changes.push(command === 0 ? -difference : difference);
  }
  throw new Error("The slice refers to pictures in a rare way.");
}

/** pred_weight_table, 7.3.3.2. */
function skipWeights({ flag, exponential: number }: BitReader, lists: readonly ReferenceList[]): void {
  number();
  number();
  for (const { length } of lists) {
    for (let entry = 0; entry < length; entry++) {
      if (flag()) for (let value = 0; value < 2; value++) number();
      if (flag()) for (let value = 0; value < 4; value++) number();
    }
  }
}

/** dec_ref_pic_marking, 7.3.3.3. */
function readMarking({ flag, exponential: number }: BitReader, isIdr: boolean): readonly number[] | undefined {
  if (isIdr) {
    flag();
    if (flag()) throw new Error("A picture stays for a long term.");
    return undefined;
  }
  if (!flag()) return undefined;
  const removed: number[] = [];
  for (let left = maxCommands; left > 0; left--) {
    const command = number();
    if (command === 0) return removed;
    if (command !== 1) break;
    removed.push(number() + 1);
  }
  throw new Error("Reference pictures stay in a rare way.");
}
