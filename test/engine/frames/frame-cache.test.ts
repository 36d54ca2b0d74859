import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { ffmpegFrameRenderer } from "../../../src/engine/frames/renderer.ts";
import type { FrameRenderer, Quality, RenderCache } from "../../../src/engine/ports.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { draw, smallCanvas, videoSource } from "../../support/media/draw-media.ts";
import { directFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { freeLeases } from "../../support/media/render-caches.ts";
import { pixelsOf, rgbFrames } from "../../support/media/rgb.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let edit: Timeline;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  await draw(`${folder}/film.mp4`, "testsrc2=size=64x36:rate=25:duration=1", "-pix_fmt", "yuv420p", "-crf", "5");
  await files.store({ path: `${folder}/film.mp4` }, "film.mp4");
  edit = timeline([clip(videoSource("film.mp4", { durationSeconds: 1 }), 0, 25)], { fps: 25 });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const frame = 12;
const ids = { owner: "user", projectId: "one" };
const { signal } = new AbortController();

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let ffmpeg: Ffmpeg;

  beforeAll(async () => {
    ffmpeg = await directFfmpeg(build.path);
  });

  const newCache = () => diskRenderCache(`${folder}/cache-${crypto.randomUUID()}`, 2 ** 30);

  const frameRenderer = (segmentCache: RenderCache) =>
    ffmpegFrameRenderer({ ffmpeg, files, segmentCache, frameCache: newCache(), concurrency: 2 });

  const hashOf = async (by: FrameRenderer, quality: Quality) =>
    Bun.hash(await pixelsOf(await by.frame(edit, { frame, size: smallCanvas, quality, ...ids, signal })));

  /** Exports the edit and hashes the frame in its video. */
  async function hashInExport(cache: RenderCache, quality: Quality) {
    const rendered = await ffmpegRenderer({ ffmpeg, files, leases: freeLeases, cache, concurrency: 2 }).render([edit], {
      quality,
      ...ids,
      signal,
    });
    const exported = await rgbFrames(build, rendered.videos[0]!.path);
    await rendered.dispose();
    return Bun.hash(exported[frame]!);
  }

  test("a frame that was requested before the export is the export's frame afterwards", async () => {
    const segments = newCache();
    const by = frameRenderer(segments);
    const before = await hashOf(by, "draft");

    const exported = await hashInExport(segments, "draft");

    expect([await hashOf(by, "draft"), await hashOf(by, "draft")]).toEqual([exported, exported]);
    expect(before).not.toBe(exported);
  });

  test("a frame of a draft export is not given for another quality", async () => {
    const fromSources = await hashOf(frameRenderer(newCache()), "standard");
    const segments = newCache();
    const by = frameRenderer(segments);

    expect(await hashInExport(segments, "draft")).toBe(await hashOf(by, "draft"));

    expect(await hashOf(by, "standard")).toBe(fromSources);
    expect(await hashOf(by, "high")).toBe(fromSources);
  });
});
