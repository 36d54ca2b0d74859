import { expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { type Ffmpeg, segmentDecoder } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import type { Quality, RenderCache } from "../../../src/engine/ports.ts";
import { noProxies } from "../../../src/engine/proxies/build.ts";
import { drawFrames } from "../../../src/engine/render/draw-frames.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import { sharedTaskPool } from "../../../src/engine/sandbox/task-pool.ts";
import type { Animation, Overlay } from "../../../src/engine/timeline/overlay.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import type { Clip, TransitionKind } from "../../../src/engine/timeline/track.ts";
import { concurrencyLimit } from "../../../src/platform/limits/concurrency-limit.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { draw, drawNumbers, imageSource, smallCanvas, videoSource } from "../../support/media/draw-media.ts";
import { textOverlay } from "../../support/media/drawn-overlays.ts";
import { directFfmpeg, ffmpegs, runFfmpeg, type TestFfmpeg, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { freeLeases, noRenderCache } from "../../support/media/render-caches.ts";
import { pixelsOf, psnr, rgbFrames } from "../../support/media/rgb.ts";
import { clip, timeline, transitionInto } from "../../support/media/timelines.ts";

type Wanted = {
  readonly kinds: readonly TransitionKind[];
  readonly animations: readonly Animation[];
  readonly quality: Quality;
};

/** Frames that last one, two and three ticks in turn. */
const uneven = ["-vf", "setpts='(2*N-mod(N,2)+mod(N,3))/(60*TB)'", "-vsync", "0"];

const animated = (animation: Animation, index: number): Overlay => {
  const range = { start: 5 + index * 35, end: 30 + index * 35 };
  const { content, ...rest } = textOverlay("Wg", { fontSize: 16 }, { range, animateIn: animation });
  return { ...rest, animateOut: animation, content: { ...content, anchor: { at: "center", x: 32, y: 18 } } as never };
};

/** An export of an edit with these transitions and animations, and its frames drawn one by one. */
export async function exportedEdit(build: TestFfmpeg, { kinds, animations, quality }: Wanted) {
  const folder = await temporaryFolder();
  const files = await diskFiles(`${folder}/store`);
  const canvas = sharedTaskPool();

  const stored = async (name: string): Promise<string> => {
    await files.store({ path: `${folder}/${name}` }, name);
    return name;
  };

  /** A video whose frame k shows the number 20,000 + k. */
  async function numbers(name: string, rate: string, ...args: readonly string[]): Promise<Source> {
    await drawNumbers(`${folder}/${name}`, { first: 20_000, frames: 90, rate }, ...args);
    return videoSource(await stored(name), { durationSeconds: 3 });
  }

  const sources = [await numbers("even.mp4", "30"), await numbers("slow.mp4", "25")];
  const vfr = await numbers("uneven.mp4", "60", ...uneven);
  await draw(`${folder}/still.png`, "testsrc2=size=320x200", "-frames:v", "1");
  await draw(`${folder}/upright.mp4`, "testsrc2=size=36x64:rate=30:duration=1", "-pix_fmt", "yuv420p", "-g", "10");
  await runFfmpeg(ffmpegs()[0]!, [
    ...["-i", `${folder}/upright.mp4`, "-c", "copy", "-metadata:s:v:0", "rotate=90", `${folder}/turned.mp4`],
  ]);
  const turned = videoSource(await stored("turned.mp4"), { ...smallCanvas, durationSeconds: 1 });
  const still = imageSource(await stored("still.png"), { width: 320, height: 200 });

  const laid: Clip[] = kinds.map((kind, index) =>
    clip(sources[index % 2]!, index * 14, index * 14 + 14, {
      // inside of the sources, which are three seconds long
      sourceStartSeconds: (index % 10) * 0.21,
      ...transitionInto(kind, 7),
    }),
  );
  const end = kinds.length * 14;
  const others = [
    clip(still, end, end + 12, { fit: "cover", ...transitionInto("fade", 5) }),
    clip(turned, end + 12, end + 20, { fit: "blur" }),
    clip(vfr, end + 22, end + 40, { sourceStartSeconds: 0.45 }),
  ];
  const edit = timeline([...laid, ...others], { overlays: animations.map(animated) });

  /** The inputs of each command of ffmpeg. */
  const run: string[] = [];
  const recorded = (found: Ffmpeg): Ffmpeg => ({
    ...found,
    run: (command, options) => {
      run.push(command.inputArgs.join(" "));
      return found.run(command, options);
    },
  });
  const found = await directFfmpeg(build.path);
  const ffmpeg = recorded(found);
  const decoder = recorded(await segmentDecoder(found)());
  const segmentCache = diskRenderCache(`${folder}/cache`, 2 ** 30);
  const renderer = ffmpegRenderer({ ffmpeg, files, leases: freeLeases, cache: segmentCache, concurrency: 1 });
  const owner = { owner: "user", signal: new AbortController().signal };

  /** Exports into the cache of segments. */
  async function framesOf(exported: Timeline) {
    const rendered = await renderer.render([exported], { quality, projectId: "one", ...owner });
    const frames = await rgbFrames(build, rendered.videos[0]!.path);
    await rendered.dispose();
    return frames;
  }

  type Drawing = { projectId?: string; timeline?: Timeline; segmentCache?: RenderCache };

  async function drawn(frames: readonly number[], { projectId = "one", ...drawing }: Drawing = {}) {
    const images = await drawFrames({
      ...{ timeline: edit, frames, size: smallCanvas, quality, proxies: noProxies, ...owner },
      folder: await mkdtemp(`${folder}/job-`),
      segmentDecoder: async () => decoder,
      ...{ ffmpeg, files, segmentCache: noRenderCache, frameCache: noRenderCache },
      scope: { projectId, ffmpegVersion: ffmpeg.version, textEngine: await canvas.textEngine() },
      limit: concurrencyLimit({ concurrency: 2 }),
      canvas,
      ...drawing,
    });
    return await Promise.all(images.map(async ({ path }) => pixelsOf(await Bun.file(path).bytes())));
  }

  const exported = await framesOf(edit);
  const every = exported.map((_, frame) => frame);
  const remove = () => rm(folder, { recursive: true, force: true });
  return { files: `${folder}/store/files`, edit, exported, every, run, segmentCache, numbers, framesOf, drawn, remove };
}

export type ExportedEdit = Awaited<ReturnType<typeof exportedEdit>>;

/** Each frame drawn alone is that of the export, and no neighbor. */
export async function expectSameFrames({ edit, exported, every, drawn }: ExportedEdit): Promise<void> {
  const images = await drawn(every);
  expect(images).toHaveLength(edit.track.frames);

  const different = images.flatMap((image, frame) => (psnr(image, exported[frame]!) > 28 ? [] : [frame]));
  expect(different).toEqual([]);
  // most frames differ from the next one, so an offset of one frame would be noticed
  const distinct = images.slice(1).filter((image, index) => psnr(image, exported[index]!) < 24);
  expect(distinct.length).toBeGreaterThan(0.6 * images.length);
}

export async function expectDecodable(made: ExportedEdit, fps: number): Promise<void> {
  const { edit, segmentCache, run } = made;
  const source = edit.track.spans.flatMap((span) => (span.kind === "clip" ? [span.clip.source] : []))[0]!;
  const gop = Math.round(2 * fps);
  const length = 2 * gop + 1;
  const short = timeline([clip(source, 0, length)], { fps });
  const inVideo = await made.framesOf(short);
  run.length = 0;
  // one at a time, so that each requires its own seek
  for (const frame of [gop - 1, gop, length - 1]) {
    const [image] = await made.drawn([frame], { segmentCache, timeline: short });
    expect([frame, Bun.hash(image!)]).toEqual([frame, Bun.hash(inVideo[frame]!)]);
  }
  expect(run.every((inputs) => inputs.includes("/segments.h264"))).toBe(true);
}
