import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import fc from "fast-check";
import { compileSegment } from "../../../../src/engine/compiler/compile.ts";
import type { Source } from "../../../../src/engine/timeline/source.ts";
import { type FrameRange, toSeconds } from "../../../../src/engine/timeline/time.ts";
import type { Timeline } from "../../../../src/engine/timeline/timeline.ts";
import type { Span } from "../../../../src/engine/timeline/track.ts";
import { drawNumbers, lumaFrames, numberOn, videoSource } from "../../../support/media/draw-media.ts";
import { runCommand, type TestFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";
import { clip, fastEncoding, sourcePaths, timeline, transitionInto } from "../../../support/media/timelines.ts";

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true }));

const wholeOf = (edit: Timeline): FrameRange => ({ start: 0, end: edit.track.frames });

/** The number on each frame of an edit, or of a range of it. */
async function numbersOf(ffmpeg: TestFfmpeg, edit: Timeline, range = wholeOf(edit)): Promise<readonly number[]> {
  const path = `${folder}/${ffmpeg.name}-${Bun.randomUUIDv7()}.mp4`;
  const segment = { timeline: edit, range, overlays: [], files: sourcePaths, encoding: fastEncoding };
  await runCommand(ffmpeg, compileSegment(segment, path));
  const frames = await lumaFrames(ffmpeg, path);
  await rm(path);
  return frames.map(numberOn);
}

const counting = (first: number, length: number) => Array.from({ length }, (_, index) => first + index);

