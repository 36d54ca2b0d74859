import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileFrames } from "../../../src/engine/compiler/frames.ts";
import { clipUsesIn, seekTo } from "../../../src/engine/compiler/video/clip-use.ts";
import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { readTracks } from "../../../src/engine/inspect/tracks.ts";
import { writeExcerpt } from "../../../src/engine/mp4/excerpt.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import { drawNumbers, smallCanvas, videoSource } from "../../support/media/draw-media.ts";
import {
  directFfmpeg,
  everyFrame,
  ffmpegs,
  runFfmpeg,
  type TestFfmpeg,
  temporaryFolder,
  testedFfmpegs,
} from "../../support/media/ffmpeg.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

let folder: string;

const oneGop = ["-g", "999", "-bf", "3", "-x264-params", "b-pyramid=normal:scenecut=0"];
const openGops = ["-x264-params", "open-gop=1:keyint=20:min-keyint=20:bframes=3:scenecut=0"];
/** Frames that last one, two and three ticks of a sixtieth in turn. */
const uneven = ["-vf", "setpts='(6*floor(N/3)+mod(N,3)*(mod(N,3)+1)/2)/(60*TB)'", "-vsync", "0"];

const tone = ["-f", "lavfi", "-i", "sine=f=440:d=3"];
const withTone = ["-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac"];

/** The arguments that make a file from the one with a single GOP, by name. */
const copies: Readonly<Record<string, readonly string[]>> = {
  "sound.mp4": ["-i", "one-gop.mp4", ...tone, ...withTone],
  "late-sound.mp4": ["-i", "one-gop.mp4", "-itsoffset", "0.4", ...tone, ...withTone],
  "late-video.mp4": ["-itsoffset", "0.4", "-i", "one-gop.mp4", ...tone, ...withTone],
  "cut.mp4": ["-ss", "1.3", "-i", "open-gops.mp4", "-c", "copy"],
  "turned.mp4": ["-i", "one-gop.mp4", "-c", "copy", "-metadata:s:v:0", "rotate=90"],
  "quicktime.mov": ["-i", "open-gops.mp4", "-c", "copy"],
  "index-first.mp4": ["-i", "one-gop.mp4", "-c", "copy", "-movflags", "+faststart"],
};

const encoded: Readonly<Record<string, readonly string[]>> = {
  "one-gop.mp4": oneGop,
  "open-gops.mp4": openGops,
  "short-gops.mp4": ["-bf", "0", "-g", "10"],
  "baseline.mp4": ["-profile:v", "baseline", "-g", "10"],
  "uneven.mp4": uneven,
  "hevc.mp4": ["-c:v", "libx265", "-x265-params", "keyint=20:min-keyint=20:log-level=none"],
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
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function timelineOf(name: string): Promise<Timeline> {
  const { durationSeconds, hasSound, picture } = await readTracks(`${folder}/${name}`, "mp4");
  const source = videoSource(`${folder}/${name}`, { durationSeconds, hasSound }, picture);
  // ends past the source, whose last frame is held
  return timeline([clip(source, 0, 95)], { fps: 30 });
}

const frames = [0, 1, 19, 34, 35, 61, 86, 94];

/** When a frame of the timeline is in its source. */
function secondsAt({ track, rate }: Timeline, frame: number): number {
  const [use] = clipUsesIn(track.spans, { start: frame, end: frame + 1 });
  const { seekSeconds, offsetSeconds } = seekTo(use!, rate);
  return seekSeconds + offsetSeconds;
}

function excerptOf(name: string, seconds: readonly number[]): string {
  const output = `${folder}/excerpt-${crypto.randomUUID()}.mp4`;
  writeExcerpt({ path: `${folder}/${name}`, output, seconds });
  return output;
}

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let ffmpeg: Ffmpeg;

  beforeAll(async () => {
    ffmpeg = await directFfmpeg(build.path);
  });

  /** The hashes of frames that are drawn from a file in place of the source. */
  async function drawFrom(path: string, edit: Timeline, some: readonly number[], isExcerpt: boolean) {
    const request = { timeline: edit, frames: some, overlays: [], size: smallCanvas, threads: 2 };
    const output = `${folder}/pixels-${crypto.randomUUID()}.raw`;
    const files = { pathOf: () => path };
    await ffmpeg.run(compileFrames({ ...request, files, isExcerpt: () => isExcerpt }, output), { folder });
    const pixels = await Bun.file(output).bytes();
    const frameBytes = pixels.length / some.length;
    return some.map((_, index) => Bun.hash(pixels.subarray(index * frameBytes, (index + 1) * frameBytes)));
  }

  test.each(["short-gops.mp4", "baseline.mp4"])(
    "the first sample of %s has a picture only if it is needed",
    async (name) => {
      const alone = excerptOf(name, [2.2]);
      const frameCount = (await framesIn(build, alone)).length;
      expect(frameCount).toBe((await packetsIn(alone)) - 1);
      expect(frameCount).toBeGreaterThan(3);
      const start = excerptOf(name, [0]);
      expect((await framesIn(build, start)).length).toBe(await packetsIn(start));
    },
  );

  test.each([...Object.keys(encoded), ...Object.keys(copies)])(
    "an excerpt of %s shows the same frames",
    async (name) => {
      const edit = await timelineOf(name);
      const whole = await drawFrom(`${folder}/${name}`, edit, frames, false);
      expect(new Set(whole).size).toBeGreaterThan(5);
      const together = excerptOf(
        name,
        frames.map((frame) => secondsAt(edit, frame)),
      );
      expect(await drawFrom(together, edit, frames, true)).toEqual(whole);
      for (const frame of [1, 34, 61, 94]) {
        const alone = excerptOf(name, [secondsAt(edit, frame)]);
        expect([frame, ...(await drawFrom(alone, edit, [frame], true))]).toEqual([
          frame,
          whole[frames.indexOf(frame)]!,
        ]);
      }
    },
  );
});

const linesOf = async (build: TestFfmpeg, args: readonly string[]): Promise<readonly string[]> =>
  new TextDecoder()
    .decode(await runFfmpeg(build, [...args, "-f", "framecrc", "-"]))
    .split("\n")
    .filter((line) => /^\d/.test(line));

const packetsIn = async (path: string): Promise<number> =>
  (await linesOf(ffmpegs()[0]!, ["-i", path, "-map", "0:v", "-c", "copy"])).length;

/** The decoded frames of a file without an error. */
const framesIn = async (build: TestFfmpeg, path: string): Promise<readonly string[]> =>
  linesOf(build, ["-xerror", "-i", path, "-map", "0:v", ...(await everyFrame(build))]);

test("an excerpt holds only what its frames need", async () => {
  // the first sample, and from the keyframe at 2 s to the last frame within the tolerance
  expect(await packetsIn(excerptOf("short-gops.mp4", [2.2]))).toBeLessThan(12);
  // of the frames before the wanted one, those that others refer to
  expect(await packetsIn(excerptOf("one-gop.mp4", [2.5]))).toBeLessThan(0.65 * 78);
});

test("a fragmented file has no excerpt", async () => {
  const path = `${folder}/fragments.mp4`;
  const options = ["-c", "copy", "-movflags", "frag_keyframe+empty_moov", "-y", path];
  await runFfmpeg(ffmpegs()[0]!, ["-i", `${folder}/short-gops.mp4`, ...options]);
  expect(() => excerptOf("fragments.mp4", [1])).toThrow();
});
