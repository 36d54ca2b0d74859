import { printBox, readBoxes, requireBox, stblPath } from "./boxes.ts";
import type { TrackFile } from "./track-file.ts";

/** What decoding an H.264 track needs besides its samples. */
export type Description = {
  /** The content of the box, without the bit rate: it is that of one segment. */
  readonly stsd: Buffer;
  /** The parameter sets, as they can precede the first NAL unit of a sample. */
  readonly parameters: Buffer;
  /** All but the parameter sets. */
  readonly others: Buffer;
};

/** After the version, the flags and the number of entries. */
const entriesOffset = 8;

/** The fields of a visual sample entry, before its boxes. */
const visualEntryBytes = 78;

/** Within these fields. Films do not say what made them. */
const encoderName = [42, 74] as const;

export function readDescription({ moov }: TrackFile): Description {
  const stsd = requireBox(moov, "trak", ...stblPath, "stsd");
  const [entry] = readBoxes(stsd.subarray(entriesOffset));
  if (!entry) throw new Error("An MP4 file does not describe its samples.");
  const fields = Buffer.from(entry.content.subarray(0, visualEntryBytes)).fill(0, ...encoderName);
  const boxes = readBoxes(entry.content.subarray(visualEntryBytes));
  const printEntry = (without: readonly string[]) => {
    const printed = boxes
      .filter(({ type }) => !without.includes(type))
      .map(({ type, content }) => printBox(type, content));
    return Buffer.concat([stsd.subarray(0, entriesOffset), printBox(entry.type, fields, ...printed)]);
  };
  return {
    stsd: printEntry(["btrt"]),
    parameters: readParameters(requireBox(entry.content.subarray(visualEntryBytes), "avcC")),
    others: printEntry(["btrt", "avcC"]),
  };
}

/** In avcC, after the profile and the length of NAL units, which is 4 bytes in files of ffmpeg. */
const parametersOffset = 5;

/** Sequence and picture parameter sets, with lengths of 4 bytes instead of 2. */
function readParameters(avcC: Buffer): Buffer {
  const units: Buffer[] = [];
  let position = parametersOffset;
  for (const countMask of [0x1f, 0xff]) {
    const count = avcC.readUInt8(position++) & countMask;
    for (let index = 0; index < count; index++) {
      const length = avcC.readUInt16BE(position);
      const header = Buffer.alloc(4);
      header.writeUInt32BE(length);
      units.push(header, avcC.subarray(position + 2, position + 2 + length));
      position += 2 + length;
    }
  }
  return Buffer.concat(units);
}
