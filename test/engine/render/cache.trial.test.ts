import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import fc from "fast-check";
import type { Quality, Renderer } from "../../../src/engine/ports.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import type { ClipEffects } from "../../../src/engine/timeline/clip-effects.ts";
import type { Overlay } from "../../../src/engine/timeline/overlay.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import { type Clip, transitionKinds } from "../../../src/engine/timeline/track.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { drawNumbers, lumaFrames, videoSource } from "../../support/media/draw-media.ts";
import { textOverlay } from "../../support/media/drawn-overlays.ts";
import { foundFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { freeLeases } from "../../support/media/render-caches.ts";
import { clip, timeline, transitionInto } from "../../support/media/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let videos: readonly Source[];

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  videos = await Promise.all(
    [1000, 2000, 3000, 4000].map(async (first) => {
      const name = `film-${first}.mp4`;
      await files.store({ path: await drawNumbers(`${folder}/${name}`, { first, frames: 150, rate: "25" }) }, name);
      return videoSource(name, { durationSeconds: 6 });
    }),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const title = (text: string, start: number, end: number): Overlay => {
  const { content, ...rest } = textOverlay(text, { fontSize: 12 }, { range: { start, end } });
  return { ...rest, content: { ...content, anchor: { at: "center", x: 32, y: 18 } } as Overlay["content"] };
};

const linear = (...values: readonly (readonly [at: number, value: number])[]) =>
  values.map(([at, value]) => ({ at, value, easing: "linear" }));

const zooming: ClipEffects = { keyframes: { scale: linear([0.7, 1], [2, 1.6], [3, 0.5]) } };

const coloring: ClipEffects = {
  keyframes: {
    saturation: linear([1, 1], [2, 0]),
    blur: linear([1.5, 0], [2.5, 9]),
    opacity: linear([0, 0], [0.6, 1]),
  },
};

const paces: readonly Partial<Clip>[] = [
  {},
  { speed: 1.5, sourceStartSeconds: 0.5 },
  { reverses: true, sourceStartSeconds: 1.2 },
  { speed: linear([0.4, 1], [1.4, 0], [2, 0], [3, 2]) },
];

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  const newRenderer = async () => {
    const cache = diskRenderCache(`${folder}/cache-${crypto.randomUUID()}`, 2 ** 30);
    return ffmpegRenderer({ ffmpeg: await foundFfmpeg(build.path), files, cache, leases: freeLeases, concurrency: 2 });
  };

  async function framesOf(by: Renderer, edited: Timeline, quality: Quality) {
    const { signal } = new AbortController();
    const options = { quality, owner: "user", projectId: "one", signal };
    const { videos: outputs, dispose } = await by.render([edited], options);
    const frames = (await lumaFrames(build, outputs[0]!.path)).map(({ levels }) => Bun.hash(levels));
    await dispose();
    return frames;
  }

  test("an export with a warm cache has the frames of one with a cold cache, after any edit", async () => {
    const clips = fc.array(
      fc.record({
        video: fc.nat(3),
        frames: fc.integer({ min: 60, max: 180 }),
        kind: fc.constantFrom(...transitionKinds),
        effects: fc.constantFrom<(ClipEffects | undefined)[]>(undefined, zooming, coloring),
        pace: fc.constantFrom(...paces),
      }),
      { minLength: 1, maxLength: 3 },
    );
    const titles = fc.array(fc.record({ text: fc.constantFrom("a", "b"), at: fc.nat(200) }), { maxLength: 1 });
    const warm = await newRenderer();

    const qualities = fc.constantFrom<Quality>("draft", "standard");
    await fc.assert(
      fc.asyncProperty(clips, titles, qualities, async (wanted, words, quality) => {
        let start = 0;
        const laid = wanted.map(({ video, frames, kind, effects, pace }) => {
          const made = clip(videos[video]!, start, start + frames, {
            ...transitionInto(kind, kind === "cut" ? 0 : 8),
            effects,
            ...pace,
          });
          start += frames;
          return made;
        });
        const overlays = words.map(({ text, at }) => title(text, Math.min(at, start - 10), Math.min(at + 40, start)));
        const edited = timeline(laid, { fps: 25, overlays });
        const frames = await framesOf(warm, edited, quality);
        expect(frames).toEqual(await framesOf(await newRenderer(), edited, quality));
      }),
      { numRuns: 4, seed: 8 },
    );
  });
});
