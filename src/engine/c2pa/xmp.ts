import { fstatSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { boxExtentsIn, bytesAt, type Extent, withFile } from "../mp4/movie.ts";
import type { Container } from "../timeline/source.ts";
import { jpegSegments, pngChunks, webpChunks } from "./carriers.ts";

/** A packet of XMP has a few kilobytes; one with a thumbnail stays below this limit. */
const maxPacketBytes = 2 ** 20;
const maxPackets = 20;
const maxSources = 16;

const carriers: Partial<Record<Container, (file: number, whole: Extent) => Generator<Buffer>>> = {
  mp4: inMp4,
  jpeg: inJpeg,
  png: inPng,
  webp: inWebp,
};

/**
 * IPTC's names for how a file was made, from its unsigned XMP (https://iptc.org/standards/photo-metadata).
 * Never throws.
 */
export function readDeclaredSources(path: string, container: Container): readonly string[] {
  const found = new Set<string>();
  try {
    withFile(path, (file) => {
      let left = maxPackets;
      for (const packet of carriers[container]?.(file, { start: 0, end: fstatSync(file).size }) ?? []) {
        for (const name of sourcesIn(packet)) found.add(name);
        if (--left === 0) break;
      }
    });
  } catch {
    // a damaged packet says nothing
  }
  return [...found].slice(0, maxSources);
}

const property =
  /DigitalSourceType(?:\s{0,9}=\s{0,9}["']|\s{0,9}>\s{0,99}|[^<>]{0,200}?:resource\s{0,9}=\s{0,9}["'])([^"'<>]{1,200})/gi;

/** IPTC's older names of these. */
const renamed: Readonly<Record<string, string>> = {
  compositeSynthetic: "compositeWithTrainedAlgorithmicMedia",
  trainedAlgorithmicData: "trainedAlgorithmicMedia",
};

function sourcesIn(packet: Buffer): readonly string[] {
  // also reads UTF-16, because the names are ASCII
  const text = packet.toString("latin1").replaceAll("\0", "");
  return [...text.matchAll(property)].flatMap(([, value = ""]) => {
    const [, name] = /(?:^|[/:])([A-Za-z]{1,64})\s*$/.exec(value) ?? [];
    return name ? [renamed[name] ?? name] : [];
  });
}

const packetAt = (file: number, { start, end }: Extent): Buffer => bytesAt(file, { start, end }, 0, maxPacketBytes);

const app1 = 0xe1;
const headBytes = 4;

function* inJpeg(file: number, whole: Extent): Generator<Buffer> {
  for (const { marker, head, start, end } of jpegSegments(file, whole)) {
    const isXmp = marker === app1 && /^http:\/\/ns\.adobe\.com\/x/.test(head.toString("latin1", headBytes));
    if (isXmp) yield packetAt(file, { start: start + headBytes, end });
  }
}

const keyword = "XML:com.adobe.xmp\0";

/** `iTXt`: keyword, compression flag (1 byte), method (1), language and translated keyword, each with a zero; text. */
function* inPng(file: number, whole: Extent): Generator<Buffer> {
  for (const { name, data } of pngChunks(file, whole)) {
    if (name !== "iTXt") continue;
    const chunk = packetAt(file, data);
    if (chunk.toString("latin1", 0, keyword.length) !== keyword) continue;
    const language = chunk.indexOf(0, keyword.length + 2);
    const text = chunk.subarray(chunk.indexOf(0, language + 1) + 1);
    yield chunk[keyword.length] === 1 ? inflateSync(text, { maxOutputLength: maxPacketBytes }) : text;
  }
}

function* inWebp(file: number, whole: Extent): Generator<Buffer> {
  for (const { name, data } of webpChunks(file, whole)) if (name === "XMP ") yield packetAt(file, data);
}

const xmpBoxId = Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex");

/** A `uuid` box of the file, or QuickTime's box `XMP_` in the user data of the movie. */
function* inMp4(file: number, whole: Extent): Generator<Buffer> {
  for (const box of boxExtentsIn(file, whole)) {
    if (box.type === "uuid" && bytesAt(file, box, 0, xmpBoxId.length).equals(xmpBoxId)) yield packetAt(file, box);
    if (box.type !== "moov") continue;
    for (const inner of boxExtentsIn(file, box)) {
      if (inner.type === "uuid" && bytesAt(file, inner, 0, xmpBoxId.length).equals(xmpBoxId))
        yield packetAt(file, inner);
      if (inner.type !== "udta") continue;
      for (const data of boxExtentsIn(file, inner)) if (data.type === "XMP_") yield packetAt(file, data);
    }
  }
}
