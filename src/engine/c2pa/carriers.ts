import { fstatSync } from "node:fs";
import { sum } from "../../platform/values.ts";
import { boxExtentsIn, bytesAt, type Extent, readAt } from "../mp4/movie.ts";
import type { Container } from "../timeline/source.ts";
import { c2paBoxId } from "./jumbf.ts";

/** A store of manifests, and the part of the file that holds it. */
export type Carried = { readonly store: Buffer; readonly extent: Extent };

/** Thrown for a manifest that may be valid, but in a form that is not verified. */
export class UncheckedError extends Error {
  override readonly name = "UncheckedError";
}

/** A manifest with thumbnails of all its ingredients has about one MiB. */
const maxStoreBytes = 4 * 2 ** 20;

const carriers: Partial<Record<Container, (file: number, whole: Extent) => Carried | undefined>> = {
  mp4: inMp4,
  jpeg: inJpeg,
  png: inPng,
  webp: inWebp,
};

/** The store of manifests in a file. Throws UncheckedError if it is too large. */
export const findStore = (file: number, container: Container): Carried | undefined =>
  carriers[container]?.(file, { start: 0, end: fstatSync(file).size });

/** The most parts to read before a manifest. Writers put it near the start of a file, or at the end of WebP. */
const maxParts = 50_000;

const mp4Head = Buffer.concat([c2paBoxId, Buffer.alloc(4), Buffer.from("manifest\0")]);

/** A `uuid` box: its id, flags, the purpose and a position (8 bytes), and the store. Throws if there are several. */
function inMp4(file: number, whole: Extent): Carried | undefined {
  let left = maxParts;
  let found: Carried | undefined;
  for (const box of boxExtentsIn(file, whole)) {
    if (--left < 0) return found;
    if (box.type !== "uuid" || !bytesAt(file, box, 0, mp4Head.length).equals(mp4Head)) continue;
    // no hash covers these boxes: anybody could put another one beside the signed one
    if (found) throw new Error("There are several manifests.");
    found = { store: storeAt(file, { start: box.start + mp4Head.length + 8, end: box.end }), extent: box };
  }
  return found;
}

/** A part of an image file, and the position of its data. */
type Part = { readonly name: string; readonly data: Extent; readonly extent: Extent };

/** Chunks: length (4 bytes), name (4 bytes), data, CRC (4 bytes). */
export function* pngChunks(file: number, { end }: Extent): Generator<Part> {
  for (let at = 8, left = maxParts; at + 12 <= end && left > 0; left--) {
    const head = bytesAt(file, { start: at, end }, 0, 8);
    const extent = { start: at, end: at + 12 + head.readUInt32BE(0) };
    yield { name: head.toString("latin1", 4), data: { start: at + 8, end: extent.end - 4 }, extent };
    at = extent.end;
  }
}

function inPng(file: number, whole: Extent): Carried | undefined {
  for (const { name, data, extent } of pngChunks(file, whole)) {
    if (name === "caBX") return { store: storeAt(file, data), extent };
    if (name === "IEND") return undefined;
  }
  return undefined;
}

/** Chunks: name (4 bytes), length, data, filled up to an even length. */
export function* webpChunks(file: number, { end }: Extent): Generator<Part> {
  for (let at = 12, left = maxParts; at + 8 <= end && left > 0; left--) {
    const head = bytesAt(file, { start: at, end }, 0, 8);
    const length = head.readUInt32LE(4);
    const extent = { start: at, end: at + 8 + length + (length & 1) };
    yield { name: head.toString("latin1", 0, 4), data: { start: at + 8, end: at + 8 + length }, extent };
    at = extent.end;
  }
}

function inWebp(file: number, whole: Extent): Carried | undefined {
  for (const { name, data, extent } of webpChunks(file, whole)) {
    if (name === "C2PA") return { store: storeAt(file, data), extent };
  }
  return undefined;
}

const app11 = 0xeb;
const startOfScan = 0xda;
const endOfImage = 0xd9;

type Segment = Extent & { readonly marker: number; readonly head: Buffer };

/** Segments before the picture: marker (2 bytes), length (2 bytes), data. With their first 32 bytes. */
export function* jpegSegments(file: number, { end }: Extent): Generator<Segment> {
  for (let at = 2, left = maxParts; at + 4 <= end && left > 0; left--) {
    const head = bytesAt(file, { start: at, end }, 0, 32);
    const marker = head[1]!;
    if (head[0] !== 0xff || marker === startOfScan || marker === endOfImage) break;
    const next = at + 2 + Math.max(2, head.readUInt16BE(2));
    yield { marker, head, start: at, end: next };
    at = next;
  }
}

/** APP11: marker (2), length (2), "JP", box number (2), part number (4), and in each part the box's head (8). */
function inJpeg(file: number, whole: Extent): Carried | undefined {
  const parts: Buffer[] = [];
  let number = -1;
  let extent = { start: 0, end: 0 };
  for (const { marker, head, start, end } of jpegSegments(file, whole)) {
    if (marker !== app11 || head.length < 32 || head.toString("latin1", 4, 6) !== "JP") continue;
    const isFirst = parts.length === 0 && head.toString("latin1", 24, 32) === "jumdc2pa";
    if (isFirst) {
      number = head.readUInt16BE(6);
      extent = { start, end };
    }
    if (isFirst || head.readUInt16BE(6) === number) {
      parts.push(storeAt(file, { start: start + (isFirst ? 12 : 20), end }));
      extent = { ...extent, end };
    }
  }
  return parts.length > 0 ? { store: bounded(parts), extent } : undefined;
}

function bounded(parts: readonly Buffer[]): Buffer {
  requireStoreSize(sum(parts.map(({ length }) => length)));
  return Buffer.concat(parts);
}

function storeAt(file: number, { start, end }: Extent): Buffer {
  requireStoreSize(end - start);
  return readAt(file, start, Math.max(0, end - start));
}

function requireStoreSize(bytes: number): void {
  if (bytes > maxStoreBytes) throw new UncheckedError("The manifest is too large.");
}
