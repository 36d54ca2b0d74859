import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileHalfSize, halfSizeFacts } from "../../../src/engine/compiler/decode/half-size.ts";
import { compileFrames } from "../../../src/engine/compiler/frames.ts";
import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { FfmpegError } from "../../../src/engine/ffmpeg/run.ts";
import { readTracks } from "../../../src/engine/inspect/tracks.ts";
import { halfSizeProxies } from "../../../src/engine/proxies/half-size.ts";
import type { MediaFacts, Source, VideoFacts } from "../../../src/engine/timeline/source.ts";
import { draw, drawNumbers, imageSource, smallCanvas, videoSource } from "../../support/media/draw-media.ts";
import { directFfmpeg, ffmpegs, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

let folder: string;

/** Frames that last one, two and three ticks of a sixtieth in turn. */
const uneven = ["-vf", "setpts='(6*floor(N/3)+mod(N,3)*(mod(N,3)+1)/2)/(60*TB)'", "-vsync", "0"];
const tone = ["-f", "lavfi", "-i", "sine=f=440:d=3"];
const withTone = ["-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac"];

const encoded: Readonly<Record<string, readonly string[]>> = {
  "one-gop.mp4": ["-g", "999", "-bf", "3", "-x264-params", "b-pyramid=normal:scenecut=0"],
  "open-gops.mp4": ["-x264-params", "open-gop=1:keyint=20:min-keyint=20:bframes=3:scenecut=0"],
  "uneven.mp4": uneven,
  "fast.mp4": ["-r", "59.94"],
  "slow.mp4": ["-r", "7"],
  "matroska.mkv": uneven,
};

/** The arguments that make a file from others, by name. */
const copies: Readonly<Record<string, readonly string[]>> = {
  "sound.mp4": ["-i", "one-gop.mp4", ...tone, ...withTone],
  "late-sound.mp4": ["-i", "one-gop.mp4", "-itsoffset", "0.4", ...tone, ...withTone],
  "late-video.mp4": ["-itsoffset", "0.4", "-i", "one-gop.mp4", ...tone, ...withTone],
  "cut.mp4": ["-ss", "1.3", "-i", "open-gops.mp4", "-c", "copy"],
  "late.mkv": ["-itsoffset", "0.25", "-i", "uneven.mp4", ...tone, ...withTone],
};

const smpte170m = ["-colorspace", "smpte170m", "-color_primaries", "smpte170m", "-color_trc", "smpte170m"];

const tenBits = ["-c:v", "libx265", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p10le"];
const hlg = ["-color_primaries", "bt2020", "-color_trc", "arib-std-b67", "-colorspace", "bt2020nc"];

/** Pictures of all colors: as they are coded, and then copied. */
const pictures: Readonly<Record<string, { readonly coded: readonly string[]; readonly copied?: readonly string[] }>> = {
  "untagged.mp4": { coded: ["-pix_fmt", "yuv420p"] },
  "601-tagged.mp4": { coded: ["-pix_fmt", "yuv420p", ...smpte170m] },
  "full-range.mp4": { coded: ["-pix_fmt", "yuvj420p", "-color_range", "pc", ...smpte170m] },
  "wide-pixels.mp4": { coded: ["-pix_fmt", "yuv420p", "-vf", "setsar=4/3"] },
  "all-chroma.mp4": { coded: ["-pix_fmt", "yuv444p"] },
  "hlg.mp4": { coded: [...tenBits, ...hlg, "-movflags", "+write_colr"] },
  "turned.mp4": { coded: ["-pix_fmt", "yuv420p"], copied: ["-metadata:s:v:0", "rotate=90"] },
};

beforeAll(async () => {
  folder = await temporaryFolder();
  for (const [name, args] of Object.entries(encoded)) {
    await drawNumbers(`${folder}/${name}`, { first: 20_000, frames: 90 }, ...args);
  }
  for (const [name, args] of Object.entries(copies)) {
    const absolute = args.map((arg) => (/\.mp4$/.test(arg) ? `${folder}/${arg}` : arg));
    await runFfmpeg(ffmpegs()[0]!, [...absolute, "-y", `${folder}/${name}`]);
  }
  for (const [name, { coded, copied }] of Object.entries(pictures)) {
    const path = `${folder}/${name}`;
    const first = copied ? `${folder}/not-${name}` : path;
    await draw(first, "testsrc2=s=192x128:r=30:d=0.3", "-c:v", "libx264", "-crf", "10", ...coded);
    if (copied) await runFfmpeg(ffmpegs()[0]!, ["-i", first, "-c", "copy", ...copied, "-y", path]);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const containerOf = (name: string) => (name.endsWith(".mkv") ? "matroska" : "mp4");

async function sourceAt(name: string): Promise<Source> {
  const container = containerOf(name);
  const { durationSeconds, hasSound, size, picture } = await readTracks(`${folder}/${name}`, container);
  return videoSource(`${folder}/${name}`, { container, durationSeconds, hasSound, ...size }, picture);
}

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let ffmpeg: Ffmpeg;

  beforeAll(async () => {
    ffmpeg = await directFfmpeg(build.path);
  });

  async function proxyOf({ file, facts }: Source): Promise<Source> {
    const path = `${folder}/proxy-${crypto.randomUUID()}.mp4`;
    await ffmpeg.run(compileHalfSize(file, facts, path), { folder });
    return { file: path, hash: path, facts: halfSizeFacts(facts) };
  }

  /** The pixels of frames that show a source from a time on. */
  async function framesOf(source: Source, frames: readonly number[], { fps = 30, start = 0, size = smallCanvas } = {}) {
    const shown = clip(source, 0, 200, { sourceStartSeconds: start });
    const edit = { ...timeline([shown], { fps }), canvas: size };
    const output = `${folder}/pixels-${crypto.randomUUID()}.raw`;
    const files = { pathOf: ({ file }: Source) => file };
    await ffmpeg.run(compileFrames({ timeline: edit, frames, overlays: [], size, threads: 1, files }, output), {
      folder,
    });
    const pixels = await Bun.file(output).bytes();
    const frameBytes = pixels.length / frames.length;
    return frames.map((_, index) => pixels.subarray(index * frameBytes, (index + 1) * frameBytes));
  }

  test.each([...Object.keys(encoded), ...Object.keys(copies)])(
    "the proxy of %s shows the same frames at the same times",
    async (name) => {
      const source = await sourceAt(name);
      const proxy = await proxyOf(source);
      const numbersOn = async (of: Source) => [
        ...(await framesOf(of, [0, 1, 2, 5, 19, 34, 35, 61, 86, 94])).map(numberOf),
        // after a seek
        ...(await framesOf(of, [41, 43], { fps: 25, start: 0.77 })).map(numberOf),
      ];
      const numbers = await numbersOn(source);
      expect(await numbersOn(proxy)).toEqual(numbers);
      expect(new Set(numbers).size).toBeGreaterThan(4);
    },
  );

  test("the facts of the HDR video say so", async () => {
    expect((await sourceAt("hlg.mp4")).facts.picture).toMatchObject({ transfer: "hlg", matrix: "bt2020" });
  });

  test.each(Object.keys(pictures))("the proxy of %s shows the same picture", async (name) => {
    const source = await sourceAt(name);
    const proxy = await proxyOf(source);
    const { width = 0, height = 0 } = source.facts;
    const size = { width: width / 2, height: height / 2 };
    const [from, through] = [await framesOf(source, [3], { size }), await framesOf(proxy, [3], { size })];
    expect(meanDifference(from[0]!, through[0]!)).toBeLessThan(2.5);
    const { picture } = (await readTracks(proxy.file, "mp4"))!;
    expect(picture).toMatchObject({
      codec: "avc",
      matrix: "bt709",
      fullRange: false,
      transfer: "sdr",
      hasAlpha: false,
    });
  });

  test("a video that does not decode to its end has no proxy", async () => {
    const bytes = await Bun.file(`${folder}/one-gop.mp4`).bytes();
    const damaged = `${folder}/damaged.mp4`;
    // inside the pictures
    await Bun.write(damaged, bytes.fill(0xff, 2_000, 6_000));
    const source = { ...(await sourceAt("one-gop.mp4")), file: damaged };
    await expect(proxyOf(source)).rejects.toBeInstanceOf(FfmpegError);
  });

  test("a stopped build ends with the reason", async () => {
    const stop = new AbortController();
    const [source, output] = [await sourceAt("one-gop.mp4"), `${folder}/stopped.mp4`];
    const input = { source, path: source.file, folder, output, signal: stop.signal };
    const running = Promise.withResolvers<void>();
    const run: Ffmpeg["run"] = (command, options) => {
      running.resolve();
      return ffmpeg.run(command, options);
    };
    const building = halfSizeProxies({ run }).build(input);
    await running.promise;
    stop.abort(new Error("An export begins."));
    await expect(building).rejects.toThrow("An export begins.");
  });
});

const meanDifference = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((sum, value, index) => sum + Math.abs(value - other[index]!), 0) / one.length;

test("only large upright sizes, short enough and without alpha, are worth a proxy", () => {
  const { isFor } = halfSizeProxies({ run: () => Promise.reject(new Error("unused")) });
  const facts = (more: Partial<MediaFacts>, picture: Partial<VideoFacts> = {}) =>
    videoSource("a.mp4", { width: 1080, height: 1920, durationSeconds: 8, ...more }, picture).facts;
  expect(isFor(facts({}))).toBe(true);
  expect(isFor(facts({ width: 1280, height: 720 }))).toBe(true);
  expect(isFor(facts({ width: 3840, height: 2160 }))).toBe(true);
  expect(isFor(facts({}, { transfer: "hlg", matrix: "bt2020" }))).toBe(true);
  expect(isFor(facts({ width: 640, height: 1138 }))).toBe(false);
  expect(isFor(facts({ width: 1081 }))).toBe(false);
  expect(isFor(facts({ durationSeconds: 61 }))).toBe(false);
  expect(isFor(facts({ width: 3840, height: 2160, durationSeconds: 16 }))).toBe(false);
  expect(isFor(facts({}, { hasAlpha: true }))).toBe(false);
  expect(isFor(imageSource("a.png", { width: 4000, height: 3000 }).facts)).toBe(false);
});

/** The number that the pixels of a frame of `drawNumbers` show. */
function numberOf(pixels: Uint8Array): number {
  const { width } = smallCanvas;
  const bits = Array.from({ length: 16 }, (_, bit) => {
    const x = (bit % 8) * 8 + 4;
    const y = Math.floor(bit / 8) * 18 + 9;
    return pixels[3 * (y * width + x)]! > 128 ? 2 ** bit : 0;
  });
  return bits.reduce((sum, value) => sum + value, 0);
}
