import type { Container } from "../../timeline/source.ts";

/** Whether an image goes on to its end. Decoders make do with half a file and leave the rest black. */
export function isWholeImage(bytes: Uint8Array, container: Container): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (container === "png") return file.includes("IEND");
  if (container === "webp") return file.readUInt32LE(4) + 8 <= file.length;
  return container !== "jpeg" || jpegEnds(file);
}

const [markerStart, stuffing, startOfScan, endOfImage] = [0xff, 0x00, 0xda, 0xd9];
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;

/** Walks its segments: pictures in its EXIF, or what phones append, have ends of their own. */
function jpegEnds(file: Buffer): boolean {
  let at = 2;
  while (at + 4 <= file.length && file[at] === markerStart) {
    const marker = file[at + 1]!;
    if (marker === endOfImage) return true;
    if (marker === markerStart) at += 1;
    else at += 2 + file.readUInt16BE(at + 2);
    if (marker === startOfScan) at = endOfScan(file, at);
  }
  return file[at] === markerStart && file[at + 1] === endOfImage;
}

/** Where the coded pixels that begin at `start` give way to the next marker. */
function endOfScan(file: Buffer, start: number): number {
  let at = file.indexOf(markerStart, start);
  while (at >= 0 && isInsideScan(file[at + 1])) at = file.indexOf(markerStart, at + 1);
  return at < 0 ? file.length : at;
}

const isInsideScan = (marker = stuffing) => marker === stuffing || marker === markerStart || isRestart(marker);
