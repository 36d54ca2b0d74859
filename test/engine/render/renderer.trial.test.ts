import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, readdir, rm } from "node:fs/promises";
import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { FfmpegError } from "../../../src/engine/ffmpeg/run.ts";
import type { ExportProgress, RenderCache, Renderer } from "../../../src/engine/ports.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import { linkSources } from "../../../src/engine/render/sources.ts";
import { reframe } from "../../../src/engine/timeline/reframe.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import type { Clip } from "../../../src/engine/timeline/track.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { withEdits } from "../../support/media/bombs/mp4.ts";
import {
  draw,
  drawNumbers,
  imageSource,
  lumaFrames,
  numberOn,
  smallCanvas,
  soundSamples,
  videoSource,
} from "../../support/media/draw-media.ts";
import { imageOverlay } from "../../support/media/drawn-overlays.ts";
import { directFfmpeg, foundFfmpeg, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { freeLeases, noRenderCache } from "../../support/media/render-caches.ts";
import { clip, timeline, transitionInto } from "../../support/media/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
/** Frame k shows the number k. */
let video: Source;
let still: Source;

/** Stores a file under its own name. */
async function stored(name: string): Promise<string> {
  const path = `${folder}/${name}`;
  await files.store({ path }, name);
  return name;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  await drawNumbers(`${folder}/film.mp4`, { first: 0, frames: 400, rate: "25" });
  video = videoSource(await stored("film.mp4"), { durationSeconds: 16 });
  await draw(`${folder}/still.png`, "color=white:size=64x36", "-frames:v", "1");
  still = imageSource(await stored("still.png"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const edit = (...clips: readonly Clip[]) => timeline(clips, { fps: 25 });

const options = (more: Partial<Parameters<Renderer["render"]>[1]> = {}) => ({
  quality: "draft" as const,
  owner: "user",
  projectId: "one",
  signal: new AbortController().signal,
  ...more,
});

async function renderOne(by: Renderer, edited: Timeline, renderOptions: Parameters<Renderer["render"]>[1]) {
  const { videos, dispose } = await by.render([edited], renderOptions);
  return { ...videos[0]!, dispose };
}

/** The files of jobs that the store still has. */
const jobFiles = async () =>
  (await readdir(`${folder}/store`, { recursive: true })).filter((path) => /job-/.test(path));

test("a disk too full for a prepared image is reported as storage_full, not as a bad image", async () => {
  const full = async () => {
    throw Object.assign(new Error("write"), { code: "ENOSPC" });
  };
  const linking = linkSources([edit(clip(still, 0, 5))], files, `${folder}/full`, full);
  await expect(linking).rejects.toMatchObject({ code: "storage_full" });
});

test("a stored video whose edits repeat it many times is unreadable", async () => {
  const edits = Array.from({ length: 17 }, () => ({ milliseconds: 16_000 }));
  await Bun.write(`${folder}/edited.mp4`, withEdits(await Bun.file(`${folder}/store/files/film.mp4`).bytes(), edits));
  const edited = videoSource(await stored("edited.mp4"), { durationSeconds: 16 });
  await mkdir(`${folder}/edited`);
  const linking = linkSources([edit(clip(edited, 0, 5))], files, `${folder}/edited`, async () => {});
  await expect(linking).rejects.toMatchObject({ code: "source_unreadable" });
});

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let ffmpeg: Ffmpeg;
  let renderer: Renderer;

  const framesOf = async (path: string) =>
    new TextDecoder()
      .decode(await runFfmpeg(build, ["-i", path, "-map", "0:v", "-f", "framemd5", "-"]))
      .split("\n")
      .filter((line) => line.startsWith("0,"));

  beforeAll(async () => {
    ffmpeg = await foundFfmpeg(build.path);
    renderer = ffmpegRenderer({ ffmpeg, files, leases: freeLeases, cache: noRenderCache, concurrency: 2 });
  });

  test("a video has every frame of its timeline in order, and dispose leaves no file", async () => {
    const clips = [clip(video, 0, 40), clip(video, 40, 60, { sourceStartSeconds: 4 }), clip(still, 64, 70)];

    const rendered = await renderOne(renderer, edit(...clips), options());

    const numbers = (await lumaFrames(build, rendered.path)).map(numberOn);
    const counted = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
    const white = 2 ** 16 - 1;
    expect(numbers).toEqual([...counted(0, 40), ...counted(100, 20), ...Array(4).fill(0), ...Array(6).fill(white)]);
    expect(rendered.sizeBytes).toBe(Bun.file(rendered.path).size);
    await rendered.dispose();
    expect(await jobFiles()).toEqual([]);
  });

  test("a video without sound has a silent track of the same length", async () => {
    const rendered = await renderOne(renderer, edit(clip(video, 0, 10)), options());
    const samples = await soundSamples(build, rendered.path);
    // decoders before ffmpeg 9 output whole AAC frames of 1024 samples
    expect([19_200, Math.ceil(19_200 / 1024) * 1024]).toContain(samples.length / 2);
    expect(samples.every((sample) => sample === 0)).toBe(true);
    await rendered.dispose();
  });

  test("overlays work in a folder with special characters in its name", async () => {
    const { jobFolder } = await diskFiles(`${folder}/it's 100%d: [a],b;c\\d`);
    const elsewhere = ffmpegRenderer({
      ffmpeg,
      files: { ...files, jobFolder },
      leases: freeLeases,
      cache: noRenderCache,
      concurrency: 2,
    });
    const white = imageOverlay(still.file, { x: 0, y: 0, ...smallCanvas }, { range: { start: 1, end: 2 } });

    const rendered = await renderOne(elsewhere, { ...edit(clip(video, 0, 3)), overlays: [white] }, options());

    expect((await lumaFrames(build, rendered.path)).map(numberOn)).toEqual([0, 2 ** 16 - 1, 2]);
    await rendered.dispose();
  });

  test("videos for several frame sizes have the same frames as each rendered alone", async () => {
    const clips = [
      clip(video, 0, 20, { ...transitionInto("circleopen", 8), fit: "blur" }),
      clip(still, 20, 35, { ...transitionInto("slideleft", 6), fit: "cover" }),
      clip(video, 35, 60, { fit: "cover", sourceStartSeconds: 4, focus: { x: 1, y: 0 } }),
    ];
    const title = imageOverlay(still.file, { x: 50, y: 30, width: 12, height: 4 }, { range: { start: 10, end: 40 } });
    const whole = { ...edit(...clips), overlays: [title] };
    const frames = [smallCanvas, { width: 36, height: 64 }];
    const timelines = frames.map((canvas) => reframe(whole, canvas));
    const progress: ExportProgress[] = [];

    const ports = { files, leases: freeLeases, cache: noRenderCache };
    const direct = ffmpegRenderer({ ...ports, ffmpeg: await directFfmpeg(build.path), concurrency: 1 });

    const together = await direct.render(timelines, options({ onProgress: (each) => progress.push(each) }));

    for (const [index, timeline] of timelines.entries()) {
      const alone = await renderOne(direct, timeline, options());
      const [one, other] = await Promise.all([alone.path, together.videos[index]!.path].map(framesOf));
      expect([one!.length, one]).toEqual([60, other]);
      await alone.dispose();
    }
    expect(progress.at(-1)).toEqual({ framesDone: 120, framesRendered: 120 });
    await together.dispose();
    expect(await jobFiles()).toEqual([]);
  });

  test("progress never decreases and ends with the last frame", async () => {
    const seen: number[] = [];
    const clips = [clip(video, 0, 30, transitionInto("fade", 5)), clip(video, 30, 100)];

    const rendered = await renderOne(
      renderer,
      edit(...clips),
      options({ onProgress: ({ framesDone }) => seen.push(framesDone) }),
    );

    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(100);
    await rendered.dispose();
  });

  test("an abort stops the rendering and leaves no file", async () => {
    const controller = new AbortController();
    const endless = edit(clip(video, 0, 2000));
    const onProgress = () => controller.abort(new Error("gone"));

    await expect(renderOne(renderer, endless, options({ signal: controller.signal, onProgress }))).rejects.toThrow(
      "gone",
    );
    expect(await jobFiles()).toEqual([]);
  });

  test("a source that cannot be decoded is reported as unreadable", async () => {
    await Bun.write(`${folder}/broken.mp4`, "not a video");
    const broken = { ...video, file: await stored("broken.mp4") };
    const rendering = renderOne(renderer, edit(clip(video, 0, 5), clip(broken, 5, 10)), options());
    await expect(rendering).rejects.toMatchObject({ code: "source_unreadable", facts: { path: "clips" } });
    expect(await jobFiles()).toEqual([]);
  });

  test("a missing source is reported as unreadable, with the times at which it is used", async () => {
    const gone = { ...video, file: "gone.mp4" };
    const rendering = renderOne(renderer, edit(clip(video, 0, 5), clip(gone, 5, 10)), options());
    await expect(rendering).rejects.toMatchObject({
      code: "source_unreadable",
      facts: { what: "The export's video at 0.2–0.4 s" },
    });
  });

  test("an overlay image that is deleted during an export is still drawn", async () => {
    const path = `${folder}/logo.png`;
    await draw(path, "color=white:size=16x16", "-frames:v", "1");
    const logo = await stored("logo.png");
    // the first cache lookup precedes every rendering
    const deleting: RenderCache = { ...noRenderCache, linkTo: () => files.remove([logo]).then(() => false) };
    const overlay = imageOverlay(logo, { x: 0, y: 0, width: 64, height: 36 });
    const edited = timeline([clip(video, 0, 5)], { fps: 25, overlays: [overlay] });
    const rendered = await renderOne(
      ffmpegRenderer({ ffmpeg, files, leases: freeLeases, cache: deleting, concurrency: 1 }),
      edited,
      options({ quality: "standard" }),
    );
    const [first] = await lumaFrames(build, rendered.path);
    expect(first!.levels.every((level) => level > 225)).toBe(true);
    await rendered.dispose();
  });

  test("a failure of ffmpeg on decodable sources is not reported as an unreadable source", async () => {
    const failing: Ffmpeg = {
      ...ffmpeg,
      run: (command, runOptions) =>
        command.graph ? Promise.reject(new FfmpegError([], "", {})) : ffmpeg.run(command, runOptions),
    };
    const rendering = renderOne(
      ffmpegRenderer({ ffmpeg: failing, files, leases: freeLeases, cache: noRenderCache, concurrency: 2 }),
      edit(clip(video, 0, 5)),
      options(),
    );
    await expect(rendering).rejects.toThrow(FfmpegError);
    expect(await jobFiles()).toEqual([]);
  });

  test("concurrent jobs together stay within the process limit", async () => {
    const twoRun = Promise.withResolvers<void>();
    let running = 0;
    let peak = 0;
    const counting: Ffmpeg = {
      ...ffmpeg,
      async run(command, runOptions) {
        peak = Math.max(peak, ++running);
        if (running === 2) twoRun.resolve();
        try {
          await twoRun.promise;
          return await ffmpeg.run(command, runOptions);
        } finally {
          running--;
        }
      },
    };
    const countingRenderer = ffmpegRenderer({
      ffmpeg: counting,
      files,
      leases: freeLeases,
      cache: noRenderCache,
      concurrency: 2,
    });

    const videos = await Promise.all(
      [1, 2, 3].map(() => renderOne(countingRenderer, edit(clip(video, 0, 10)), options())),
    );

    expect(peak).toBe(2);
    for (const { dispose } of videos) await dispose();
  });
});
