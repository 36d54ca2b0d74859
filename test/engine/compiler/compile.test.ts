import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileSegment, compileTasks } from "../../../src/engine/compiler/compile.ts";
import { compileSound } from "../../../src/engine/compiler/sound/sound.ts";
import { reframe } from "../../../src/engine/timeline/reframe.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import {
  audioSource,
  draw,
  drawColor,
  imageSource,
  lumaFrames,
  soundSamples,
  videoSource,
} from "../../support/media/draw-media.ts";
import { runCommand, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { clip, fastEncoding, overlay, timeline, transitionInto } from "../../support/media/timelines.ts";

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  await draw(
    `${folder}/video.mp4`,
    "testsrc=s=64x36:r=30:d=2,format=yuv420p",
    "-f",
    "lavfi",
    "-i",
    "sine=d=2",
    "-shortest",
  );
  await drawColor(`${folder}/other.mp4`, "navy", 60);
  await draw(`${folder}/tune.wav`, "sine=d=1");
  await draw(`${folder}/still.png`, "testsrc=s=64x36", "-frames:v", "1");
  await draw(`${folder}/overlay-%d.png`, "color=c=red@0.5:s=16x16:r=3:d=1,format=rgba", "-start_number", "0");
});
afterAll(() => rm(folder, { recursive: true }));

const files = { pathOf: ({ file }: { file: string }) => `${folder}/${file}` };
const video = videoSource("video.mp4", { hasSound: true, durationSeconds: 2 });
const other = videoSource("other.mp4", { durationSeconds: 2 }, { matrix: "bt601" });
const still = imageSource("still.png");

/** Edits that cover the parts of the compiler. Their graphs are in golden/, in files of the same names. */
const edits: Record<string, Timeline> = {
  "cut-and-gap": timeline([clip(video, 0, 10, { sourceStartSeconds: 1 }), clip(other, 15, 25)]),
  "fade-and-wipe": timeline(
    [
      clip(video, 0, 20, transitionInto("fade", 6)),
      clip(other, 20, 40, transitionInto("wipeleft", 5)),
      clip(video, 40, 50),
    ],
    { fps: 29.97 },
  ),
  dissolve: timeline([clip(other, 0, 20, transitionInto("dissolve", 8)), clip(video, 12, 30)]),
  "still-under-overlay": timeline([clip(still, 0, 20, { fit: "blur" })], { canvas: { width: 36, height: 64 } }),
};
const shown = { range: { start: 4, end: 16 }, starts: [0, 1, 11] };

const segmentOf = (name: string) => {
  const edit = edits[name]!;
  const ownOverlays = name.includes("overlay") ? [overlay(`${folder}/overlay-%d.png`, shown)] : [];
  return {
    timeline: edit,
    range: { start: 0, end: edit.track.frames },
    overlays: ownOverlays,
    files,
    encoding: fastEncoding,
  };
};

const golden = (name: string) => Bun.file(`${import.meta.dir}/golden/${name}.txt`).text();

describe.each(Object.keys(edits))("the edit %s", (name) => {
  test("compiles to the graph in its file", async () => {
    expect(`${compileSegment(segmentOf(name), "out.mp4").graph}\n`).toBe(await golden(name));
  });

  test.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))(
    "renders with the %s ffmpeg",
    async (_, ffmpeg) => {
      const segment = segmentOf(name);
      const output = `${folder}/${name}.mp4`;
      await runCommand(ffmpeg, compileSegment(segment, output));
      expect(await lumaFrames(ffmpeg, output, segment.timeline.canvas)).toHaveLength(segment.timeline.track.frames);
    },
  );
});

const withMusic = (() => {
  const edit = timeline([
    clip(video, 0, 20, { ...transitionInto("fade", 6), volume: 0.5 }),
    clip(video, 20, 40, { sourceStartSeconds: 1 }),
  ]);
  const music = { source: audioSource("tune.wav"), volume: 0.3, loop: true, fadeInFrames: 3, fadeOutFrames: 9 };
  return { ...edit, sound: { ...edit.sound, music } };
})();

test("sound compiles to the graphs in its file", async () => {
  const { intermediates, mix } = compileSound({ timeline: withMusic, files }, folder);
  const graphs = [...intermediates, mix].map(({ command }) => command.graph);
  expect(`${graphs.join("\n\n")}\n`).toBe(await golden("sound"));
});

test.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))(
  "sound renders with the %s ffmpeg",
  async (_, ffmpeg) => {
    const { intermediates, mix } = compileSound({ timeline: withMusic, files }, folder);
    for (const { command } of [...intermediates, mix]) await runCommand(ffmpeg, command);
    expect((await soundSamples(ffmpeg, mix.output)).some((level) => level > 0.01)).toBe(true);
  },
);

