import type { Container } from "../../timeline/source.ts";
import { nextMarker } from "./structure/jpeg.ts";

/** False if an image file is truncated: decoders accept half a file and leave the rest black. */
export function isCompleteImage(bytes: Uint8Array, container: Container): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (container === "png") return file.includes("IEND");
  if (container === "webp") return file.readUInt32LE(4) + 8 <= file.length;
  return container !== "jpeg" || hasEndOfImage(file);
}

const markerStart = 0xff;
const startOfScan = 0xda;
const endOfImage = 0xd9;

/** Walks the JPEG segments, because EXIF thumbnails and data that phones append contain end markers too. */
function hasEndOfImage(file: Buffer): boolean {
  let at = 2;
  while (at + 4 <= file.length && file[at] === markerStart) {
    const marker = file[at + 1]!;
    if (marker === endOfImage) return true;
    if (marker === markerStart) at += 1;
    else at += 2 + file.readUInt16BE(at + 2);
    if (marker === startOfScan) at = nextMarker(file, at);
  }
  return file[at] === markerStart && file[at + 1] === endOfImage;
}
