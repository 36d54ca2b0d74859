import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import type { Command } from "../../../src/engine/compiler/command.ts";
import type { ExportProgress, Renderer } from "../../../src/engine/ports.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import type { Overlay } from "../../../src/engine/timeline/overlay.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import type { Clip } from "../../../src/engine/timeline/track.ts";
import { DomainError } from "../../../src/errors.ts";
import type { LeasePorts, LeaseStore } from "../../../src/platform/leases.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { leaseStore } from "../../../src/storage/leases/store.ts";
import { type FreshDatabase, freshDatabase } from "../../support/database.ts";
import { audioSource, draw, drawNumbers, lumaFrames, videoSource } from "../../support/media/draw-media.ts";
import { textOverlay } from "../../support/media/drawn-overlays.ts";
import { directFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let videos: readonly Source[];
let music: Source;
let database: FreshDatabase;
let leases: LeaseStore;

async function stored(name: string): Promise<string> {
  const path = `${folder}/${name}`;
  await files.store({ path }, name);
  return name;
}

async function drawVideo(first: number): Promise<Source> {
  const name = `film-${first}.mp4`;
  await drawNumbers(`${folder}/${name}`, { first, frames: 60, rate: "10" });
  return videoSource(await stored(name), { durationSeconds: 6 });
}

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  database = await freshDatabase();
  leases = leaseStore(database.db);
  videos = await Promise.all([1000, 2000, 3000].map(drawVideo));
  await draw(`${folder}/music.wav`, "sine=f=300:d=2");
  music = audioSource(await stored("music.wav"), { durationSeconds: 2 });
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** The names of the files that a command writes: those of several segments have one pattern. */
function filesOf({ outputArgs }: Command): readonly string[] {
  const name = basename(outputArgs.at(-1)!);
  const optionOf = (option: string) => outputArgs[outputArgs.indexOf(option) + 1]!;
  if (!name.includes("%d")) return [name];
  const ends = optionOf("-segment_frames").split(",");
  return ends.map((_, index) => name.replace("%d", `${Number(optionOf("-segment_start_number")) + index}`));
}

/** Segments last half a second, which is five frames: a clip has ten. */
const segments = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `segment-${first + index}.mp4`).toSorted();

/** Clips of five seconds, one after another. */
const sequence = (...sources: readonly Source[]): Clip[] =>
  sources.map((source, index) => clip(source, index * 50, index * 50 + 50));

const edit = (clips: readonly Clip[], overlays: readonly Overlay[] = []): Timeline =>
  timeline(clips, { fps: 10, overlays });

