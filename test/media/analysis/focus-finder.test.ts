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

  test("with two boxes a shot, which tremble, a crop shows the subjects as well", async () => {
    const boxes = subjectShots.flatMap(({ leftAt }, at) =>
      [0.5, 1.5].map((seconds) => {
        const left = leftAt(seconds) / subjectSize.width + (seconds < 1 ? 0.02 : -0.02);
        return { atSeconds: at * shotSeconds + seconds, left, right: left + 0.125, top: 0.27, bottom: 0.75 };
      }),
    );
    const boxed = (await finder.find(film, { ...options, boxes }))!;
    expect(new Set(boxed.map(({ reason }) => reason))).toEqual(new Set(["subject"]));
    for (const at of subjectShots.keys()) expect(shareInside(at, xOf(boxed))).toBeGreaterThanOrEqual(0.95);
  });

  test("boxes before a cut say nothing about what is after it", async () => {
    const boxes = [0.5, 1.5].map((atSeconds) => ({ atSeconds, left: 0, right: 0.1, top: 0, bottom: 1 }));
    const boxed = (await finder.find(film, { ...options, boxes }))!;
    expect(boxed[0]!.reason).toBe("subject");
    expect(boxed.slice(1)).toEqual(track.slice(1));
  });

  test("it is measured once", async () => {
    expect(await finderOnce.find(film, options)).toEqual(track);
  });
});

describe("with the boxes of a vision model", () => {
  /** A dull square stands at the left; at the right something bright moves, as nothing else does. */
  const drawing =
    "color=0x405060:s=160x90:r=12:d=6,drawbox=x=8:y=30:w=20:h=40:color=0x607080:t=fill[still];testsrc2=s=30x40:r=12:d=6[lively];[still][lively]overlay=x='120+6*sin(5*t)':y=25,format=yuv420p";
  const box = (atSeconds: number, x: number) => ({
    ...{ atSeconds, left: x - 0.06, right: x + 0.06, top: 0.33, bottom: 0.78 },
  });
  const eachSecond = (xAt: (seconds: number) => number) => [0, 1, 2, 3, 4, 5].map((at) => box(at, xAt(at)));
  const farLeft = (9 / 16) ** 2 / 2;
  let film: Source;
  beforeAll(async () => {
    const path = await draw(`${folder}/boxed.mp4`, drawing, "-c:v", "libx264", "-preset", "ultrafast");
    film = await store(videoSource(path, { ...subjectSize, durationSeconds: 6 }));
  });
  const follow = async (boxes: ReturnType<typeof eachSecond> | undefined) =>
    (await finder.find(film, { ...options, boxes }))!;

  test("it follows them, without their trembling, and what moves where there are none", async () => {
    expect(xOf(await follow(undefined))(3)).toBeGreaterThan(0.7);
    const trembling = await follow(eachSecond((at) => 0.11 + (at % 2 === 0 ? 0.01 : -0.01)));
    expect(trembling).toMatchObject([{ startSeconds: 0, reason: "subject", points: [{}] }]);
    expect(xOf(trembling)(3)).toBeCloseTo(farLeft, 2);
    expect((await follow(undefined))[0]!.reason).toBe("motion");
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
    expect([x(1) < 0.2, x(5) > 0.7]).toEqual([true, true]);
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
