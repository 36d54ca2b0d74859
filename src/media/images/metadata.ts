import type { Container } from "../../timeline/source.ts";

/** Whether an image is one picture that needs no turning, so that whoever reads it sees the same. */
export const isStraightStill = (bytes: Uint8Array, container: Container): boolean =>
  !isAnimated(bytes, container) && orientationOf(bytes) === 1;

function isAnimated(bytes: Uint8Array, container: Container): boolean {
  const text = (start: number, end: number) => new TextDecoder("latin1").decode(bytes.subarray(start, end));
  if (container === "webp") return text(12, 16) === "VP8X" && (bytes[20]! & 0x02) !== 0;
  if (container === "avif") return text(8, 12) === "avis";
  // the chunk of an animation comes before the first one with pixels
  if (container === "png") return /acTL/.test(text(0, text(0, bytes.length).indexOf("IDAT")));
  // counting the pictures of a GIF means decoding it
  return container === "gif";
}

const orientationTag = 0x0112;

/** EXIF's orientation, 1 where none is told: the picture stands as it is stored. */
function orientationOf(bytes: Uint8Array): number {
  const start = exifStart(bytes);
  if (start === undefined) return 1;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start);
  try {
    const little = view.getUint16(0) === 0x4949;
    const directory = view.getUint32(4, little);
    for (let entry = 0; entry < view.getUint16(directory, little); entry++) {
      const at = directory + 2 + 12 * entry;
      if (view.getUint16(at, little) === orientationTag) return view.getUint16(at + 8, little);
    }
  } catch {
    // it ends too early: nobody reads an orientation there
  }
  return 1;
}

/** Where the TIFF header of EXIF begins: behind its name, in JPEG `Exif`, in WebP `EXIF` and in PNG `eXIf`. */
function exifStart(bytes: Uint8Array): number | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const name of ["Exif\0\0", "EXIF", "eXIf"]) {
    const found = buffer.indexOf(name, 0, "latin1");
    if (found < 0) continue;
    const near = buffer.subarray(found, found + 24).toString("latin1");
    const header = near.search(/II\*\0|MM\0\*/);
    if (header >= 0) return found + header;
  }
  return undefined;
}
