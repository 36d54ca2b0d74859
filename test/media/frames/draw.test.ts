import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import type { RenderCache } from "../../../src/domain/exports/renderer.ts";
import type { Ffmpeg } from "../../../src/media/ffmpeg/ffmpeg.ts";
import { segmentDecoder } from "../../../src/media/ffmpeg/segment-decoder.ts";
import { drawFrames } from "../../../src/media/frames/draw.ts";
import { noProxies } from "../../../src/media/proxies/build.ts";
import { ffmpegRenderer } from "../../../src/media/render/renderer.ts";
import { sharedTaskPool } from "../../../src/media/sandbox/task-pool.ts";
import { concurrencyLimit } from "../../../src/platform/concurrency-limit.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { animations, type Overlay } from "../../../src/timeline/overlay.ts";
import type { Source } from "../../../src/timeline/source.ts";
import type { Timeline } from "../../../src/timeline/timeline.ts";
import { type Clip, transitionKinds } from "../../../src/timeline/track.ts";
import { draw, drawNumbers, imageSource, smallCanvas, videoSource } from "../../support/media/draw-media.ts";
import { textOverlay } from "../../support/media/drawn-overlays.ts";
import { ffmpegs, foundFfmpeg, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { freeLeases, noRenderCache } from "../../support/media/render-caches.ts";
import { pixelsOf, psnr, type Rgb, rgbFrames } from "../../support/media/rgb.ts";
import { clip, timeline, transitionInto } from "../../support/media/timelines.ts";

const canvas = sharedTaskPool();

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let edit: Timeline;

const stored = async (name: string): Promise<string> => {
  await files.store({ path: `${folder}/${name}` }, name);
  return name;
};

/** A video whose frame k shows the number 20,000 + k. */
async function numbers(name: string, rate: string, ...args: readonly string[]): Promise<Source> {
  await drawNumbers(`${folder}/${name}`, { first: 20_000, frames: 90, rate }, ...args);
  return videoSource(await stored(name), { durationSeconds: 3 });
}

/** Frames that last one, two and three ticks in turn. */
const uneven = ["-vf", "setpts='(2*N-mod(N,2)+mod(N,3))/(60*TB)'", "-vsync", "0"];

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  const sources = [await numbers("even.mp4", "30"), await numbers("slow.mp4", "25")];
  const vfr = await numbers("uneven.mp4", "60", ...uneven);
  await draw(`${folder}/still.png`, "testsrc2=size=320x200", "-frames:v", "1");
  await draw(`${folder}/upright.mp4`, "testsrc2=size=36x64:rate=30:duration=1", "-pix_fmt", "yuv420p", "-g", "10");
  await runFfmpeg(ffmpegs()[0]!, [
    ...["-i", `${folder}/upright.mp4`, "-c", "copy", "-metadata:s:v:0", "rotate=90", `${folder}/turned.mp4`],
  ]);
  const turned = videoSource(await stored("turned.mp4"), { ...smallCanvas, durationSeconds: 1 });
  const still = imageSource(await stored("still.png"), { width: 320, height: 200 });

  const kinds = transitionKinds.filter((kind) => kind !== "cut");
  const laid: Clip[] = kinds.map((kind, index) =>
    clip(sources[index % 2]!, index * 14, index * 14 + 14, {
      sourceStartSeconds: index * 0.21,
      ...transitionInto(kind, 7),
    }),
  );
  const end = kinds.length * 14;
  const others = [
    clip(still, end, end + 20, { fit: "cover", ...transitionInto("fade", 5) }),
    clip(turned, end + 20, end + 32, { fit: "blur" }),
    clip(vfr, end + 36, end + 66, { sourceStartSeconds: 0.45 }),
  ];
  edit = timeline([...laid, ...others], { overlays: animations.map(animated) });
});

