import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import type { Renderer } from "../../../src/engine/ports.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import { type Format, formatTable } from "../../../src/engine/timeline/format.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { draw, imageSource, videoSource } from "../../support/media/draw-media.ts";
import { foundFfmpeg, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { freeLeases, noRenderCache } from "../../support/media/render-caches.ts";
import { clip, timeline, transitionInto } from "../../support/media/timelines.ts";

const canvas = { width: 128, height: 64 };
const fps = 25;

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
/** Red, half as wide as the canvas, with a tone. */
let red: Source;
/** A square of blue, half transparent. */
let glass: Source;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  const store = async (name: string) => {
    await files.store({ path: `${folder}/${name}` }, name);
    return name;
  };
  const sine = ["-f", "lavfi", "-i", "sine=440:sample_rate=48000", "-t", "3", "-pix_fmt", "yuv420p"];
  await draw(`${folder}/red.mp4`, "color=red:size=64x64:rate=25", ...sine, "-shortest");
  red = videoSource(await store("red.mp4"), { durationSeconds: 3, hasSound: true, width: 64, height: 64 });
  await draw(`${folder}/glass.png`, "color=blue@0.5:size=64x64,format=rgba", "-frames:v", "1");
  glass = imageSource(await store("glass.png"), { width: 64, height: 64 });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Red with bars, a gap from 1.2 s to 1.4 s, half transparent blue to 1.8 s. */
const edit = (more: Partial<Timeline> = {}) =>
  timeline([clip(red, 0, 30, transitionInto("fade", 0)), clip(glass, 35, 45)], { fps, canvas, ...more });

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let renderer: Renderer;

  beforeAll(async () => {
    const ffmpeg = await foundFfmpeg(build.path);
    renderer = ffmpegRenderer({
      ffmpeg,
      files,
      leases: freeLeases,
      cache: noRenderCache,
      concurrency: 2,
    });
  });

  async function render(format: Format, { isTransparent = false, at = 0, edited = edit() } = {}) {
    const signal = new AbortController().signal;
    const options = { quality: "standard", owner: "user", projectId: "one", signal } as const;
    const { videos, dispose } = await renderer.render([edited], { ...options, output: { format, isTransparent, at } });
    const path = `${folder}/${format}-${isTransparent}-${build.name}.${formatTable[format].extension}`;
    await Bun.write(path, Bun.file(videos[0]!.path));
    await dispose();
    return path;
  }

  const decoderOf = (path: string) => (path.endsWith(".webm") ? ["-c:v", "libvpx-vp9"] : []);

  /** All frames as RGBA. */
  async function framesOf(path: string) {
    const { width, height } = canvas;
    const raw = ["-pix_fmt", "rgba", "-f", "rawvideo", "-"];
    const pixels = await runFfmpeg(build, [...decoderOf(path), "-i", path, "-map", "0:v", ...raw]);
    const frameBytes = 4 * width * height;
    return {
      count: pixels.length / frameBytes,
      at: (frame: number, x: number, y: number) => {
        const from = frame * frameBytes + 4 * (y * width + x);
        return [...pixels.subarray(from, from + 4)] as [number, number, number, number];
      },
    };
  }

  const isNear = (pixel: readonly number[], wanted: readonly number[], tolerance: number) =>
    pixel.every((channel, index) => Math.abs(channel - wanted[index]!) <= tolerance);

  test.each(["webm", "mov", "gif"] as const)("%s has every frame over the background", async (format) => {
    const path = await render(format, { edited: edit({ background: { red: 0, green: 128, blue: 0, alpha: 1 } }) });
    const frames = await framesOf(path);
    expect(frames.count).toBe(45);
    for (const [frame, x, wanted] of [
      [10, 64, [255, 23, 0, 255]],
      [10, 8, [0, 128, 0, 255]],
      [32, 64, [0, 128, 0, 255]],
      [40, 64, [0, 64, 128, 255]],
    ] as const) {
      const pixel = frames.at(frame, x, 32);
      expect({ frame, x, pixel, isNear: isNear(pixel, wanted, 12) }).toEqual({ frame, x, pixel, isNear: true });
    }
  });

  test.each(["webm", "mov"] as const)("%s over nothing has alpha in gaps, bars and glass", async (format) => {
    const frames = await framesOf(await render(format, { isTransparent: true }));
    expect(frames.count).toBe(45);
    expect(frames.at(10, 64, 32)[3]).toBeGreaterThanOrEqual(253);
    expect(isNear(frames.at(10, 64, 32), [255, 23, 0, 255], 12)).toBe(true);
    // VP9 encodes alpha as it does luma
    expect(frames.at(10, 8, 32)[3]).toBeLessThanOrEqual(2);
    expect(frames.at(32, 64, 32)[3]).toBeLessThanOrEqual(2);
    const glassy = frames.at(40, 64, 32);
    expect(isNear(glassy, [0, 0, 255, 128], 12)).toBe(true);
    expect(frames.at(40, 8, 32)[3]).toBeLessThanOrEqual(2);
  });

  test("gif over nothing is transparent where less than half is there", async () => {
    const frames = await framesOf(await render("gif", { isTransparent: true }));
    expect(frames.count).toBe(45);
    expect(isNear(frames.at(10, 64, 32), [255, 23, 0, 255], 12)).toBe(true);
    expect(frames.at(10, 8, 32)[3]).toBe(0);
    expect(frames.at(32, 64, 32)[3]).toBe(0);
  });

  test("pictures", async () => {
    const png = await framesOf(await render("png", { at: 0.4 }));
    expect(png.at(0, 64, 32)).toEqual([255, 23, 0, 255]);
    const clear = await framesOf(await render("png", { at: 0.4, isTransparent: true }));
    expect([clear.at(0, 8, 32)[3], clear.at(0, 64, 32)[3]]).toEqual([0, 255]);
    const jpg = await framesOf(await render("jpg", { at: 0.4 }));
    expect(isNear(jpg.at(0, 64, 32), [255, 23, 0, 255], 8)).toBe(true);
  });

  test("sounds", async () => {
    for (const format of ["mp3", "wav"] as const) {
      const path = await render(format);
      const samples = await runFfmpeg(build, ["-i", path, "-f", "s16le", "-ac", "2", "-ar", "48000", "-"]);
      expect(Math.abs(samples.length / 4 / 48_000 - 1.8)).toBeLessThan(0.06);
    }
  });
});
