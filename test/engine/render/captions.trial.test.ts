import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, rm } from "node:fs/promises";
import { withCaptions } from "../../../src/domain/exports/request/targets.ts";
import { ffmpegFrameRenderer } from "../../../src/engine/frames/renderer.ts";
import type { Renderer } from "../../../src/engine/ports.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import type { CaptionStyle, CaptionWord } from "../../../src/engine/timeline/captions/track.ts";
import { halveTimeline } from "../../../src/engine/timeline/reframe.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { captionTrack, spoken } from "../../support/media/captions.ts";
import { draw, videoSource } from "../../support/media/draw-media.ts";
import { directFfmpeg, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { freeLeases, noRenderCache } from "../../support/media/render-caches.ts";
import { pixelsOf, type Rgb, rgbFrames } from "../../support/media/rgb.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

const canvas = { width: 256, height: 144 };

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let gray: Source;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  const path = `${folder}/gray.mp4`;
  await draw(path, "color=c=gray:s=256x144:r=30:d=3,format=yuv420p", "-c:v", "libx264", "-qp", "0");
  await files.store({ path }, "gray.mp4");
  gray = videoSource("gray.mp4", { ...canvas, durationSeconds: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const green = { red: 0, green: 255, blue: 0, alpha: 1 };
const lit: Partial<CaptionStyle> = { kind: "highlight", colors: { activeBackground: green }, fontSize: 0.2 };

const words = (second = "bb", times = [4, 9, 15, 18, 30, 31, 32]) => [
  spoken("aa", times[0]!, times[1]!),
  spoken(second, times[1]!, times[2]!),
  spoken("cc", times[3]!, times[4]!),
  spoken("dd.", times[5]!, times[6]!),
  spoken("Ee", 40, 44),
];

const film = (said: readonly CaptionWord[], style: Partial<CaptionStyle> = lit, fps = 30) =>
  timeline([clip(gray, 0, 45)], { fps, canvas, captions: captionTrack(said, style) });

/** The middle of the green pixels of a frame, as a share of its width; undefined if there are none. */
function litPlace(frame: Rgb, { width, height } = canvas): number | undefined {
  let [count, sum] = [0, 0];
  for (let index = 0; index < width * height; index++) {
    const at = 3 * index;
    if (frame[at + 1]! < 140 || frame[at]! > 100 || frame[at + 2]! > 100) continue;
    count++;
    sum += index % width;
  }
  return count > 20 ? sum / count / width : undefined;
}

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  const rendererWith = async (): Promise<Renderer> => {
    const cache = diskRenderCache(`${folder}/cache-${crypto.randomUUID()}`, 2 ** 30);
    return ffmpegRenderer({ ffmpeg: await directFfmpeg(build.path), files, cache, leases: freeLeases, concurrency: 2 });
  };

  async function framesOf(renderer: Renderer, edit: ReturnType<typeof film>, quality = "standard" as const) {
    const signal = new AbortController().signal;
    const shown = withCaptions(edit);
    const { videos, dispose } = await renderer.render([shown], { quality, owner: "user", projectId: "one", signal });
    const frames = await rgbFrames(build, videos[0]!.path, edit.canvas);
    const bytes = Bun.hash(await Bun.file(videos[0]!.path).bytes());
    await dispose();
    return { frames, bytes };
  }

  test.each([30, 29.97, 24])(
    "at %d frames a second, a word is lit on exactly the frames in which it is spoken",
    async (fps) => {
      const { frames } = await framesOf(await rendererWith(), film(words(), lit, fps));
      const places = frames.map((frame) => litPlace(frame));
      const shown = places.flatMap((place, frame) => (place === undefined ? [] : [frame]));
      const expected = [
        [4, 15],
        [18, 30],
        [31, 32],
        [40, 44],
      ].flatMap(([start, end]) => Array.from({ length: end! - start! }, (_, index) => start! + index));
      expect(shown).toEqual(expected);
      // each word lies to the right of the one before it
      const at = (frame: number) => places[frame]!;
      expect(at(4)).toBeCloseTo(at(8));
      expect(at(9)).toBeGreaterThan(at(8) + 0.08);
      expect(at(18)).toBeGreaterThan(at(14) + 0.08);
      expect(Math.abs(at(31) - at(29))).toBeGreaterThan(0.08);
    },
  );

  test("an edited word renders only the half seconds that show its page, and a cache changes no byte", async () => {
    const renderer = await rendererWith();
    const plan = async (said: readonly CaptionWord[]) => {
      const options = { quality: "standard", owner: "user", projectId: "one" } as const;
      const { segments } = await renderer.plan([withCaptions(film(said))], options);
      return segments.map(({ cachedBytes }) => cachedBytes !== undefined);
    };
    await framesOf(renderer, film(words()));
    expect(await plan(words())).toEqual([true, true, true]);
    const later = words().with(4, spoken("Gg", 40, 44));
    expect(await plan(later)).toEqual([true, true, false]);
    // the third word of the first page is spoken earlier, which its first half second does not show
    const earlier = words("bb", [4, 9, 15, 17, 30, 31, 32]);
    expect(await plan(earlier)).toEqual([true, false, true]);
    expect((await framesOf(renderer, film(later))).bytes).toBe(
      (await framesOf(await rendererWith(), film(later))).bytes,
    );
  });

  test("single frames before the export show the word that is spoken", async () => {
    const ffmpeg = await directFfmpeg(build.path);
    const caches = { segmentCache: noRenderCache, frameCache: noRenderCache };
    const frameRenderer = ffmpegFrameRenderer({ ffmpeg, files, ...caches, concurrency: 2 });
    const signal = new AbortController().signal;
    const options = { size: canvas, quality: "standard", owner: "user", projectId: "one", signal } as const;
    const drawn = [3, 4, 9, 15, 17, 18, 43, 44].map(async (frame) => {
      return litPlace(await pixelsOf(await frameRenderer.frame(withCaptions(film(words())), { ...options, frame })));
    });
    const places = await Promise.all(drawn);
    expect(places.map((place) => place !== undefined)).toEqual([false, true, true, false, false, true, true, false]);
    expect(places[2]).toBeGreaterThan(places[1]! + 0.08);
  });

  test("a draft shows the same lines at half the size", async () => {
    const half = halveTimeline(film(words()));
    expect(half.canvas).toEqual({ width: 128, height: 72 });
    const [full, draft] = [withCaptions(film(words())), withCaptions(half)];
    const linesOf = ({ overlays }: typeof full) =>
      overlays.map(({ content }) => content.kind === "caption" && content.lines);
    expect(linesOf(draft)).toEqual(linesOf(full));
    const { frames } = await framesOf(await rendererWith(), half);
    expect(frames.map((frame) => litPlace(frame, half.canvas)).findIndex((place) => place !== undefined)).toBe(4);
  });

  test("an embedded text track has the pages as cues, and leaves picture and sound as they are", async () => {
    const renderer = await rendererWith();
    const outputs = await Promise.all([true, false].map((isEmbedded) => filmWith(renderer, isEmbedded)));
    const [withText, without] = await Promise.all(outputs.map(hashesOf));
    expect(withText).toEqual(without!);
    const cues = new TextDecoder().decode(
      await runFfmpeg(build, ["-i", outputs[0]!, "-map", "0:s:0", "-f", "srt", "-"]),
    );
    expect(cues.trim().replaceAll("\r", "").split("\n\n")).toEqual([
      "1\n00:00:00,133 --> 00:00:00,600\n<b>قهوة</b>\n& aa~\u2060bb,",
      "2\n00:00:00,600 --> 00:00:01,467\ncc 新しい。",
    ]);
    const bytes = Buffer.from(await Bun.file(outputs[0]!).bytes());
    expect(bytes.indexOf("moov")).toBeLessThan(bytes.indexOf("mdat"));
    expect(await tagsOf(outputs[0]!)).toContain("(jpn)");
  });

  async function filmWith(renderer: Renderer, isEmbedded: boolean): Promise<string> {
    const edit = film([
      spoken("<b>قهوة</b>", 4, 9),
      spoken("&", 9, 9),
      spoken("aa~\u2060bb,", 9, 18),
      spoken("cc", 18, 30),
      spoken("新しい。", 40, 44),
    ]);
    const captions = { ...edit.captions!, isEmbedded, language: "ja-JP" };
    const signal = new AbortController().signal;
    const options = { quality: "standard", owner: "user", projectId: "one", signal } as const;
    const { videos, dispose } = await renderer.render([withCaptions({ ...edit, captions })], options);
    const path = `${folder}/embedded-${isEmbedded}.mp4`;
    await copyFile(videos[0]!.path, path);
    await dispose();
    return path;
  }

  /** The hashes and times of the encoded samples of picture and sound. */
  const hashesOf = async (path: string) =>
    new TextDecoder().decode(
      await runFfmpeg(build, ["-i", path, "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "framemd5", "-"]),
    );

  /** What ffmpeg says about the streams of a file. */
  async function tagsOf(path: string): Promise<string> {
    const child = Bun.spawn([build.path, "-hide_banner", "-i", path], { stderr: "pipe" });
    return (await new Response(child.stderr).text()).match(/Stream.*Subtitle.*/)?.[0] ?? "";
  }

  test("a word that pops in on a box keeps its outline when it rests", async () => {
    const isDark = (frame: Rgb, at: number) => Math.max(frame[at]!, frame[at + 1]!, frame[at + 2]!) < 50;
    const darkPixels = (frame: Rgb) => frame.filter((_, at) => at % 3 === 0 && isDark(frame, at)).length;
    const darkOn = async (kind: CaptionStyle["kind"]) => {
      const { frames } = await framesOf(await rendererWith(), film([spoken("mm", 4, 40)], { ...lit, kind }));
      return [6, 20].map((frame) => darkPixels(frames[frame]!));
    };
    const [growing, resting] = await darkOn("pop");
    expect(growing).toBeGreaterThan(100);
    expect(Math.abs(resting! / growing! - 1)).toBeLessThan(0.25);
    expect((await darkOn("highlight"))[1]).toBeLessThan(10);
  });

  test("words pop in one after another", async () => {
    const { frames } = await framesOf(await rendererWith(), film(words(), { kind: "pop", fontSize: 0.2 }));
    const ink = frames.map((frame) => frame.filter((level) => level > 220).length);
    expect(ink.slice(0, 4)).toEqual([0, 0, 0, 0]);
    // the word grows beyond its size, and returns to it
    expect(ink[4]).toBeGreaterThan(0);
    expect(ink[6]).toBeGreaterThan(ink[4]!);
    expect(ink[6]).toBeGreaterThan(ink[8]!);
    expect(ink[14]).toBeGreaterThan(1.5 * ink[8]!);
    expect(ink[17]).toBe(ink[16]!);
    expect(ink[29]).toBeGreaterThan(1.2 * ink[14]!);
  });
});
