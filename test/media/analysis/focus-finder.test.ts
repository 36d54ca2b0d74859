import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { ffmpegFocusFinder } from "../../../src/media/analysis/focus-finder.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import type { FocusTrack } from "../../../src/timeline/focus.ts";
import type { Source } from "../../../src/timeline/source.ts";
import { draw, imageSource, videoSource } from "../../support/media/draw-media.ts";
import { foundFfmpeg, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { heldFfmpeg } from "../../support/media/held-ffmpeg.ts";
import { freeLeases } from "../../support/media/render-caches.ts";
import { shareInside, shotSeconds, subjectFilm, subjectShots, subjectSize, xOf } from "../../support/media/subjects.ts";

const folder = await temporaryFolder();
const files = await diskFiles(`${folder}/store`);
const ffmpeg = await foundFfmpeg();
const cache = diskRenderCache(folder, 2 ** 20);
const finder = ffmpegFocusFinder({ ffmpeg, files, cache, leases: freeLeases });
/** Knows what was measured before, and measures nothing. */
const finderOnce = ffmpegFocusFinder({
  ffmpeg: { ...ffmpeg, run: () => Promise.reject(new Error("not again")) },
  files,
  cache,
  leases: freeLeases,
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const options = { owner: "ann", projectId: "prj_1" };

const store = async (source: Source): Promise<Source> => {
  const file = `prj_1/${basename(source.hash)}`;
  await files.storeCopy({ path: source.hash }, file);
  return { ...source, file };
};

describe("a film of marked subjects", () => {
  let film: Source;
  let track: FocusTrack;
  beforeAll(async () => {
    const path = await draw(`${folder}/film.mp4`, subjectFilm, "-c:v", "libx264", "-preset", "ultrafast");
    film = await store(videoSource(path, { ...subjectSize, durationSeconds: shotSeconds * subjectShots.length }));
    track = (await finder.find(film, options))!;
  });

  test.each(subjectShots.map(({ name }, at) => [name, at] as const))("%s: a crop to 9:16 shows it", (_, at) => {
    expect(track[at]!.startSeconds).toBeCloseTo(at * shotSeconds, 2);
    expect(shareInside(at, () => 0.5)).toBeLessThanOrEqual(0.8);
    expect(shareInside(at, xOf(track))).toBeGreaterThanOrEqual(0.95);
  });

  test("it is measured once", async () => {
    expect(await finderOnce.find(film, options)).toEqual(track);
  });
});

test("an image has one point", async () => {
  const drawing = "color=gray:s=160x90,drawbox=x=120:y=30:w=24:h=30:color=red:t=fill";
  const path = await draw(`${folder}/image.png`, drawing, "-frames:v", "1");
  const track = await finder.find(await store(imageSource(path, subjectSize)), options);
  expect(track).toMatchObject([{ reason: "detail", points: [{}] }]);
  expect(track![0]!.points[0]!.x).toBeGreaterThan(0.7);
});

test("a file that cannot be decoded, and one that is too long, have none", async () => {
  await Bun.write(`${folder}/damaged.mp4`, "no video");
  const damaged = await store(videoSource(`${folder}/damaged.mp4`, { ...subjectSize, durationSeconds: 1 }));
  expect(await finder.find(damaged, options)).toBeUndefined();
  expect(await finderOnce.find(damaged, options)).toBeUndefined();
  const { facts, ...long } = damaged;
  expect(await finder.find({ ...long, facts: { ...facts, durationSeconds: 601 } }, options)).toBeUndefined();
});

test("who does not wait is told that it is being measured, and it is measured once", async () => {
  const { ffmpeg: heldBuild, ...held } = heldFfmpeg(ffmpeg);
  const slow = ffmpegFocusFinder({
    ...{ ffmpeg: heldBuild, files, cache, leases: freeLeases },
    patienceMilliseconds: 1,
  });
  const drawing = "color=gray:s=160x90:r=10:d=0.3,drawbox=x=120:y=30:w=24:h=30:color=red:t=fill";
  const path = await draw(`${folder}/soon.mp4`, drawing, "-c:v", "libx264", "-preset", "ultrafast");
  const film = await store(videoSource(path, { ...subjectSize, durationSeconds: 0.3 }));
  held.hold();
  expect(await slow.findSoon(film, options)).toBe("measuring");
  const waiting = slow.find(film, options);
  await held.heldCount(1);
  // a second measurement would be held for ever
  held.release();
  held.hold();
  expect((await waiting)![0]!.points[0]!.x).toBeGreaterThan(0.7);
  expect(await finderOnce.findSoon(film, options)).toEqual((await waiting)!);
});
