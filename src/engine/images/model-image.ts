import type { Container, MediaFacts } from "../timeline/source.ts";
import { type ConvertedImage, convertImage } from "./image.ts";

/** Every provider scales larger images down. */
const maxSide = 4096;

const minSide = 256;

type Wanted = { readonly mimeTypes: readonly string[]; readonly maxBytes?: number | undefined };

/**
 * A JPEG, or a PNG if the image has transparency, scaled down to fit into `maxBytes`; undefined if it already is an
 * upright still of an accepted type and size.
 */
export async function convertForModel(
  path: string,
  facts: MediaFacts,
  { mimeTypes, maxBytes = Number.POSITIVE_INFINITY }: Wanted,
): Promise<ConvertedImage | undefined> {
  const bytes = await Bun.file(path).bytes();
  const isAccepted = mimeTypes.includes(facts.mimeType) && isUprightStill(bytes, facts.container);
  if (isAccepted && bytes.length <= maxBytes) return undefined;
  for (let side = maxSide; ; side = Math.round(side * 0.7)) {
    const converted = await convertImage(bytes, { maxSide: side, mimeTypes });
    if (converted.bytes.length <= maxBytes || side < minSide) return converted;
  }
}

/** True for a single image without EXIF rotation, which all readers show alike. */
const isUprightStill = (bytes: Uint8Array, container: Container): boolean =>
  !isAnimated(bytes, container) && orientationOf(bytes) === 1;

export function isAnimated(bytes: Uint8Array, container: Container): boolean {
  const text = (start: number, end: number) => new TextDecoder("latin1").decode(bytes.subarray(start, end));
  if (container === "webp") return text(12, 16) === "VP8X" && (bytes[20]! & 0x02) !== 0;
  if (container === "avif") return text(8, 12) === "avis";
  // an APNG has its acTL chunk before the first IDAT chunk
  if (container === "png") return /acTL/.test(text(0, text(0, bytes.length).indexOf("IDAT")));
  // counting the frames of a GIF requires decoding it
  return container === "gif";
}

const orientationTag = 0x0112;

/** The EXIF orientation; 1 (upright as stored) if there is none. */
export function orientationOf(bytes: Uint8Array): number {
  const start = exifStart(bytes);
  if (start === undefined) return 1;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start);
  try {
    const isLittleEndian = view.getUint16(0) === 0x4949;
    const directory = view.getUint32(4, isLittleEndian);
    for (let entry = 0; entry < view.getUint16(directory, isLittleEndian); entry++) {
      const at = directory + 2 + 12 * entry;
      if (view.getUint16(at, isLittleEndian) === orientationTag) return view.getUint16(at + 8, isLittleEndian);
    }
  } catch {
    // truncated EXIF data: readers ignore it
  }
  return 1;
}

/** The offset of the TIFF header. It follows the name of the block: `Exif` in JPEG, `EXIF` in WebP, `eXIf` in PNG. */
function exifStart(bytes: Uint8Array): number | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const name of ["Exif\0\0", "EXIF", "eXIf"]) {
    const found = buffer.indexOf(name, 0, "latin1");
    if (found < 0) continue;
    const following = buffer.subarray(found, found + 24).toString("latin1");
    const header = following.search(/II\*\0|MM\0\*/);
    if (header >= 0) return found + header;
  }
  return undefined;
}
