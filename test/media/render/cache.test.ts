import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import fc from "fast-check";
import type { ExportProgress } from "../../../src/domain/exports/jobs.ts";
import type { Renderer } from "../../../src/domain/exports/renderer.ts";
import { findFfmpeg } from "../../../src/media/ffmpeg/ffmpeg.ts";
import { ffmpegRenderer } from "../../../src/media/render/renderer.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import type { Overlay } from "../../../src/timeline/overlay.ts";
import type { Source } from "../../../src/timeline/source.ts";
import type { Timeline } from "../../../src/timeline/timeline.ts";
import { type Clip, transitionKinds } from "../../../src/timeline/track.ts";
import { textOverlay } from "../../helpers/drawn-overlays.ts";
import { temporaryFolder, testedFfmpegs } from "../../helpers/ffmpeg.ts";
import { audioSource, draw, drawNumbers, lumaFrames, videoSource } from "../../helpers/media.ts";
import { clip, timeline, transitionInto } from "../../helpers/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let films: readonly Source[];
let music: Source;

async function kept(name: string): Promise<string> {
  const path = `${folder}/${name}`;
  await files.store({ path }, name);
  return name;
}

async function drawnFilm(first: number): Promise<Source> {
  const name = `film-${first}.mp4`;
  await drawNumbers(`${folder}/${name}`, { first, frames: 150, rate: "25" });
  return videoSource(await kept(name), { durationSeconds: 6 });
}

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  films = await Promise.all([1000, 2000, 3000, 4000].map(drawnFilm));
  await draw(`${folder}/music.wav`, "sine=f=300:d=2");
  music = audioSource(await kept("music.wav"), { durationSeconds: 2 });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Clips of five seconds one after the other. */
const row = (...sources: readonly Source[]): Clip[] =>
  sources.map((source, index) => clip(source, index * 125, index * 125 + 125));

const edit = (clips: readonly Clip[], overlays: readonly Overlay[] = []): Timeline =>
  timeline(clips, { fps: 25, overlays });

