import { type Box, boxesIn, boxOf } from "./boxes.ts";
import { readConfiguration } from "./h264/units.ts";
import { printBox, printWithout } from "./print-boxes.ts";

/** The fields of a VisualSampleEntry (ISO/IEC 14496-12), before its boxes. */
const visualEntryBytes = 78;

/** The position of the encoder's name in these fields. Films do not name their encoder. */
const encoderName = [42, 74] as const;

const isH264 = (type: string) => type === "avc1" || type === "avc3";

/** The configuration record of an H.264 track and its contents; undefined for other formats. */
export function h264Configuration({ type, content }: Box) {
  const record = isH264(type) ? boxOf(content.subarray(visualEntryBytes), "avcC") : undefined;
  return record && { record, ...readConfiguration(record) };
}

/** A visual sample entry without the encoder's name and without boxes of some types. */
export function printVisualEntry({ type, content }: Box, without: ReadonlySet<string>): Buffer {
  const fields = Buffer.from(content.subarray(0, visualEntryBytes)).fill(0, ...encoderName);
  return printBox(type, fields, printWithout(content.subarray(visualEntryBytes), without));
}

/** The content of the first entry of `stsd`, with its type. Throws for several. */
export function onlySampleEntry(descriptions: Buffer): Box {
  // after the version, the flags and the number of entries
  const [entry, ...others] = boxesIn(descriptions.subarray(8));
  if (!entry || others.length > 0) throw new Error("The track has several sample formats.");
  return entry;
}
