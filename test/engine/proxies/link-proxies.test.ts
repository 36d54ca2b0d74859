import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { ffmpegFrameRenderer } from "../../../src/engine/frames/renderer.ts";
import type { FrameRenderer, Quality, Renderer } from "../../../src/engine/ports.ts";
import { type Proxies, proxyBuilder } from "../../../src/engine/proxies/build.ts";
import { idleScheduler } from "../../../src/engine/proxies/idle-scheduler.ts";
import type { ProxyKind } from "../../../src/engine/proxies/kind.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { drawColor, levelAt, lumaFrames, redAtCenter, videoSource } from "../../support/media/draw-media.ts";
import { foundFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { freeLeases, noRenderCache } from "../../support/media/render-caches.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
/** Black. Its proxy is white, so that it shows where it is used. */
let source: Source;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  await drawColor(`${folder}/black.mp4`, "black", 20);
  await drawColor(`${folder}/white.mp4`, "white", 20);
  await files.store({ path: `${folder}/black.mp4` }, "black.mp4");
  source = videoSource("black.mp4", { width: 640, height: 360, durationSeconds: 20 / 30 });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const whiteProxies: ProxyKind = {
  isFor: () => true,
  describe: () => "white",
  build: ({ output }) => Bun.write(output, Bun.file(`${folder}/white.mp4`)).then(() => {}),
};

const canvas = { width: 640, height: 360 };
const place = { owner: "ann", projectId: "one" };

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let proxies: Proxies;
  let renderer: Renderer;
  let frames: FrameRenderer;

  const open = async () => {
    const ffmpeg = await foundFfmpeg(build.path);
    const cache = diskRenderCache(`${folder}/${crypto.randomUUID()}`, 2 ** 30);
    proxies = proxyBuilder({ kind: whiteProxies, files, cache, ffmpeg, scheduler: idleScheduler(1) });
    const shared = { ffmpeg, files, concurrency: 2, proxies };
    renderer = ffmpegRenderer({ ...shared, leases: freeLeases, cache: noRenderCache });
    frames = ffmpegFrameRenderer({ ...shared, segmentCache: noRenderCache, frameCache: noRenderCache });
  };

  const edit = () => ({ ...timeline([clip(source, 0, 20, { volume: 0 })]), canvas });
  const options = (quality: Quality) => ({ ...place, quality, signal: new AbortController().signal });

  /** Whether an export, a frame or a contact sheet shows the proxy. */
  const exportShows = async (quality: Quality) => {
    const { videos, dispose } = await renderer.render([edit()], options(quality));
    const shown = await lumaFrames(build, videos[0]!.path, canvas);
    await dispose();
    return shown.map((frame) => levelAt(frame, 320, 180) > 128);
  };
  const frameShows = async (width: number, quality: Quality = "standard") => {
    const size = { width, height: (width * 9) / 16 };
    return (await redAtCenter(await frames.frame(edit(), { ...options(quality), frame: 3, size }))) > 128;
  };
  const sheetShows = async () =>
    (await redAtCenter(await frames.contactSheet(edit(), { ...options("standard"), frames: [3], columns: 1 }))) > 128;

  test("drafts, small frames and contact sheets show proxies; other exports and large frames never do", async () => {
    await open();
    await proxies.linkTo({ ...place, source }, `${folder}/missing`);
    await proxies.untilIdle();
    expect(new Set(await exportShows("draft"))).toEqual(new Set([true]));
    expect(new Set(await exportShows("standard"))).toEqual(new Set([false]));
    expect(await frameShows(320)).toBe(true);
    expect(await frameShows(336)).toBe(false);
    expect(await frameShows(640, "draft")).toBe(true);
    expect(await sheetShows()).toBe(true);
  });

  test("without a proxy they show the source, and one is built", async () => {
    await open();
    expect(new Set(await exportShows("draft"))).toEqual(new Set([false]));
    await proxies.untilIdle();
    expect(new Set(await exportShows("draft"))).toEqual(new Set([true]));
    await open();
    expect(await sheetShows()).toBe(false);
    await proxies.untilIdle();
    expect(await sheetShows()).toBe(true);
  });

  test("a source that is removed while it waits for its proxy has none", async () => {
    await open();
    const gone = { ...source, file: "gone.mp4", hash: "gone" };
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await proxies.linkTo({ ...place, source: gone }, `${folder}/missing`)).toBe(false);
      await proxies.untilIdle();
    }
  });
});