/** A source of 30 frames per second that show 1000, 1001 and so on. */
const numbers = async (name: string, frames: number, more: { rate?: string } = {}, ...args: readonly string[]) =>
  drawNumbers(`${folder}/${name}`, { first: 1000, frames, ...more }, ...args);

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test("a clip shows its source frame by frame from its start", async () => {
    const source = videoSource(await numbers("plain.mp4", 90));
    const edit = timeline([clip(source, 0, 20, { sourceStartSeconds: 1.5 }), clip(source, 25, 30)]);
    expect(await numbersOf(ffmpeg, edit)).toEqual([...counting(1045, 20), 0, 0, 0, 0, 0, ...counting(1000, 5)]);
  });

  test("the last frame holds where the source ends", async () => {
    const source = videoSource(await numbers("short.mp4", 30), { durationSeconds: 1 });
    const edit = timeline([
      clip(source, 0, 6, { sourceStartSeconds: 0.9 }),
      clip(source, 6, 9, { sourceStartSeconds: 70 }),
    ]);
    expect(await numbersOf(ffmpeg, edit)).toEqual([1027, 1028, 1029, 1029, 1029, 1029, 1029, 1029, 1029]);
  });

  test.each(["mp4", "mkv"])(
    "the last frame of a file with uneven times (%s) is shown, though its duration is not stated",
    async (extension) => {
      const uneven = { filter: "settb=1/90000,setpts='floor((N*0.04+0.03*sin(N))*90000)'" };
      const oneByOne = ["-vsync", "vfr", "-enc_time_base", "1:90000"];
      const path = await drawNumbers(
        `${folder}/uneven.${extension}`,
        { first: 1000, frames: 20, ...uneven },
        ...oneByOne,
      );
      const container = extension === "mkv" ? "matroska" : "mp4";
      const source = videoSource(path, { durationSeconds: 0.75, container });
      const last = numberOn((await lumaFrames(ffmpeg, path)).at(-1)!);
      for (const sourceStartSeconds of [0, 0.3, 0.6, 40]) {
        const shown = await numbersOf(ffmpeg, timeline([clip(source, 0, 30, { sourceStartSeconds })]));
        expect(shown.at(-1)).toBe(last);
      }
    },
  );

  test("the last frame also holds where the file's sound is longer", async () => {
    const video = await numbers("video.mp4", 12);
    const long = `${folder}/sound.mp4`;
    const sound = ["-f", "lavfi", "-i", "sine=d=8", "-c:v", "copy", "-c:a", "aac", "-y", long];
    await runCommand(ffmpeg, { inputArgs: ["-i", video], graph: "", outputArgs: sound, writes: [long] });
    const source = videoSource(long, { durationSeconds: 8 });
    expect(await numbersOf(ffmpeg, timeline([clip(source, 0, 2, { sourceStartSeconds: 6 })]))).toEqual([1011, 1011]);
  });

  /** A file whose sound starts this much earlier than its video. */
  async function lateBy(startSeconds: number): Promise<Source> {
    const video = await numbers("early.mp4", 12);
    const late = `${folder}/late-${startSeconds}.mkv`;
    const inputArgs = ["-itsoffset", `${startSeconds}`, "-i", video, "-f", "lavfi", "-i", "sine=d=1"];
    const outputArgs = ["-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "pcm_s16le", "-y", late];
    await runCommand(ffmpeg, { inputArgs, graph: "", outputArgs, writes: [late] });
    return videoSource(late, { container: "matroska" }, { frameRate: 30, startSeconds });
  }

  test("a source whose video starts late shows its first frame until then", async () => {
    const edit = timeline([clip(await lateBy(0.1), 0, 6)]);
    expect(await numbersOf(ffmpeg, edit)).toEqual([1000, 1000, 1000, 1000, 1001, 1002]);
  });

  test.each([0.007, 0.015])("sound that starts %d seconds earlier moves no frame", async (seconds) => {
    const source = await lateBy(seconds);
    expect(await numbersOf(ffmpeg, timeline([clip(source, 0, 6)]))).toEqual(counting(1000, 6));
    const later = clip(source, 0, 6, { sourceStartSeconds: 0.1 });
    expect(await numbersOf(ffmpeg, timeline([later]))).toEqual(counting(1003, 6));
  });

  test.each([
    ["10", 30],
    ["24000/1001", 30],
    ["30000/1001", 30],
    ["30000/1001", 29.97],
    ["60", 29.97],
    ["50", 25],
    ["25", 120],
    ["30", 1],
  ])(
    "from a source at %s frames per second, each frame at %d fps shows the last frame at or before its time",
    async (rate, fps) => {
      const source = videoSource(await numbers("rate.mp4", 60, { rate }));
      const edit = timeline([clip(source, 0, 25, { sourceStartSeconds: 0.4 })], { fps });
      const [num, den = 1] = rate.split("/").map(Number) as [number, number?];
      const shown = counting(0, 25).map((frame) => {
        const sourceFrame = Math.floor(((0.4 + toSeconds(frame, edit.rate)) * num) / den + 1e-3);
        return 1000 + Math.min(59, sourceFrame);
      });
      expect(await numbersOf(ffmpeg, edit)).toEqual(shown);
    },
  );

  test("a variable frame rate keeps every frame at its own time", async () => {
    // the frames are 1, 2, 3 … thirtieths of a second apart
    const path = `${folder}/variable.mp4`;
    await drawNumbers(path, { first: 1000, frames: 8, filter: "setpts=N*(N+1)/2" }, "-vsync", "vfr", "-r", "30");
    const edit = timeline([clip(videoSource(path), 0, 16)]);
    expect((await numbersOf(ffmpeg, edit)).map((number) => number - 1000)).toEqual([
      0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5,
    ]);
  });

  test.each(["mkv", "webm"])("a %s file is trimmed as exactly as an MP4", async (extension) => {
    const codec = extension === "webm" ? ["-c:v", "libvpx", "-b:v", "2M"] : [];
    const source = videoSource(await numbers(`cut.${extension}`, 210, {}, ...codec, "-g", "100"), {
      container: "matroska",
    });
    expect(await numbersOf(ffmpeg, timeline([clip(source, 0, 10, { sourceStartSeconds: 4.3 })]))).toEqual(
      counting(1129, 10),
    );
  });

  test("every segment shows the same frames as the whole export", async () => {
    const source = videoSource(await numbers("parts.mp4", 90));
    const edit = timeline([
      clip(source, 0, 30, { sourceStartSeconds: 0.7, ...transitionInto("wipeleft", 8) }),
      clip(source, 30, 60),
    ]);
    const whole = await numbersOf(ffmpeg, edit);
    const parts = [
      await numbersOf(ffmpeg, edit, { start: 0, end: 13 }),
      await numbersOf(ffmpeg, edit, { start: 13, end: 33 }),
      await numbersOf(ffmpeg, edit, { start: 33, end: 60 }),
    ];
    expect(parts.flat()).toEqual([...whole]);
  });

  test("every edit renders its exact number of frames, with the right source frame on each", async () => {
    const sources = [
      { source: videoSource(await drawNumbers(`${folder}/a.mp4`, { first: 1000, frames: 60 })), first: 1000 },
      { source: videoSource(await drawNumbers(`${folder}/b.mp4`, { first: 5000, frames: 60 })), first: 5000 },
    ];
    const firstOf = (wanted: Source) => sources.find(({ source }) => source === wanted)!.first;
    const expected = (span: Span, frame: number): number | undefined => {
      if (span.kind === "gap") return 0;
      if (span.kind === "transition") return undefined;
      const { source, sourceStartSeconds, range } = span.clip;
      return firstOf(source) + Math.min(59, Math.round(sourceStartSeconds * 30) + frame - range.start);
    };
    await fc.assert(
      fc.asyncProperty(anyEdit(sources.map(({ source }) => source)), async (edit) => {
        const shown = await numbersOf(ffmpeg, edit);
        expect(shown).toHaveLength(edit.track.frames);
        const wanted = edit.track.spans.flatMap((span) =>
          counting(span.range.start, span.range.end - span.range.start).map((frame) => expected(span, frame)),
        );
        expect(shown.map((number, frame) => (wanted[frame] === undefined ? undefined : number))).toEqual(wanted);
      }),
      { numRuns: 6 },
    );
  });
});

const anyEdit = (sources: readonly Source[]) => {
  const anyClip = fc.record({
    source: fc.constantFrom(...sources),
    start: fc.nat(40),
    length: fc.integer({ min: 1, max: 25 }),
    from: fc.nat(70),
    transition: fc.record({
      kind: fc.constantFrom("cut", "fade", "slideup", "fadeblack", "dissolve"),
      frames: fc.nat(9),
    }),
  });
  return fc
    .array(anyClip, { minLength: 1, maxLength: 5 })
    .map((parts) =>
      timeline(
        parts.map(({ source, start, length, from, transition }) =>
          clip(source, start, start + length, { sourceStartSeconds: from / 30, transition }),
        ),
      ),
    );
};
