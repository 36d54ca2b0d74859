import { BoxError, boxesIn, boxOf, maxBoxes, numbersIn, TooManyBoxesError, versionOf } from "../../mp4/boxes.ts";
import { addPicture, type PictureCosts } from "./av1.ts";
import { type Item, itemsIn } from "./items.ts";
import { requireAtMost, requirePixelLimit, requireReadable } from "./refusal.ts";

// libavif searches its list for each item, which takes 40 s for 65,000; a grid of 50 megapixels has 200
const maxItems = 2_000;

// each item of a grid is named once, and again for its alpha channel or thumbnail
const maxReferences = 4_000;

/** Validates an AVIF file before a decoder opens it. Throws unsupported_media_type. */
export function validateAvif(file: Buffer): void {
  try {
    walk(file);
  } catch (error) {
    if (error instanceof TooManyBoxesError) requireAtMost(maxBoxes + 1, maxBoxes, "parts");
    requireReadable(!(error instanceof BoxError));
    throw error;
  }
}

/** Walks the boxes: a picture of several items, or an animation's first frames. */
function walk(file: Buffer): void {
  const costs: PictureCosts = { units: 0, pixels: 0, framePixels: 0 };
  for (const { type, content } of boxesIn(file)) {
    if (type === "meta") validateItems(file, content, costs);
    if (type === "moov") for (const track of tracksIn(content)) validateTrack(file, track, costs);
  }
}

function validateTrack(file: Buffer, track: Buffer, costs: PictureCosts): void {
  const metadata = boxOf(track, "meta");
  if (metadata) validateItems(file, metadata, costs);
  addPicture(costs, firstSampleOf(file, track));
}

function validateItems(file: Buffer, metadata: Buffer, costs: PictureCosts): void {
  const meta = metadata.subarray(4);
  const properties = boxOf(meta, "iprp");
  if (properties) validateProperties(properties);
  requireReferenceLimit(boxOf(meta, "iref"));
  for (const item of itemsIn(file, meta, maxItems)) addItem(costs, item);
}

function addItem(costs: PictureCosts, { type, data }: Item): void {
  if (type === "av01") addPicture(costs, data());
  if (type === "grid") requireGridLimit(data());
}

/** A grid: version, flags, rows and columns (a byte each), then the size of the whole. */
function requireGridLimit(data: Buffer): void {
  const { take } = numbersIn(data);
  take(1);
  const bytes = take(1) & 1 ? 4 : 2;
  take(2);
  requirePixelLimit({ width: take(bytes), height: take(bytes) });
}

/** Validates every declared size, and the list that assigns properties to items. */
function validateProperties(properties: Buffer): void {
  for (const { type, content } of boxesIn(boxOf(properties, "ipco") ?? Buffer.alloc(0))) {
    if (type === "ispe" && content.length >= 12) {
      requirePixelLimit({ width: content.readUInt32BE(4), height: content.readUInt32BE(8) });
    }
  }
  for (const { type, content } of boxesIn(properties)) {
    if (type === "ipma" && content.length >= 8) requireAtMost(content.readUInt32BE(4), maxItems, "items");
  }
}

function requireReferenceLimit(references: Buffer | undefined): void {
  if (!references) return;
  const idBytes = versionOf(references) === 0 ? 2 : 4;
  let count = 0;
  for (const { content } of boxesIn(references.subarray(4))) {
    // the referring item, and the number of items that it refers to
    count += 1 + (content.length >= idBytes + 2 ? content.readUInt16BE(idBytes) : 0);
    requireAtMost(count, maxReferences, "references between its items");
  }
}

// color and alpha, and their thumbnails
const maxTracks = 8;

// five minutes of 60 frames a second
const maxSamples = 20_000;

/** The tracks of an animation. Throws unsupported_media_type if there are too many. */
function* tracksIn(movie: Buffer): Generator<Buffer> {
  let tracks = 0;
  for (const { type, content } of boxesIn(movie)) {
    if (type !== "trak") continue;
    requireAtMost(++tracks, maxTracks, "tracks");
    yield content;
  }
}

/** The first frame of a track: the only one that is decoded. Throws unsupported_media_type for very long lists. */
function firstSampleOf(file: Buffer, track: Buffer): Buffer {
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
