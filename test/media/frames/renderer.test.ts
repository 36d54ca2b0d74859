import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { FrameRenderer } from "../../../src/domain/exports/frames.ts";
import { isDomainError } from "../../../src/errors.ts";
import { type Ffmpeg, findFfmpeg } from "../../../src/media/ffmpeg/ffmpeg.ts";
import { ffmpegFrameRenderer } from "../../../src/media/frames/renderer.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import type { Timeline } from "../../../src/timeline/timeline.ts";
import { textOverlay } from "../../helpers/drawn-overlays.ts";
import { temporaryFolder, testedFfmpegs } from "../../helpers/ffmpeg.ts";
import { draw, drawNumbers, imageSource, smallCanvas, videoSource } from "../../helpers/media.ts";
import { clip, timeline, transitionInto } from "../../helpers/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let film: Timeline;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  await drawNumbers(`${folder}/film.mp4`, { first: 0, frames: 400, rate: "25" });
  await draw(`${folder}/still.png`, "testsrc2=size=200x100", "-frames:v", "1");
  for (const name of ["film.mp4", "still.png"]) await files.store({ path: `${folder}/${name}` }, name);
  const numbers = videoSource("film.mp4", { durationSeconds: 16 });
  const still = imageSource("still.png", { width: 200, height: 100 });
  const clips = [clip(numbers, 0, 120, transitionInto("fade", 10)), clip(still, 120, 160), clip(numbers, 165, 400)];
  film = timeline(clips, {
    fps: 25,
    overlays: [textOverlay("W", { fontSize: 20 }, { range: { start: 0, end: 300 } })],
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is left of jobs, wherever the store keeps them. */
const jobsLeft = async () =>
  (await readdir(`${folder}/store`, { recursive: true })).filter((path) => /job-/.test(path));

const drawing = (more: { owner?: string; signal?: AbortSignal } = {}) => ({
  ...{ quality: "draft" as const, owner: "one", signal: new AbortController().signal },
  ...more,
});

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let found: Ffmpeg;
  let runs: number;

  beforeAll(async () => {
    found = await findFfmpeg(build.path);
  });

  /** Draws with caches of its own, and counts the processes. */
  function drawer(run: Ffmpeg["run"] = found.run): FrameRenderer {
    runs = 0;
    const counting: Ffmpeg["run"] = (command, options) => {
      runs++;
      return run(command, options);
    };
    const cache = () => diskRenderCache(`${folder}/cache-${crypto.randomUUID()}`, 2 ** 30);
    const ffmpeg = { ...found, run: counting };
    return ffmpegFrameRenderer({ ffmpeg, files, segmentCache: cache(), frameCache: cache(), concurrency: 2 });
  }

  const picture = (by: FrameRenderer, frame: number, more = {}) =>
    by.frame(film, { frame, size: smallCanvas, ...drawing(more) });

  test("a frame seen before is not drawn again, but for somebody else", async () => {
    const by = drawer();
    const first = await picture(by, 125);
    expect(await picture(by, 125)).toEqual(first);
    expect(runs).toBe(1);
    await picture(by, 125, { owner: "another" });
    await picture(by, 126);
    expect(runs).toBe(3);
  });

  test("an edit elsewhere leaves a frame as it was, and one of what it shows does not", async () => {
    const by = drawer();
    await picture(by, 10);
    const [text] = film.overlays;
    const later = { ...film, overlays: [{ ...text!, range: { start: 0, end: 200 } }] };
    await by.frame(later, { frame: 10, size: smallCanvas, ...drawing() });
    expect(runs).toBe(1);
    const fainter = { ...film, overlays: [{ ...text!, opacity: 0.5 }] };
    await by.frame(fainter, { frame: 10, size: smallCanvas, ...drawing() });
    expect(runs).toBe(2);
  });

  test("a picture says nothing of its colors that a browser would take for another gamma", async () => {
    const bytes = Buffer.from(await picture(drawer(), 130));
    expect(["gAMA", "cHRM", "iCCP"].filter((chunk) => bytes.includes(chunk))).toEqual([]);
  });

  test("each tile of a sheet is the frame of its time", async () => {
    const frames = [3, 121, 162, 399];
    const by = drawer();
    const sheet = await loadImage(await by.contactSheet(film, { frames, columns: 2, ...drawing() }));
    const context = createCanvas(sheet.width, sheet.height).getContext("2d");
    context.drawImage(sheet, 0, 0);
    // tiles stand in the middle of cells that leave room for their times
    const [cell, row] = [96, smallCanvas.height + 30];
    for (const [index, frame] of frames.entries()) {
      const [column, line] = [index % 2, Math.floor(index / 2)];
      const [x, y] = [12 + column * (cell + 12) + (cell - smallCanvas.width) / 2, 12 + line * (row + 12)];
      const tile = context.getImageData(x, y, smallCanvas.width, smallCanvas.height).data;
      const alone = createCanvas(smallCanvas.width, smallCanvas.height).getContext("2d");
      alone.drawImage(await loadImage(await picture(by, frame)), 0, 0);
      expect([frame, Bun.hash(tile)]).toEqual([
        frame,
        Bun.hash(alone.getImageData(0, 0, smallCanvas.width, smallCanvas.height).data),
      ]);
    }
  });

  test("whoever leaves stops the process, and nothing stays behind", async () => {
    const controller = new AbortController();
    const by = drawer((command, options) => {
      controller.abort(new Error("gone"));
      return found.run(command, options);
    });
    await expect(picture(by, 300, { signal: controller.signal })).rejects.toThrow("gone");
    expect(await jobsLeft()).toEqual([]);
  });

  test("of too many who wait the last are told to come back", async () => {
    const open = Promise.withResolvers<void>();
    const by = drawer(() => open.promise.then(() => Promise.reject(new Error("closed"))));
    const bothRefused = Promise.withResolvers<void>();
    const codes: string[] = [];
    const asked = Array.from({ length: 36 }, (_, frame) =>
      picture(by, frame).catch((error) => {
        if (isDomainError(error) && codes.push(error.code) === 2) bothRefused.resolve();
      }),
    );
    await bothRefused.promise;
    open.resolve();
    await Promise.all(asked);
    expect(codes).toEqual(["busy", "busy"]);
  });
});
