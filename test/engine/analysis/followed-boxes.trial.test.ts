import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { ffmpegFocusFinder } from "../../../src/engine/analysis/focus-finder.ts";
import { FocusCollector } from "../../../src/engine/analysis/measure/focus/collector.ts";
import type { FocusTrack, SubjectBox } from "../../../src/engine/timeline/focus.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { draw, imageSource, videoSource } from "../../support/media/draw-media.ts";
import { directFfmpeg, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { heldFfmpeg } from "../../support/media/held-ffmpeg.ts";
import { freeLeases } from "../../support/media/render-caches.ts";
import { filmOf, quickShots, shareInside, subjectSize, xOf } from "../../support/media/subjects.ts";
import { measuredHere } from "./measured-here.ts";

const folder = await temporaryFolder();
const files = await diskFiles(`${folder}/store`);
const ffmpeg = await directFfmpeg();
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
  const path = `${folder}/film.mp4`;
  const seconds = 1;
  const { facts } = videoSource(path, { ...subjectSize, durationSeconds: seconds * quickShots.length });
  const measure = (boxes: readonly SubjectBox[] = []) =>
    measuredHere(path, facts, (size) => new FocusCollector(size, boxes));
  let track: FocusTrack;
  beforeAll(async () => {
    await draw(path, filmOf(quickShots, seconds), "-c:v", "libx264", "-preset", "ultrafast");
    track = await measure();
  });

  test.each(quickShots.map((shot, at) => [shot.name, shot, at] as const))(
    "%s: a crop to 9:16 shows it",
    (_, shot, at) => {
      const place = { start: at * seconds, seconds };
      expect(track[at]!.startSeconds).toBeCloseTo(place.start, 2);
      expect(shareInside(shot, place, () => 0.5)).toBeLessThanOrEqual(0.8);
      expect(shareInside(shot, place, xOf(track))).toBeGreaterThanOrEqual(0.95);
    },
  );

  test("boxes before a cut say nothing about what is after it", async () => {
    const boxed = await measure([0.3, 0.7].map((atSeconds) => ({ atSeconds, left: 0, right: 0.1, top: 0, bottom: 1 })));
    expect(boxed[0]!.reason).toBe("subject");
    expect(boxed.slice(1)).toEqual(track.slice(1));
  });

  test("it is measured once", async () => {
    const film = await store(videoSource(path, facts));
    expect(await finder.find(film, options)).toEqual(track);
    expect(await finderOnce.find(film, options)).toEqual(track);
  });
});

describe("with the boxes of a vision model", () => {
  /** A dull square stands at the left; at the right something bright moves, as nothing else does. */
  const drawing =
    "color=0x405060:s=160x90:r=5:d=5,drawbox=x=8:y=30:w=20:h=40:color=0x607080:t=fill[still];testsrc2=s=30x40:r=5:d=5[lively];[still][lively]overlay=x='120+6*sin(5*t)':y=25,format=yuv420p";
  const box = (atSeconds: number, x: number) => ({
    ...{ atSeconds, left: x - 0.06, right: x + 0.06, top: 0.33, bottom: 0.78 },
  });
  const eachSecond = (xAt: (seconds: number) => number) => [0, 1, 2, 3, 4].map((at) => box(at, xAt(at)));
  const farLeft = (9 / 16) ** 2 / 2;
  const path = `${folder}/boxed.mp4`;
  const { facts } = videoSource(path, { ...subjectSize, durationSeconds: 5 });
  beforeAll(async () => {
    await draw(path, drawing, "-c:v", "libx264", "-preset", "ultrafast");
  });
  const follow = (boxes: ReturnType<typeof eachSecond> = []) =>
    measuredHere(path, facts, (size) => new FocusCollector(size, boxes));

  test("it follows them, without their trembling, and what moves where there are none", async () => {
    const plain = await follow();
    expect([plain[0]!.reason, xOf(plain)(3) > 0.7]).toEqual(["motion", true]);
    const trembling = await follow(eachSecond((at) => 0.11 + (at % 2 === 0 ? 0.01 : -0.01)));
    expect(trembling).toMatchObject([{ startSeconds: 0, reason: "subject", points: [{}] }]);
    expect(xOf(trembling)(3)).toBeCloseTo(farLeft, 2);
  });

  test("it goes with boxes that move, in between them, too", async () => {
    const track = await follow(eachSecond((at) => 0.2 + 0.12 * at));
    expect(track.map(({ reason }) => reason)).toEqual(["subject"]);
    for (const at of [1, 1.5, 2, 2.5, 3]) expect(Math.abs(xOf(track)(at) - 0.2 - 0.12 * at)).toBeLessThan(0.03);
  });

  test("1.5 s after the last box it goes over to what moves, without a jump", async () => {
    const track = await follow([box(0.5, 0.11), box(1.5, 0.11)]);
    expect(track.map(({ reason }) => reason)).toEqual(["subject", "motion"]);
    const [x, turn] = [xOf(track), track[1]!.startSeconds];
    expect(turn).toBeCloseTo(3, 0);
    expect([x(1) < 0.2, x(4.7) > 0.7]).toEqual([true, true]);
    expect(Math.abs(x(turn) - x(turn - 0.002))).toBeLessThan(0.02);
  });

  test("of a subject that is wider than the crop, it shows what moves", async () => {
    const wide = eachSecond(() => 0).map((each) => ({ ...each, left: 0.2, right: 0.9 }));
    expect(xOf(await follow(wide))(3)).toBeGreaterThan(0.7);
    const apart = wide.map((each) => ({ ...each, right: 0.5 }));
    expect(xOf(await follow(apart))(3)).toBeCloseTo(0.35, 1);
  });
});

test("an image has one point", async () => {
  const drawing = "color=gray:s=160x90,drawbox=x=120:y=30:w=24:h=30:color=red:t=fill";
  const path = await draw(`${folder}/image.png`, drawing, "-frames:v", "1");
  const image = await store(imageSource(path, subjectSize));
  const track = await finder.find(image, options);
  expect(track).toMatchObject([{ reason: "detail", points: [{}] }]);
  expect(track![0]!.points[0]!.x).toBeGreaterThan(0.7);
  const boxes = [{ atSeconds: 0, left: 0.1, right: 0.3, top: 0.3, bottom: 0.6 }];
  const boxed = await finder.find(image, { ...options, boxes });
  expect(boxed).toMatchObject([{ reason: "subject", points: [{}] }]);
  expect(boxed![0]!.points[0]!.x).toBeCloseTo(0.2, 1);
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
