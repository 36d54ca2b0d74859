import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { requireBoundedEdits, requireBoundedMovie } from "../../../src/engine/mp4/bounds.ts";
import { box } from "../../support/media/bombs/avif.ts";
import { repeat, u32 } from "../../support/media/bombs/bytes.ts";
import { withBoxes, withEdits, withTables } from "../../support/media/bombs/mp4.ts";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

let folder: string;
/** 0.4 s of H.264 with B frames: ffmpeg writes its index last, with an edit and the times of the B frames. */
let mp4: Uint8Array;

beforeAll(async () => {
  folder = await temporaryFolder();
  await draw(`${folder}/film.mp4`, "testsrc=size=64x36:rate=25:duration=0.4", "-c:v", "libx264", "-pix_fmt", "yuv420p");
  mp4 = await Bun.file(`${folder}/film.mp4`).bytes();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const whole = { milliseconds: 400 };
const short = { milliseconds: 50 };
const empty = { milliseconds: 5000, isEmpty: true };

const file = async (bytes: Uint8Array): Promise<string> => {
  const path = `${folder}/${crypto.randomUUID()}.mp4`;
  await Bun.write(path, bytes);
  return path;
};

const refusalOf = (check: () => void): string | undefined => {
  try {
    check();
  } catch (error) {
    expect(error).toMatchObject({ code: "unsupported_media_type" });
    return (error as Error).message;
  }
  return undefined;
};

test.each([
  ["no edit", []],
  ["one edit", [whole]],
  ["one edit that is longer than the media", [{ milliseconds: 60_000 }]],
  ["a pause before the media", [empty, whole]],
  ["sixteen cuts", Array.from({ length: 16 }, () => short)],
  ["the media twice", [whole, whole]],
])("a file with %s is taken", async (_, edits) => {
  const path = await file(withEdits(mp4, edits));
  expect(refusalOf(() => requireBoundedMovie(path))).toBeUndefined();
  expect(refusalOf(() => requireBoundedEdits(path))).toBeUndefined();
});

test.each([
  ["seventeen cuts", Array.from({ length: 17 }, () => short)],
  ["the media three times", [whole, whole, whole]],
  ["200,000 edits", Array.from({ length: 200_000 }, () => whole)],
  ["many empty edits", Array.from({ length: 17 }, () => empty)],
])("a file with %s is refused, also if it is stored already", async (_, edits) => {
  const path = await file(withEdits(mp4, edits));
  expect(refusalOf(() => requireBoundedMovie(path))).toContain("edit list");
  expect(refusalOf(() => requireBoundedEdits(path))).toContain("edit list");
});

const manySamples = 200_000_000;

test.each([
  ["a second list of display times", () => withTables(mp4, box("ctts", u32(0, 1, manySamples, 0)))],
  ["a second list of decoding times", () => withTables(mp4, box("stts", u32(0, 1, manySamples, 512)))],
  ["a second list of sizes", () => withTables(mp4, box("stsz", u32(0, 1, manySamples)))],
  ["a list of sizes of no bits", () => withTables(mp4, box("stz2", u32(0, 0, manySamples)))],
  ["a list of chunks", () => withTables(mp4, box("stsc", u32(0, 2, 1, 1, 1, manySamples, 1, 1)))],
  ["a fragment", () => withBoxes(mp4, box("moof", box("traf", box("trun", u32(0, manySamples)))))],
  ["boxes in boxes", () => withBoxes(mp4, nested(10_000))],
])("a file that claims too much in %s is refused before a parser opens it", async (_, bytes) => {
  const path = await file(bytes());
  expect(refusalOf(() => requireBoundedMovie(path))).toContain("damaged, or of a kind that cannot be read");
});

test("a compressed index is refused", async () => {
  const path = await file(withBoxes(mp4, box("moov", box("cmov", repeat(u32(0), 4)))));
  expect(refusalOf(() => requireBoundedMovie(path))).toContain("index is compressed");
});

/** Each box only holds the next one. */
function nested(depth: number): Uint8Array {
  const bytes = Buffer.alloc(8 * depth);
  for (let level = 0; level < depth; level++) {
    bytes.writeUInt32BE(8 * (depth - level), 8 * level);
    bytes.write("udta", 8 * level + 4, "latin1");
  }
  return bytes;
}
