import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { ffmpegFrameRenderer } from "../../../src/engine/frames/renderer.ts";
import type { FrameRenderer } from "../../../src/engine/ports.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import { isDomainError } from "../../../src/errors.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { draw, drawNumbers, imageSource, smallCanvas, videoSource } from "../../support/media/draw-media.ts";
import { textOverlay } from "../../support/media/drawn-overlays.ts";
import { foundFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { clip, timeline, transitionInto } from "../../support/media/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let edit: Timeline;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  await drawNumbers(`${folder}/film.mp4`, { first: 0, frames: 400, rate: "25" });
  await draw(`${folder}/still.png`, "testsrc2=size=200x100", "-frames:v", "1");
  for (const name of ["film.mp4", "still.png"]) await files.store({ path: `${folder}/${name}` }, name);
  const numbers = videoSource("film.mp4", { durationSeconds: 16 });
  const still = imageSource("still.png", { width: 200, height: 100 });
  const clips = [clip(numbers, 0, 120, transitionInto("fade", 10)), clip(still, 120, 160), clip(numbers, 165, 400)];
  edit = timeline(clips, {
    fps: 25,
    overlays: [textOverlay("W", { fontSize: 20 }, { range: { start: 0, end: 300 } })],
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The files of jobs that the store still has. */
const jobFiles = async () =>
  (await readdir(`${folder}/store`, { recursive: true })).filter((path) => /job-/.test(path));

const options = (more: { owner?: string; signal?: AbortSignal } = {}) => ({
  quality: "draft" as const,
  owner: "user",
  projectId: "one",
  signal: new AbortController().signal,
  ...more,
});

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let found: Ffmpeg;
  let runs: number;

  beforeAll(async () => {
    found = await foundFfmpeg(build.path);
  });

  /** A renderer with empty caches that counts its ffmpeg processes. */
  function frameRenderer(run: Ffmpeg["run"] = found.run): FrameRenderer {
    runs = 0;
    const counting: Ffmpeg["run"] = (command, options) => {
      runs++;
      return run(command, options);
    };
    const cache = () => diskRenderCache(`${folder}/cache-${crypto.randomUUID()}`, 2 ** 30);
    const ffmpeg = { ...found, run: counting };
    return ffmpegFrameRenderer({ ffmpeg, files, segmentCache: cache(), frameCache: cache(), concurrency: 2 });
  }

  const render = (by: FrameRenderer, frame: number, more = {}) =>
    by.frame(edit, { frame, size: smallCanvas, ...options(more) });

  test("a repeated request takes the frame from the cache of the same user", async () => {
    const by = frameRenderer();
    const first = await render(by, 125);
    expect(await render(by, 125)).toEqual(first);
    expect(runs).toBe(1);
    await render(by, 125, { projectId: "another" });
    await render(by, 126);
    expect(runs).toBe(3);
  });

  test("only edits that change a frame invalidate its cache entry", async () => {
    const by = frameRenderer();
    await render(by, 10);
    const [text] = edit.overlays;
    const later = { ...edit, overlays: [{ ...text!, range: { start: 0, end: 200 } }] };
    await by.frame(later, { frame: 10, size: smallCanvas, ...options() });
    expect(runs).toBe(1);
    const fainter = { ...edit, overlays: [{ ...text!, opacity: 0.5 }] };
    await by.frame(fainter, { frame: 10, size: smallCanvas, ...options() });
    expect(runs).toBe(2);
  });

  test("a PNG has no gamma or color chunks that a browser would apply", async () => {
    const bytes = Buffer.from(await render(frameRenderer(), 130));
    expect(["gAMA", "cHRM", "iCCP"].filter((chunk) => bytes.includes(chunk))).toEqual([]);
  });

  test("each tile of a contact sheet is the frame at its time", async () => {
    const frames = [3, 121, 162, 399];
    const by = frameRenderer();
    const sheet = await loadImage(await by.contactSheet(edit, { frames, columns: 2, ...options() }));
    const context = createCanvas(sheet.width, sheet.height).getContext("2d");
    context.drawImage(sheet, 0, 0);
    // tiles are centered in cells that are at least as wide as a time label
    const cellWidth = 96;
    const cellHeight = smallCanvas.height + 30;
    for (const [index, frame] of frames.entries()) {
      const column = index % 2;
      const row = Math.floor(index / 2);
      const x = 12 + column * (cellWidth + 12) + (cellWidth - smallCanvas.width) / 2;
      const y = 12 + row * (cellHeight + 12);
      const tile = context.getImageData(x, y, smallCanvas.width, smallCanvas.height).data;
      const alone = createCanvas(smallCanvas.width, smallCanvas.height).getContext("2d");
      alone.drawImage(await loadImage(await render(by, frame)), 0, 0);
      expect([frame, Bun.hash(tile)]).toEqual([
        frame,
        Bun.hash(alone.getImageData(0, 0, smallCanvas.width, smallCanvas.height).data),
      ]);
      const cellX = 12 + column * (cellWidth + 12);
      const label = context.getImageData(cellX, y + smallCanvas.height, cellWidth, 30).data;
      expect(Math.max(...label.filter((_, at) => at % 4 !== 3))).toBeGreaterThan(200);
    }
  });

  test("an abort stops the process and leaves no file", async () => {
    const controller = new AbortController();
    const by = frameRenderer((command, options) => {
      controller.abort(new Error("gone"));
      return found.run(command, options);
    });
    await expect(render(by, 300, { signal: controller.signal })).rejects.toThrow("gone");
    expect(await jobFiles()).toEqual([]);
  });

  test("requests beyond the queue limit fail with busy", async () => {
    const open = Promise.withResolvers<void>();
    const by = frameRenderer(() => open.promise.then(() => Promise.reject(new Error("closed"))));
    const bothRefused = Promise.withResolvers<void>();
    const codes: string[] = [];
    const asked = Array.from({ length: 36 }, (_, frame) =>
      render(by, frame).catch((error) => {
        if (isDomainError(error) && codes.push(error.code) === 2) bothRefused.resolve();
      }),
    );
    await bothRefused.promise;
    open.resolve();
    await Promise.all(asked);
    expect(codes).toEqual(["busy", "busy"]);
  });
});