const title = (text: string, start: number, end: number): Overlay => {
  const { content, ...rest } = textOverlay(text, { fontSize: 12 }, { range: { start, end } });
  return { ...rest, content: { ...content, anchor: { at: "center", x: 32, y: 18 } } as Overlay["content"] };
};

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let renderer: Renderer;
  let rendered: string[];

  /** A renderer with an empty cache of its own, which writes down what it renders. */
  const fresh = async (cacheFolder: string): Promise<Renderer> => {
    const ffmpeg = await findFfmpeg(build.path);
    const run: typeof ffmpeg.run = (command, options) => {
      rendered.push(basename(command.outputArgs.at(-1)!));
      return ffmpeg.run(command, options);
    };
    const cache = diskRenderCache(cacheFolder, 2 ** 30);
    return ffmpegRenderer({ ffmpeg: { ...ffmpeg, run }, files, cache, concurrency: 2 });
  };

  beforeEach(async () => {
    rendered = [];
    renderer = await fresh(`${folder}/cache-${crypto.randomUUID()}`);
  });

  /** Renders, and answers the files that were made for it and the levels of every frame. */
  async function exported(
    film: Timeline,
    { owner = "one", by = renderer, signal = new AbortController().signal, onProgress = () => {} } = {},
  ) {
    rendered = [];
    const progress: number[] = [];
    const note = ({ framesDone }: ExportProgress) => {
      progress.push(framesDone);
      onProgress();
    };
    const { videos: made, dispose } = await by.render([film], { quality: "draft", owner, signal, onProgress: note });
    const frames = (await lumaFrames(build, made[0]!.path)).map(({ levels }) => Bun.hash(levels));
    await dispose();
    return { made: rendered.toSorted(), frames, progress };
  }

  /** The frames of each part, negative when it is there already. */
  const planned = async (film: Timeline, owner = "one") =>
    (await renderer.plan([film], { quality: "draft", owner })).segments.map(({ frames, cachedBytes }) =>
      cachedBytes ? -frames : frames,
    );

  const everything = ["film.mp4", "segment-0.mp4", "segment-1.mp4", "segment-2.mp4", "sound.mp4"];

  test("the same film again is only put together", async () => {
    const film = edit(row(...films.slice(0, 3)));
    const [first, again] = [await exported(film), await exported(film)];
    expect([first.made, again.made]).toEqual([everything, ["film.mp4"]]);
    expect(again.frames).toEqual(first.frames);
    expect(again.progress.at(-1)).toBe(375);
  });

  test("a plan tells which parts are there, without drawing anything", async () => {
    const film = (text: string) => edit(row(...films.slice(0, 3)), [title(text, 140, 200)]);
    expect(await planned(film("before"))).toEqual([125, 125, 125]);

    await exported(film("before"));
    expect(await planned(film("before"))).toEqual([-125, -125, -125]);
    expect(await planned(film("after"))).toEqual([-125, 125, -125]);
    expect(await planned(film("before"), "another")).toEqual([125, 125, 125]);
    expect(await planned(edit(row(films[3]!, ...films.slice(0, 3))))).toEqual([125, -125, 125, -125]);
  });

  test("a changed text renders only the part that it is seen in", async () => {
    await exported(edit(row(...films.slice(0, 3)), [title("before", 140, 200)]));
    const { made } = await exported(edit(row(...films.slice(0, 3)), [title("after", 140, 200)]));
    expect(made).toEqual(["film.mp4", "segment-1.mp4"]);
  });

  test("other music renders no picture", async () => {
    const film = edit(row(...films.slice(0, 2)));
    await exported(film);
    const track = { source: music, volume: 1, loop: false, fadeInFrames: 0, fadeOutFrames: 0 };
    const { made } = await exported({ ...film, sound: { ...film.sound, music: track } });
    expect(made).toEqual(["film.mp4", "sound.mp4"]);
  });

  test("a clip appended renders itself alone", async () => {
    await exported(edit(row(...films.slice(0, 3))));
    const { made } = await exported(edit(row(...films)));
    expect(made).toEqual(["film.mp4", "segment-3.mp4", "sound.mp4"]);
  });

  test("a clip put in front moves the others without rendering them", async () => {
    await exported(edit(row(...films.slice(1, 3))));
    const { made } = await exported(edit(row(...films.slice(0, 3))));
    expect(made).toEqual(["film.mp4", "segment-0.mp4", "sound.mp4"]);
  });

  test("of two equal films at once each part is rendered once", async () => {
    const film = edit(row(...films.slice(0, 3)));
    const [first, second] = await Promise.all([exported(film), exported(film)]);
    expect(rendered.toSorted()).toEqual(["film.mp4", ...everything]);
    expect(second.frames).toEqual(first.frames);
    expect(second.progress.at(-1)).toBe(375);
  });

  test("a film goes on without the one whose parts it waited for", async () => {
    const film = edit(row(...films.slice(0, 3)));
    const leaving = new AbortController();
    const [left, stayed] = await Promise.all([
      exported(film, { signal: leaving.signal, onProgress: () => leaving.abort() }).catch(() => "left"),
      exported(film),
    ]);
    expect(left).toBe("left");
    expect(stayed.frames.length).toBe(375);
  });

  test("nobody gets what was rendered for somebody else", async () => {
    const film = edit(row(...films.slice(0, 2)));
    const first = await exported(film);
    const { made } = await exported(film, { owner: "another" });
    expect(made).toEqual(first.made);
  });

  test("whatever is edited, the film is the one that a first export gives", async () => {
    const clips = fc.array(
      fc.record({
        film: fc.nat(3),
        frames: fc.integer({ min: 60, max: 180 }),
        kind: fc.constantFrom(...transitionKinds),
      }),
      { minLength: 1, maxLength: 3 },
    );
    const titles = fc.array(fc.record({ text: fc.constantFrom("a", "b"), at: fc.nat(200) }), { maxLength: 1 });
    let number = 0;

    await fc.assert(
      fc.asyncProperty(clips, titles, async (wanted, words) => {
        let start = 0;
        const laid = wanted.map(({ film, frames, kind }) => {
          const made = clip(films[film]!, start, start + frames, transitionInto(kind, kind === "cut" ? 0 : 8));
          start += frames;
          return made;
        });
        const overlays = words.map(({ text, at }) => title(text, Math.min(at, start - 10), Math.min(at + 40, start)));
        const film = edit(laid, overlays);
        const cold = await fresh(`${folder}/cold-${number++}`);
        expect((await exported(film)).frames).toEqual((await exported(film, { by: cold })).frames);
      }),
      { numRuns: 4, seed: 7 },
    );
  });
});