const title = (text: string, start: number, end: number): Overlay => {
  const { content, ...rest } = textOverlay(text, { fontSize: 12 }, { range: { start, end } });
  return { ...rest, content: { ...content, anchor: { at: "center", x: 32, y: 18 } } as Overlay["content"] };
};

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let renderer: Renderer;
  let rendered: string[];

  const newCacheFolder = () => `${folder}/cache-${crypto.randomUUID()}`;

  /** A renderer that lists the files it renders in `rendered`. */
  const rendererWith = async (
    cacheFolder: string,
    by: LeasePorts["leases"] = leases,
    concurrency = 1,
  ): Promise<Renderer> => {
    const ffmpeg = await directFfmpeg(build.path);
    const run: typeof ffmpeg.run = (command, options) => {
      rendered.push(...filesOf(command));
      return ffmpeg.run(command, options);
    };
    const cache = diskRenderCache(cacheFolder, 2 ** 30);
    return ffmpegRenderer({ ffmpeg: { ...ffmpeg, run }, files, cache, leases: by, concurrency });
  };

  beforeEach(async () => {
    rendered = [];
    renderer = await rendererWith(newCacheFolder());
  });

  /** Renders a video; returns the names of the files rendered for it and a hash of every frame. */
  async function exportVideo(
    edited: Timeline,
    { projectId = "one", by = renderer, signal = new AbortController().signal, onProgress = () => {} } = {},
  ) {
    rendered = [];
    const progress: number[] = [];
    const recordProgress = ({ framesDone }: ExportProgress) => {
      progress.push(framesDone);
      onProgress();
    };
    const { videos: outputs, dispose } = await by.render([edited], {
      quality: "draft",
      owner: "user",
      projectId,
      signal,
      onProgress: recordProgress,
    });
    const frames = (await lumaFrames(build, outputs[0]!.path)).map(({ levels }) => Bun.hash(levels));
    await dispose();
    return { files: rendered.toSorted(), frames, progress };
  }

  /** The frame count of each segment, negative if the segment is cached. */
  const planned = async (edited: Timeline, projectId = "one") =>
    (await renderer.plan([edited], { quality: "draft", owner: "user", projectId })).segments.map(
      ({ frames, cachedBytes }) => (cachedBytes ? -frames : frames),
    );

  const twoClipFiles = [...segments(0, 20), "sound.mp4"];

  test("a second export of the same video renders nothing", async () => {
    const edited = edit(sequence(...videos.slice(0, 2)));
    const first = await exportVideo(edited);
    const again = await exportVideo(edited);
    expect([first.files, again.files]).toEqual([twoClipFiles, []]);
    expect(again.frames).toEqual(first.frames);
    expect(again.progress.at(-1)).toBe(100);
  });

  test("equal seconds of a held frame are rendered", async () => {
    const held = await exportVideo(edit([clip(videos[0]!, 0, 120)]));
    expect([held.frames.length, new Set(held.frames.slice(64)).size]).toEqual([120, 1]);
  });

  test("a plan shows which segments are cached", async () => {
    const edited = (text: string) => edit(sequence(...videos.slice(0, 2)), [title(text, 56, 79)]);
    const missing: readonly number[] = Array(10).fill(5);
    const cached = missing.map((frames) => -frames);
    const withoutText = missing.map((frames, index) => (index >= 1 && index <= 5 ? frames : -frames));
    expect(await planned(edited("before"))).toEqual([...missing, ...missing]);

    await exportVideo(edited("before"));
    expect(await planned(edited("before"))).toEqual([...cached, ...cached]);
    expect(await planned(edited("after"))).toEqual([...cached, ...withoutText]);
    expect(await planned(edited("before"), "another")).toEqual([...missing, ...missing]);
    const inserted = await planned(edit(sequence(videos[2]!, ...videos.slice(0, 2))));
    expect(inserted).toEqual([...missing, ...cached, ...withoutText]);
  });

  test("a changed text renders only the segments that show it", async () => {
    await exportVideo(edit(sequence(...videos.slice(0, 2)), [title("before", 56, 79)]));
    const { files: made } = await exportVideo(edit(sequence(...videos.slice(0, 2)), [title("after", 56, 79)]));
    expect(made).toEqual(segments(11, 5));
  });

  test("a changed text leaves the rest of the segment that it ends in", async () => {
    const edited = (text: string) => edit(sequence(videos[0]!), [title(text, 5, 22)]);
    const before = await exportVideo(edited("before"));
    expect(await planned(edited("after"))).toEqual([-5, 5, 5, 5, 2, -3, -5, -5, -5, -5, -5]);
    const after = await exportVideo(edited("after"));
    expect(after.files).toEqual(segments(1, 4));
    expect(after.frames.slice(22)).toEqual(before.frames.slice(22));
    const cold = await exportVideo(edited("after"), { by: await rendererWith(newCacheFolder()) });
    expect(after.frames).toEqual(cold.frames);
  });

  test("a change of music renders no segment", async () => {
    const edited = edit(sequence(videos[0]!));
    await exportVideo(edited);
    const track = { source: music, volume: 1, loop: false, fadeInFrames: 0, fadeOutFrames: 0 };
    const { files: made } = await exportVideo({ ...edited, sound: { ...edited.sound, music: track } });
    expect(made).toEqual(["sound.mp4"]);
  });

  test("an appended clip renders its segments and the sound", async () => {
    await exportVideo(edit(sequence(videos[0]!)));
    const { files: made } = await exportVideo(edit(sequence(...videos.slice(0, 2))));
    expect(made).toEqual([...segments(10, 10), "sound.mp4"]);
  });

  test("a clip inserted in front does not render the segments after it", async () => {
    await exportVideo(edit(sequence(videos[1]!)));
    const { files: made } = await exportVideo(edit(sequence(...videos.slice(0, 2))));
    expect(made).toEqual([...segments(0, 10), "sound.mp4"]);
  });

  test("two equal exports at the same time render each segment once", async () => {
    const edited = edit(sequence(...videos.slice(0, 2)));
    const by = await rendererWith(newCacheFolder(), leases, 2);
    const [first, second] = await Promise.all([exportVideo(edited, { by }), exportVideo(edited, { by })]);
    expect(rendered.toSorted()).toEqual(twoClipFiles);
    expect(second.frames).toEqual(first.frames);
    expect(second.progress.at(-1)).toBe(100);
  });

  test("an export completes after the export whose segments it waited for is aborted", async () => {
    const edited = edit(sequence(...videos.slice(0, 2)));
    const by = await rendererWith(newCacheFolder(), leases, 2);
    const controller = new AbortController();
    const abort = { by, signal: controller.signal, onProgress: () => controller.abort() };
    const [aborted, completed] = await Promise.all([
      exportVideo(edited, abort).catch(() => "aborted"),
      exportVideo(edited, { by }),
    ]);
    expect(aborted).toBe("aborted");
    expect(completed.frames.length).toBe(100);
  });

  describe("by several processes", () => {
    /** Renderers that share a cache and the leases, as those of several processes do. */
    const newRenderers = async () => {
      const cacheFolder = newCacheFolder();
      return await Promise.all([1, 2].map(() => rendererWith(cacheFolder, leases, 2)));
    };

    /** Leases of which the first is held by another process until `release`. */
    const withHeldLease = (leaseMs: number) => {
      const held = Promise.withResolvers<() => Promise<void>>();
      const acquire: LeaseStore["acquire"] = async (lease, ms) => {
        const other = { ...lease, holderId: "another process" };
        if (await leases.acquire(other, leaseMs)) held.resolve(() => leases.release(other));
        return leases.acquire(lease, ms);
      };
      return { held: held.promise, leases: { ...leases, acquire } };
    };

    test("two equal exports at the same time render each segment once", async () => {
      const edited = edit(sequence(...videos.slice(0, 2)));
      const renderers = await newRenderers();
      const [first, second] = await Promise.all(renderers.map((by) => exportVideo(edited, { by })));
      expect(rendered.toSorted()).toEqual(twoClipFiles);
      expect(second!.frames).toEqual(first!.frames);
    });

    test("an export completes after the export whose segments it waited for is aborted", async () => {
      const edited = edit(sequence(...videos.slice(0, 2)));
      const [one, other] = await newRenderers();
      const controller = new AbortController();
      const abort = { by: one!, signal: controller.signal, onProgress: () => controller.abort() };
      const [aborted, completed] = await Promise.all([
        exportVideo(edited, abort).catch(() => "aborted"),
        exportVideo(edited, { by: other! }),
      ]);
      expect(aborted).toBe("aborted");
      expect(completed.frames.length).toBe(100);
    });

    test("the lease of a process that died expires", async () => {
      const edited = edit(sequence(videos[0]!));
      const { leases: expiring, held } = withHeldLease(1);
      const { files: made } = await exportVideo(edited, { by: await rendererWith(`${folder}/expired`, expiring) });
      await held;
      expect(made).toEqual([...segments(0, 10), "sound.mp4"]);
    });

    test("an export that waits for another process can be aborted", async () => {
      const edited = edit(sequence(videos[0]!));
      const controller = new AbortController();
      const { leases: busy, held } = withHeldLease(60_000);
      const by = await rendererWith(`${folder}/held`, busy);
      const waiting = exportVideo(edited, { by, signal: controller.signal });
      const release = await held;
      controller.abort();
      await expect(waiting).rejects.toThrow();
      await release();
    });

    test("without a database each renders for itself", async () => {
      const unavailable = async () => Promise.reject(new DomainError("unavailable", {}));
      const broken = { acquire: unavailable, renew: unavailable, release: unavailable };
      const { files: made } = await exportVideo(edit(sequence(videos[0]!)), {
        by: await rendererWith(`${folder}/no-database`, broken),
      });
      expect(made).toEqual([...segments(0, 10), "sound.mp4"]);
    });
  });

  test("a damaged video shows the same whatever is cached", async () => {
    await draw(`${folder}/whole.mp4`, "testsrc2=s=64x36:r=10:d=4", "-bf", "0", "-g", "5");
    const bytes = Buffer.from(await Bun.file(`${folder}/whole.mp4`).bytes());
    const media = bytes.indexOf("mdat") + 4;
    const mediaBytes = bytes.readUInt32BE(media - 8);
    const [from, to] = [0.3, 0.75].map((share) => media + Math.floor(mediaBytes * share));
    await Bun.write(`${folder}/damaged.mp4`, bytes.fill(0, from, to));
    const damaged = videoSource(await stored("damaged.mp4"), { durationSeconds: 4 });
    const edited = (text: string) => edit([clip(damaged, 0, 40)], [title(text, 20, 24)]);

    const cold = await exportVideo(edited("after"));
    const warm = await rendererWith(`${folder}/damaged`);
    await exportVideo(edited("before"), { by: warm });
    expect((await exportVideo(edited("after"), { by: warm })).frames).toEqual(cold.frames);
    expect(new Set(cold.frames).size).toBeGreaterThan(8);
  });

  test("projects do not share cached segments", async () => {
    const edited = edit(sequence(videos[0]!));
    const first = await exportVideo(edited);
    const { files: made } = await exportVideo(edited, { projectId: "another" });
    expect(made).toEqual(first.files);
  });
});
