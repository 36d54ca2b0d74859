import { expect, test } from "bun:test";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { prepareImage, toThumbnail } from "../../../src/media/images/image.ts";
import type { MediaFacts } from "../../../src/timeline/source.ts";
import { withTemporaryFolder } from "../../helpers/drawn-overlays.ts";

const facts: MediaFacts = { kind: "image", container: "png", mimeType: "image/png", extension: "png" };

/** Red above, half-clear blue below. */
function twoColors(width: number, height: number) {
  const context = createCanvas(width, height).getContext("2d");
  context.fillStyle = "red";
  context.fillRect(0, 0, width, height / 2);
  context.fillStyle = "rgba(0, 0, 255, 0.5)";
  context.fillRect(0, height / 2, width, height / 2);
  return context.canvas;
}

async function look(bytes: Uint8Array) {
  const image = await loadImage(bytes);
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const at = (x: number, y: number) => [...context.getImageData(x, y, 1, 1).data];
  return { width: image.width, height: image.height, at };
}

const still = (bytes: Uint8Array, maxSide: number, known = facts) =>
  withTemporaryFolder(async (folder) => {
    await Bun.write(join(folder, "image"), bytes);
    return await look(await prepareImage(join(folder, "image"), known, maxSide));
  });

test("a large image is scaled down to its longest side and keeps its alpha", async () => {
  const { width, height, at } = await still(await twoColors(400, 200).encode("png"), 100);
  expect([width, height]).toEqual([100, 50]);
  expect(at(50, 10)).toEqual([255, 0, 0, 255]);
  expect(at(50, 40)[3]).toBeWithin(126, 130);
});

test("a small image keeps its size", async () => {
  const { width, height } = await still(await twoColors(40, 20).encode("png"), 100);
  expect([width, height]).toEqual([40, 20]);
});

test.each(["jpeg", "webp", "gif", "avif"] as const)("%s is read", async (format) => {
  const canvas = twoColors(64, 64);
  const bytes = format === "jpeg" ? canvas.encodeSync("jpeg") : canvas.encodeSync(format as "webp");
  const { width, at } = await look(await toThumbnail(bytes, 32));
  const [red, green, blue] = at(16, 4);
  expect(width).toBe(32);
  expect(red).toBeGreaterThan(200);
  expect(Math.max(green!, blue!)).toBeLessThan(60);
});

/** Puts an EXIF block with nothing but an orientation into a JPEG. */
function withOrientation(jpeg: Buffer, orientation: number): Buffer {
  const tiff = Buffer.from("4d4d002a00000008" + "0001" + "0112000300000001" + "00000000" + "00000000", "hex");
  tiff.writeUInt16BE(orientation, 18);
  const exif = Buffer.concat([Buffer.from("Exif\0\0"), tiff]);
  const marker = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), marker, exif, jpeg.subarray(2)]);
}

test("a photo is turned upright as its EXIF says", async () => {
  const { width, height, at } = await still(withOrientation(twoColors(64, 32).encodeSync("jpeg"), 6), 100);
  expect([width, height]).toEqual([32, 64]);
  // turned clockwise, what was above stands at the right
  expect(at(28, 32)[0]).toBeGreaterThan(200);
  expect(at(4, 32)[0]).toBeLessThan(60);
});

test("a thumbnail is a small WebP", async () => {
  const bytes = await toThumbnail(await twoColors(300, 900).encode("png"), 64);
  expect(Buffer.from(bytes).toString("latin1", 8, 12)).toBe("WEBP");
  expect(await look(bytes)).toMatchObject({ width: 21, height: 64 });
});

/** A picture of 50 million pixels and more in a few kilobytes: one bit each, all of them black. */
function vastPng(): Buffer {
  const [width, height] = [10_000, 5001];
  const chunk = (type: string, data: Buffer) => {
    const [body, frame] = [Buffer.concat([Buffer.from(type), data]), Buffer.alloc(8)];
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(Bun.hash.crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const pixels = deflateSync(Buffer.alloc(height * (1 + width / 8)));
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

test("an image of more than 50 million pixels is refused, whether its facts or its bytes tell", async () => {
  await expect(toThumbnail(vastPng(), 16)).rejects.toMatchObject({ code: "source_unreadable" });
  const claimed = { ...facts, width: 10_000, height: 5001 };
  const small = await twoColors(8, 8).encode("png");
  await expect(still(small, 16, claimed)).rejects.toMatchObject({ code: "source_unreadable" });
});

test.each([
  ["nothing", ""],
  ["plain text", "not an image"],
  ["a header alone", "\x89PNG\r\n\x1a\n"],
])("%s is refused as an image", async (_, text) => {
  await expect(toThumbnail(Buffer.from(text, "latin1"), 16)).rejects.toMatchObject({ code: "source_unreadable" });
});