test("the sound of 500 clips takes no command with more than 24 inputs", () => {
  const clips = Array.from({ length: 500 }, (_, index) => clip(video, index * 10, index * 10 + 10));
  const { intermediates, mix } = compileSound({ timeline: timeline(clips), files }, folder);
  const inputsOf = (args: readonly string[]) => args.filter((arg) => arg === "-i").length;
  expect(intermediates.map(({ command }) => inputsOf(command.inputArgs))).toEqual([...Array(20).fill(24), 20]);
  expect(inputsOf(mix.command.inputArgs)).toBe(21);
});

test("the sound opens its sources without decoding frames", () => {
  const clips = [0, 10].map((start) => clip(video, start, start + 10));
  const { inputArgs } = compileSound({ timeline: timeline(clips), files }, folder).mix.command;
  expect(inputArgs.join(" ").match(/-skip_frame:v all -t [\d.]+ -protocol_whitelist/g)).toHaveLength(2);
});

test("music is opened without options for pictures, which ffmpeg refuses from 7.1 on", () => {
  const { intermediates, mix } = compileSound({ timeline: withMusic, files }, folder);
  const args = [...intermediates, mix].flatMap(({ command }) => command.inputArgs);
  const music = args.indexOf(`file:${folder}/tune.wav`);
  expect(music).toBeGreaterThan(0);
  const before = args.slice(0, music - 1);
  expect(before.slice(before.lastIndexOf("-i") + 1)).not.toContain("-skip_frame:v");
});

test("every input restricts its demuxers, and every path is opened as a file", () => {
  const segment = compileSegment(segmentOf("still-under-overlay"), "out.mp4");
  const sound = compileSound({ timeline: withMusic, files }, folder);
  for (const { inputArgs } of [segment, sound.mix.command, ...sound.intermediates.map(({ command }) => command)]) {
    const indices = inputArgs.flatMap((arg, index) => (arg === "-i" ? [index] : []));
    expect(indices.length).toBeGreaterThan(0);
    for (const index of indices) {
      expect(inputArgs.slice(index - 4, index)).toEqual([
        ...["-protocol_whitelist", "file", "-format_whitelist"],
        expect.stringMatching(/^[a-z0-9_,]+$/),
      ]);
      expect(inputArgs[index + 1]).toStartWith("file:");
    }
  }
});

test("every input sets its decoder threads: one per core for each input would exceed the memory limit", () => {
  for (const name of Object.keys(edits)) {
    const { inputArgs } = compileSegment(segmentOf(name), "out.mp4");
    const countOf = (option: string) => inputArgs.filter((arg) => arg === option).length;
    expect([name, countOf("-threads")]).toEqual([name, countOf("-i")]);
  }
});

test("a playlist disguised as a video is not opened", async () => {
  await draw(`${folder}/secret.ts`, "testsrc=s=64x36:d=1");
  await Bun.write(
    `${folder}/disguised.mp4`,
    `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nsecret.ts\n#EXT-X-ENDLIST\n`,
  );
  const edit = timeline([clip(videoSource("disguised.mp4"), 0, 5)]);
  const segment = { timeline: edit, range: { start: 0, end: 5 }, overlays: [], files, encoding: fastEncoding };
  for (const ffmpeg of testedFfmpegs) {
    await expect(runCommand(ffmpeg, compileSegment(segment, `${folder}/out.mp4`))).rejects.toThrow();
  }
});

test("several aspect ratios of one edit open each source once", () => {
  const whole = timeline([clip(video, 0, 20, transitionInto("fade", 6)), clip(video, 20, 30), clip(still, 30, 40)]);
  const versions = [whole, reframe(whole, { width: 36, height: 64 }), reframe(whole, { width: 36, height: 36 })];
  const outputs = versions.map((edit, index) => {
    const segments = [{ start: 0, end: 40 }];
    const task = { timeline: edit, segments, overlays: [], files, encoding: fastEncoding };
    return { task, output: { pattern: `${index}-%d.mp4`, first: 0 } };
  });
  const { inputArgs, outputArgs } = compileTasks(outputs);
  const opened = inputArgs.filter((arg) => arg.startsWith("file:"));
  expect(opened).toEqual(["video.mp4", "video.mp4", "still.png"].map((name) => `file:${folder}/${name}`));
  expect(outputArgs.filter((arg) => arg === "-map")).toHaveLength(3);
});
