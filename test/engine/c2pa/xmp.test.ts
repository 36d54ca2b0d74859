import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { crc32, deflateSync } from "node:zlib";
import { readDeclaredSources } from "../../../src/engine/c2pa/xmp.ts";
import { printBox } from "../../../src/engine/mp4/print-boxes.ts";
import type { Container } from "../../../src/engine/timeline/source.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { mp4, png } from "../../support/uploads.ts";

const folder = await temporaryFolder();

afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(container: Container, bytes: Uint8Array) {
  const path = `${folder}/${crypto.randomUUID()}`;
  await Bun.write(path, bytes);
  return readDeclaredSources(path, container);
}

const address = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia";
const packet = `<x:xmpmeta><rdf:Description Iptc4xmpExt:DigitalSourceType="${address}"/></x:xmpmeta>`;

const segment = (marker: number, content: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
};
const jpegWith = (text: string | Buffer) =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from("JFIF\0")),
    segment(0xe1, Buffer.from("Exif\0\0MM")),
    segment(0xe1, Buffer.concat([Buffer.from("http://ns.adobe.com/xap/1.0/\0"), Buffer.from(text)])),
    Buffer.from([0xff, 0xda, 0, 2]),
  ]);

async function pngWith(text: Buffer, isCompressed: 0 | 1) {
  const picture = Buffer.from(await png().bytes());
  const data = Buffer.concat([Buffer.from("XML:com.adobe.xmp\0"), Buffer.from([isCompressed, 0, 0, 0]), text]);
  const chunk = Buffer.concat([Buffer.from("iTXt"), data]);
  const [length, check] = [data.length, crc32(chunk)].map((value) => {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(value);
    return number;
  });
  return Buffer.concat([picture.subarray(0, 33), length!, chunk, check!, picture.subarray(33)]);
}

function webpWith(text: string) {
  const head = Buffer.from("RIFF....WEBPXMP ....", "latin1");
  head.writeUInt32LE(text.length, 16);
  return Buffer.concat([head, Buffer.from(text)]);
}

test("finds the mark of a trained model in each kind of file", async () => {
  const uuid = Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex");
  const movie = Buffer.from(await (await mp4()).bytes());
  const inMovie = printBox("moov", printBox("udta", printBox("XMP_", Buffer.from(packet))));
  const files: readonly (readonly [Container, Uint8Array])[] = [
    ["jpeg", jpegWith(packet)],
    ["jpeg", jpegWith(Buffer.from(packet, "utf16le"))],
    ["png", await pngWith(Buffer.from(packet), 0)],
    ["png", await pngWith(deflateSync(packet), 1)],
    ["webp", webpWith(packet)],
    ["mp4", Buffer.concat([movie, printBox("uuid", uuid, Buffer.from(packet))])],
    ["mp4", inMovie],
  ];
  for (const [container, bytes] of files) expect(await read(container, bytes)).toEqual(["trainedAlgorithmicMedia"]);
});

test.each([
  [`<Iptc4xmpExt:DigitalSourceType>${address}</Iptc4xmpExt:DigitalSourceType>`, ["trainedAlgorithmicMedia"]],
  [`<Iptc4xmpExt:DigitalSourceType rdf:resource='${address}'/>`, ["trainedAlgorithmicMedia"]],
  ['<a b:DigitalSourceType = "compositeSynthetic">', ["compositeWithTrainedAlgorithmicMedia"]],
  ['<a b:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture">', ["digitalCapture"]],
  ["<a b:DigitalSourceType=''/><dc:title>trainedAlgorithmicMedia</dc:title>", []],
])("reads the property as programs write it: %#", async (text, sources) => {
  expect(await read("jpeg", jpegWith(text))).toEqual(sources);
});

test("files without XMP, or with a damaged one, say nothing", async () => {
  expect(await read("png", await png().bytes())).toEqual([]);
  expect(await read("mp4", await (await mp4()).bytes())).toEqual([]);
  expect(await read("png", await pngWith(Buffer.from("no deflate"), 1))).toEqual([]);
  expect(await read("jpeg", Buffer.from([0xff, 0xd8, 0xff]))).toEqual([]);
  expect(await read("gif", jpegWith(packet))).toEqual([]);
});
