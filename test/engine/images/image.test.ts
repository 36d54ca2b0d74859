import { expect, test } from "bun:test";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { prepareImage, toThumbnail } from "../../../src/engine/images/image.ts";
import type { MediaFacts } from "../../../src/engine/timeline/source.ts";
import { withTemporaryFolder } from "../../support/media/drawn-overlays.ts";

const facts: MediaFacts = { kind: "image", container: "png", mimeType: "image/png", extension: "png" };

/** Red above, translucent blue below. */
function twoColors(width: number, height: number) {
  const context = createCanvas(width, height).getContext("2d");
  context.fillStyle = "red";
  context.fillRect(0, 0, width, height / 2);
  context.fillStyle = "rgba(0, 0, 255, 0.5)";
  context.fillRect(0, height / 2, width, height / 2);
  return context.canvas;
}

async function readPixels(bytes: Uint8Array) {
  const image = await loadImage(bytes);
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const at = (x: number, y: number) => [...context.getImageData(x, y, 1, 1).data];
  return { width: image.width, height: image.height, at };
}

const prepared = (bytes: Uint8Array, maxSide: number, known = facts) =>
  withTemporaryFolder(async (folder) => {
    await Bun.write(join(folder, "image"), bytes);
    return await readPixels(await prepareImage(join(folder, "image"), known, maxSide));
  });

test("a large image is scaled down to the maximum side and keeps its alpha", async () => {
  const { width, height, at } = await prepared(await twoColors(400, 200).encode("png"), 100);
  expect([width, height]).toEqual([100, 50]);
  expect(at(50, 10)).toEqual([255, 0, 0, 255]);
  expect(at(50, 40)[3]).toBeWithin(126, 130);
});

test("a small image keeps its size", async () => {
  const { width, height } = await prepared(await twoColors(40, 20).encode("png"), 100);
  expect([width, height]).toEqual([40, 20]);
});

test.each(["jpeg", "webp", "gif", "avif"] as const)("%s can be read", async (format) => {
  const canvas = twoColors(64, 64);
  const bytes = format === "jpeg" ? canvas.encodeSync("jpeg") : canvas.encodeSync(format as "webp");
  const { width, at } = await readPixels(await toThumbnail(bytes, 32));
  const [red, green, blue] = at(16, 4);
  expect(width).toBe(32);
  expect(red).toBeGreaterThan(200);
  expect(Math.max(green!, blue!)).toBeLessThan(60);
});

/** Adds an EXIF block with only an orientation to a JPEG. */
function withOrientation(jpeg: Buffer, orientation: number): Buffer {
  const tiff = Buffer.from("4d4d002a00000008" + "0001" + "0112000300000001" + "00000000" + "00000000", "hex");
  tiff.writeUInt16BE(orientation, 18);
  const exif = Buffer.concat([Buffer.from("Exif\0\0"), tiff]);
  const marker = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), marker, exif, jpeg.subarray(2)]);
}

test("a photo is rotated upright by its EXIF orientation", async () => {
  const { width, height, at } = await prepared(withOrientation(twoColors(64, 32).encodeSync("jpeg"), 6), 100);
  expect([width, height]).toEqual([32, 64]);
  // rotated clockwise, the upper half is on the right
  expect(at(28, 32)[0]).toBeGreaterThan(200);
  expect(at(4, 32)[0]).toBeLessThan(60);
});

test("a thumbnail is a small WebP", async () => {
  const bytes = await toThumbnail(await twoColors(300, 900).encode("png"), 64);
  expect(Buffer.from(bytes).toString("latin1", 8, 12)).toBe("WEBP");
  expect(await readPixels(bytes)).toMatchObject({ width: 21, height: 64 });
});

/** An image of more than 50 million pixels in a few kilobytes: one bit per pixel, all black. */
function hugePng(): Buffer {
  const width = 10_000;
  const height = 5001;
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
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

test("an image of more than 50 million pixels is rejected, by its facts or by its own header", async () => {
  await expect(toThumbnail(hugePng(), 16)).rejects.toMatchObject({ code: "source_unreadable" });
  const claimed = { ...facts, width: 10_000, height: 5001 };
  const small = await twoColors(8, 8).encode("png");
  await expect(prepared(small, 16, claimed)).rejects.toMatchObject({ code: "source_unreadable" });
});

test.each([
  ["nothing", ""],
  ["plain text", "not an image"],
  ["a header alone", "\x89PNG\r\n\x1a\n"],
])("%s is rejected as an image", async (_, text) => {
  await expect(toThumbnail(Buffer.from(text, "latin1"), 16)).rejects.toMatchObject({ code: "source_unreadable" });
});
