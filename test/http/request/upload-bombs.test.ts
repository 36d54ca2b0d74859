import { afterAll, beforeAll, expect, test } from "bun:test";
import { avifOf, tinyPicture } from "../../support/media/bombs/avif.ts";
import { gifOf } from "../../support/media/bombs/gif.ts";
import { jpegOfMetadata, jpegOfSegments, progressiveJpeg } from "../../support/media/bombs/jpeg.ts";
import { apngOf, inflatingChunk, pngOf } from "../../support/media/bombs/png.ts";
import { animatedWebp } from "../../support/media/bombs/webp.ts";
import { type OwnService, type TestUser, testService } from "../../support/service.ts";
import { countAdded, formOf, newProject, nothingAdded } from "../../support/uploads.ts";

const size = { width: 64, height: 64 };
const picture = { data: tinyPicture, size };

let service: OwnService;
let ann: TestUser;
let path: string;

beforeAll(async () => {
  service = await testService();
  ann = await service.register();
  path = `/api/projects/${await newProject(ann)}/assets`;
});

afterAll(() => service.close());

const post = async (bytes: Uint8Array) => {
  const file = new File([new Uint8Array(bytes)], "picture");
  const response = await ann.request(path, { method: "POST", body: formOf({ file }) });
  return { status: response.status, body: await response.json() };
};

test.each([
  ["JPEG", "parts with metadata", () => jpegOfSegments(5_000)],
  ["progressive JPEG", "layers", () => progressiveJpeg({ width: 7_000, height: 7_000, scans: 22, components: 1 })],
  ["PNG", "compressed texts", () => pngOf({ ...size, before: Array(101).fill(inflatingChunk("zTXt", 9)) })],
  ["GIF", "frames", () => gifOf({ screen: size, frames: 10_001 })],
  ["WebP", "parts", () => animatedWebp({ canvasSize: size, frames: 5_001 })],
  ["AVIF", "items", () => avifOf({ items: Array(2_001).fill(picture) })],
])("a %s of too many %s is refused with 415, and nothing is stored", async (_name, what, bytes) => {
  const bomb = bytes();
  const added = await countAdded(service, ann, path, async () => {
    const { status, body } = await post(bomb);
    expect([status, body.code]).toEqual([415, "unsupported_media_type"]);
    expect(body.error).toContain(what);
  });
  expect(added).toEqual(nothingAdded);
});

test.each([
  ["JPEG with a depth map", () => jpegOfMetadata(30)],
  ["progressive JPEG", () => progressiveJpeg({ ...size, scans: 12 })],
  ["PNG of 16 bits", () => pngOf({ ...size, bitDepth: 16, colorType: 6 })],
  ["interlaced PNG", () => pngOf({ ...size, bitDepth: 8, colorType: 2, interlaced: true })],
  ["PNG animation of 60 frames", () => apngOf({ ...size, frames: 60 })],
  ["GIF animation of 300 frames", () => gifOf({ screen: size, frames: 300 })],
  ["WebP animation of 300 frames", () => animatedWebp({ canvasSize: size, frames: 300 })],
  ["AVIF", () => avifOf({ items: [picture] })],
])("a %s is taken", async (_name, bytes) => {
  expect(await post(bytes())).toMatchObject({ status: 201, body: { type: "image" } });
});
