import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { imageStore, type Provenance } from "./manifest.ts";

/** An image in which a part with a store of manifests has a place. */
type Carrier = { readonly start: number; print(store: Buffer): Buffer };

const carriers: Record<"png" | "jpg", (image: Buffer) => Carrier> = { png: pngCarrier, jpg: jpegCarrier };

/** Adds a signed manifest to an image that has none. */
export function signImage(image: Buffer, format: "png" | "jpg", provenance: Provenance): Buffer {
  const { start, print } = carriers[format](image);
  const hash = createHash("sha256").update(image).digest();
  // the manifest has the length of its own part, whose digits count, too
  const printWith = (length: number) => print(imageStore(provenance, hash, { start, length }));
  let length = printWith(2 ** 16).length;
  let part = printWith(length);
  for (let attempt = 0; part.length !== length && attempt < maxAttempts; attempt++) {
    length = part.length;
    part = printWith(length);
  }
  if (part.length !== length) throw new Error("The length of the manifest is not found.");
  return Buffer.concat([image.subarray(0, start), part, image.subarray(start)]);
}

const maxAttempts = 5;

/** The signature of the file (8 bytes), and the header: length (4), name (4), data (13), CRC (4). */
const pngHead = 33;

/** A chunk after the header. */
function pngCarrier(): Carrier {
  const print = (store: Buffer) => {
    const named = Buffer.concat([Buffer.from("caBX"), store]);
    return Buffer.concat([uint32(store.length), named, uint32(crc32(named))]);
  };
  return { start: pngHead, print };
}

/** The most bytes of a store in one segment: its length counts itself and the head. */
const maxSegmentBytes = 65_535 - 2 - 8;
const boxHead = 8;

/** Segments after the first one, which readers expect at the start. */
function jpegCarrier(image: Buffer): Carrier {
  const start = image[2] === 0xff && image[3] === 0xe0 ? 4 + image.readUInt16BE(4) : 2;
  const print = (store: Buffer) => {
    const segments: Buffer[] = [];
    const head = store.subarray(0, boxHead);
    for (let at = boxHead; at < store.length; at += maxSegmentBytes - boxHead) {
      const data = store.subarray(at, at + maxSegmentBytes - boxHead);
      const number = Buffer.concat([Buffer.from("JP"), Buffer.of(0, 1), uint32(segments.length + 1)]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(2 + number.length + head.length + data.length);
      segments.push(Buffer.concat([Buffer.of(0xff, 0xeb), length, number, head, data]));
    }
    return Buffer.concat(segments);
  };
  return { start, print };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
