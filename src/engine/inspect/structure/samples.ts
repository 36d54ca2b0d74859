import { boxesIn, boxOf, numbersIn } from "../../mp4/boxes.ts";
import { requireAtMost, requireReadable } from "./refusal.ts";

// color and alpha, and their thumbnails
const maxTracks = 8;

// five minutes of 60 frames a second
const maxSamples = 20_000;

/** The tracks of an animation. Throws unsupported_media_type if there are too many. */
export function* tracksIn(movie: Buffer): Generator<Buffer> {
  let tracks = 0;
  for (const { type, content } of boxesIn(movie)) {
    if (type !== "trak") continue;
    requireAtMost(++tracks, maxTracks, "tracks");
    yield content;
  }
}

/** The first frame of a track: the only one that is decoded. Throws unsupported_media_type for very long lists. */
export function firstSampleOf(file: Buffer, track: Buffer): Buffer {
  const table = ["mdia", "minf", "stbl"].reduce((box, name) => boxOf(box, name) ?? empty, track);
  for (const { type, content } of boxesIn(table)) requireListLimit(type, content);
  const at = firstOffsetOf(table);
  return file.subarray(at, at + firstLengthOf(table));
}

const empty = Buffer.alloc(0);

/** Lists of samples and of chunks begin with their length; that of the sizes follows a common size. */
const countsAt: Readonly<Record<string, number>> = { stsz: 8, stts: 4, stsc: 4, stco: 4, co64: 4, stss: 4, ctts: 4 };

function requireListLimit(type: string, content: Buffer): void {
  const at = countsAt[type];
  if (at && content.length >= at + 4) requireAtMost(content.readUInt32BE(at), maxSamples, "frames");
}

/** The offset of the first chunk; the end of any file without chunks. */
function firstOffsetOf(table: Buffer): number {
  const narrow = boxOf(table, "stco");
  const wide = boxOf(table, "co64");
  requireReadable(!narrow || !wide);
  const [offsets, width] = wide ? [wide, 8] : [narrow, 4];
  if (!offsets) return Number.POSITIVE_INFINITY;
  const { take } = numbersIn(offsets.subarray(4));
  return take(4) > 0 ? take(width) : Number.POSITIVE_INFINITY;
}

/** The common length of all samples, or the first of a list. */
function firstLengthOf(table: Buffer): number {
  const lengths = boxOf(table, "stsz");
  if (!lengths) return 0;
  const { take } = numbersIn(lengths.subarray(4));
  const common = take(4);
  const count = take(4);
  return common > 0 || count === 0 ? common : take(4);
}