const animated = (animation: Overlay["animateIn"], index: number): Overlay => {
  const range = { start: 30 + index * 35, end: 55 + index * 35 };
  const { content, ...rest } = textOverlay("Wg", { fontSize: 16 }, { range, animateIn: animation });
  return { ...rest, animateOut: animation, content: { ...content, anchor: { at: "center", x: 32, y: 18 } } as never };
};

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let ffmpeg: Ffmpeg;
  let decoder: Ffmpeg;
  let segmentCache: RenderCache;
  let exported: readonly Rgb[];
  let run: string[];

  beforeAll(async () => {
    const recorded = (found: Ffmpeg): Ffmpeg => ({
      ...found,
      run: (command, options) => {
        run.push(command.inputArgs.join(" "));
        return found.run(command, options);
      },
    });
    const found = await foundFfmpeg(build.path);
    ffmpeg = recorded(found);
    decoder = recorded(await segmentDecoder(found)());
    run = [];
    segmentCache = diskRenderCache(`${folder}/cache-${build.name}`, 2 ** 30);
    const { signal } = new AbortController();
    const rendered = await ffmpegRenderer({
      ffmpeg,
      files,
      leases: freeLeases,
      cache: segmentCache,
      concurrency: 2,
    }).render([edit], {
      quality: "high",
      owner: "user",
      projectId: "one",
      signal,
    });
    exported = await rgbFrames(build, rendered.videos[0]!.path);
    await rendered.dispose();
    run = [];
  });

  async function drawn(
    frames: readonly number[],
    {
      projectId = "one",
      timeline = edit,
      segmentCache = noRenderCache,
    }: { projectId?: string; timeline?: Timeline; segmentCache?: RenderCache } = {},
  ) {
    const images = await drawFrames({
      timeline,
      frames,
      size: smallCanvas,
      quality: "high",
      proxies: noProxies,
      folder: await mkdtemp(`${folder}/job-`),
      owner: "user",
      signal: new AbortController().signal,
      ffmpeg,
      segmentDecoder: async () => decoder,
      files,
      segmentCache,
      frameCache: noRenderCache,
      scope: { projectId, ffmpegVersion: ffmpeg.version, textEngine: await canvas.textEngine() },
      limit: concurrencyLimit({ concurrency: 2 }),
      canvas,
    });
    return await Promise.all(images.map(async ({ path }) => pixelsOf(await Bun.file(path).bytes())));
  }

  const every = () => exported.map((_, frame) => frame);

  test("each frame is the frame of the export at its position, not a neighbor", async () => {
    const images = await drawn(every());
    expect(images).toHaveLength(edit.track.frames);

    const different = images.flatMap((image, frame) => (psnr(image, exported[frame]!) > 28 ? [] : [frame]));
    expect(different).toEqual([]);
    // most frames differ from the next one, so an offset of one frame would be noticed
    const distinct = images.slice(1).filter((image, index) => psnr(image, exported[index]!) < 24);
    expect(distinct.length).toBeGreaterThan(0.6 * images.length);
  });

  test("a frame drawn alone is identical to the same frame drawn with others", async () => {
    const some = [3, 16, 45, 100, 170, 195, 215, 236];
    const together = await drawn(some);
    for (const [index, frame] of some.entries()) expect((await drawn([frame]))[0]).toEqual(together[index]!);
  });

  test("frames of cached segments are decoded from the segments", async () => {
    run = [];
    const images = await drawn(every(), { segmentCache });

    expect(run.every((inputs) => inputs.includes("/segments.h264"))).toBe(true);
    expect(images.map((image) => Bun.hash(image))).toEqual(exported.map((image) => Bun.hash(image)));
  });

  test.each([1, 3, 7.5, 23.976, 29.97])(
    "every frame of a cached segment can be decoded at %p frames per second",
    async (fps) => {
      const source = edit.track.spans.flatMap((span) => (span.kind === "clip" ? [span.clip.source] : []))[0]!;
      const gop = Math.round(2 * fps);
      const length = 2 * gop + 1;
      const short = timeline([clip(source, 0, length)], { fps });
      const { signal } = new AbortController();
      const rendered = await ffmpegRenderer({
        ffmpeg,
        files,
        leases: freeLeases,
        cache: segmentCache,
        concurrency: 2,
      }).render([short], {
        quality: "high",
        owner: "user",
        projectId: "one",
        signal,
      });
      const inVideo = await rgbFrames(build, rendered.videos[0]!.path);
      await rendered.dispose();
      run = [];
      // one at a time, so that each requires its own seek
      for (const frame of [gop - 1, gop, length - 1]) {
        const [image] = await drawn([frame], { segmentCache, timeline: short });
        expect([frame, Bun.hash(image!)]).toEqual([frame, Bun.hash(inVideo[frame]!)]);
      }
      expect(run.every((inputs) => inputs.includes("/segments.h264"))).toBe(true);
    },
  );

  test("a source that begins with damaged frames shows its first good one", async () => {
    const source = await numbers("damaged.mp4", "30", "-bf", "0", "-g", "5");
    const path = `${folder}/store/files/${source.file}`;
    const bytes = Buffer.from(await Bun.file(path).bytes());
    const media = bytes.indexOf("mdat") + 4;
    const mediaBytes = bytes.readUInt32BE(media - 8);
    await Bun.write(path, bytes.fill(0, media, media + mediaBytes / 20));
    const [image] = await drawn([0], { timeline: timeline([clip(source, 0, 30)]) });
    expect(Math.max(...image!)).toBeGreaterThan(200);
  });

  test("projects do not share cached segments", async () => {
    run = [];
    await drawn([3], { segmentCache, projectId: "another" });
    expect(run.some((inputs) => inputs.includes("/segments.h264"))).toBe(false);
  });
});
