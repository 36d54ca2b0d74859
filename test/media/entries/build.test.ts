import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { compileFrames } from "../../../src/compiler/frames.ts";
import { clipUsesIn, seekTo } from "../../../src/compiler/video/clip-use.ts";
import { sharedCanvasProcesses } from "../../../src/media/canvas/processes.ts";
import { entryPoints } from "../../../src/media/entries/build.ts";
import { readEntries } from "../../../src/media/excerpt/entry-file.ts";
import { writeExcerpt } from "../../../src/media/excerpt/excerpt.ts";
import type { Ffmpeg } from "../../../src/media/ffmpeg/ffmpeg.ts";
import { readTracks } from "../../../src/media/inspect/tracks.ts";
import type { Timeline } from "../../../src/timeline/timeline.ts";
import { draw, videoSource } from "../../helpers/media/draw-media.ts";
import { ffmpegs, foundFfmpeg, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../helpers/media/ffmpeg.ts";
import { clip, timeline } from "../../helpers/media/timelines.ts";

/** Its rows do not fill the last macroblocks. */
const size = { width: 128, height: 72 };
const seconds = 5;

let folder: string;

const x264 = (parameters: string, ...more: readonly string[]) => [
  ...["-c:v", "libx264", "-preset", "veryfast", "-g", "999"],
  ...["-x264-params", `scenecut=0:${parameters}`, ...more],
];

/** Frames that last one, two and three ticks of a sixtieth in turn. */
const uneven = ["-vf", "settb=1/60,setpts='6*floor(N/3)+mod(N,3)*(mod(N,3)+1)/2'", "-vsync", "0"];

/** Videos of a single GOP, by name. */
const encoded: Readonly<Record<string, readonly string[]>> = {
  "one-reference.mp4": x264("ref=1:bframes=0", "-profile:v", "baseline"),
  "main.mp4": x264("ref=2:bframes=2:b-pyramid=none:weightp=2", "-profile:v", "main"),
  "pyramid.mp4": x264("ref=3:bframes=5:b-pyramid=normal:b-adapt=0:direct=temporal"),
  "strict-pyramid.mp4": x264("ref=4:bframes=5:b-pyramid=strict:b-adapt=0"),
  "open-gops.mp4": x264("ref=2:bframes=3:open-gop=1:keyint=40:min-keyint=40"),
  "medium.mp4": ["-c:v", "libx264", "-g", "999"],
  "slices.mp4": x264("ref=2:bframes=0:slices=3:intra-refresh=1"),
  "uneven.mp4": [...x264("ref=2:bframes=2"), ...uneven],
};

const sound = ["-f", "lavfi", "-i", "sine=f=440:d=5", "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac"];

/** The arguments that make a file from `pyramid.mp4`, by name. */
const copies: Readonly<Record<string, readonly string[]>> = {
  "sound.mp4": sound,
  "turned.mp4": ["-c", "copy", "-metadata:s:v:0", "rotate=90"],
};

/** Videos without entry points. */
const others: Readonly<Record<string, readonly string[]>> = {
  "short-gops.mp4": ["-c:v", "libx264", "-g", "30"],
  "interlaced.mp4": x264("tff=1", "-flags", "+ildct"),
  "many-references.mp4": x264("ref=16:bframes=0:me=tesa:subme=7", "-preset", "slow"),
};

beforeAll(async () => {
  folder = await temporaryFolder();
  const drawing = `testsrc2=s=${size.width}x${size.height}:r=30:d=${seconds},noise=alls=6:allf=t,format=yuv420p`;
  const drawings = Object.entries({ ...encoded, ...others });
  for (const [name, args] of drawings) await draw(`${folder}/${name}`, drawing, ...args);
  for (const [name, args] of Object.entries(copies)) {
    await runFfmpeg(ffmpegs()[0]!, ["-i", `${folder}/pyramid.mp4`, ...args, "-y", `${folder}/${name}`]);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function sourceOf(name: string) {
  const { durationSeconds, hasSound, picture } = await readTracks(`${folder}/${name}`, "mp4");
  return videoSource(`${folder}/${name}`, { ...size, durationSeconds, hasSound }, picture);
}

const timelineOf = async (name: string): Promise<Timeline> =>
  timeline([clip(await sourceOf(name), 0, 145)], { fps: 30, canvas: size });

/** When a frame of the timeline is in its source. */
function secondsAt({ track, rate }: Timeline, frame: number): number {
  const [use] = clipUsesIn(track.spans, { start: frame, end: frame + 1 });
  const { seekSeconds, offsetSeconds } = seekTo(use!, rate);
  return seekSeconds + offsetSeconds;
}

/** Writes the entry points of a video, and returns the path and the numbers of the first samples after them. */
async function build(name: string, ffmpeg: Pick<Ffmpeg, "run">) {
  const jobFolder = `${folder}/${crypto.randomUUID()}`;
  await mkdir(jobFolder);
  const output = `${jobFolder}/entries`;
  const kind = entryPoints({ ffmpeg, canvas: sharedCanvasProcesses(), minWork: 100 });
  const [source, signal] = [await sourceOf(name), new AbortController().signal];
  expect(kind.isFor(source.facts)).toBeTrue();
  await kind.build({ source, path: `${folder}/${name}`, folder: jobFolder, output, owner: "ann", signal });
  return { path: output, samples: readEntries(openSync(output, "r")).map(({ sample }) => sample) };
}

function excerptOf(name: string, times: readonly number[], entries?: string): string {
  const output = `${folder}/excerpt-${crypto.randomUUID()}.mp4`;
  writeExcerpt({ path: `${folder}/${name}`, output, seconds: times, entries });
  return output;
}

const bytesOf = (path: string) => Bun.file(path).bytes();

const hashOf = async (path: string) => Bun.hash(await bytesOf(path));

describe.each(testedFfmpegs)("with the $name ffmpeg", ({ path: ffmpegPath }) => {
  let ffmpeg: Ffmpeg;

  beforeAll(async () => {
    ffmpeg = await foundFfmpeg(ffmpegPath);
  });

  /** The hashes of frames that are drawn from a file in place of the source. */
  async function drawFrom(path: string, edit: Timeline, frames: readonly number[], isExcerpt: boolean) {
    const request = { timeline: edit, frames, overlays: [], size, threads: 2 };
    const output = `${folder}/pixels-${crypto.randomUUID()}.raw`;
    const files = { pathOf: () => path };
    await ffmpeg.run(compileFrames({ ...request, files, isExcerpt: () => isExcerpt }, output), { folder });
    const pixels = await bytesOf(output);
    const frameBytes = pixels.length / frames.length;
    return frames.map((_, index) => Bun.hash(pixels.subarray(index * frameBytes, (index + 1) * frameBytes)));
  }

  test.each([...Object.keys(encoded), ...Object.keys(copies)])(
    "frames of %s are the same when decoding begins at an entry point",
    async (name) => {
      const { path, samples } = await build(name, ffmpeg);
      expect(samples.length).toBeGreaterThanOrEqual(3);
      const edit = await timelineOf(name);
      const frames = samples.map((sample, index) => sample + [4, 5, 17][index % 3]!);
      const whole = await drawFrom(`${folder}/${name}`, edit, frames, false);
      for (const [index, frame] of frames.entries()) {
        const excerpt = excerptOf(name, [secondsAt(edit, frame)], path);
        expect([frame, ...(await drawFrom(excerpt, edit, [frame], true))]).toEqual([frame, whole[index]!]);
      }
      const later = frames.slice(1);
      const together = later.map((frame) => secondsAt(edit, frame));
      expect(await drawFrom(excerptOf(name, together, path), edit, later, true)).toEqual(whole.slice(1));
    },
  );

  test("an excerpt begins at the last entry point before its frames", async () => {
    const { path } = await build("medium.mp4", ffmpeg);
    const edit = await timelineOf("medium.mp4");
    const size = async (frame: number, entries?: string) =>
      (await samplesIn(excerptOf("medium.mp4", [secondsAt(edit, frame)], entries))).length;
    expect(await size(140, path)).toBeLessThan((await size(140)) / 2);
    expect(await size(20, path)).toBe(await size(20));
  });

  test.each(Object.keys(others))("%s has no entry points", async (name) => {
    expect((await build(name, ffmpeg)).samples).toEqual([]);
  });

  test("an entry point from which a frame decodes otherwise is dropped", async () => {
    const { samples } = await build("medium.mp4", ffmpeg);
    const changing: Ffmpeg["run"] = async (command, options) => {
      const result = await ffmpeg.run(command, options);
      const hashes = `${options.folder}/entry-1-hashes`;
      if (await Bun.file(hashes).exists())
        await Bun.write(hashes, (await Bun.file(hashes).text()).replace(/.\n*$/, "-"));
      return result;
    };
    const left = samples.filter((_, index) => index !== 1);
    expect((await build("medium.mp4", { run: changing })).samples).toEqual(left);
  });

  test("damaged and foreign entry points are not used", async () => {
    const { path } = await build("pyramid.mp4", ffmpeg);
    const alone = await hashOf(excerptOf("pyramid.mp4", [4.5]));
    expect(await hashOf(excerptOf("pyramid.mp4", [4.5], path))).not.toBe(alone);
    const entries = await bytesOf(path);
    const middle = entries.length >> 1;
    const damaged = { cut: entries.slice(0, middle), changed: entries.with(-100, entries.at(-100)! ^ 1), empty: [] };
    for (const [name, bytes] of Object.entries(damaged)) {
      await Bun.write(`${folder}/${name}`, Uint8Array.from(bytes));
      expect(await hashOf(excerptOf("pyramid.mp4", [4.5], `${folder}/${name}`))).toBe(alone);
    }
    expect(await hashOf(excerptOf("pyramid.mp4", [4.5], `${folder}/missing`))).toBe(alone);
  });
});

/** The packets of a video. */
const samplesIn = async (path: string): Promise<readonly string[]> =>
  new TextDecoder()
    .decode(await runFfmpeg(ffmpegs()[0]!, ["-i", path, "-map", "0:v", "-c", "copy", "-f", "framecrc", "-"]))
    .split("\n")
    .filter((line) => /^\d/.test(line));
