import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { toWav } from "../../../../src/engine/compiler/encoding.ts";
import { gainLines } from "../../../../src/engine/compiler/sound/gains.ts";
import { compileSound } from "../../../../src/engine/compiler/sound/sound.ts";
import { valueAt } from "../../../../src/engine/motion/keyframes.ts";
import type { Keyframe } from "../../../../src/engine/timeline/motion.ts";
import type { Source } from "../../../../src/engine/timeline/source.ts";
import { draw, soundSamples, videoSource } from "../../../support/media/draw-media.ts";
import { runCommand, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";
import { clip, sourcePaths, timeline } from "../../../support/media/timelines.ts";

const keyframes: readonly Keyframe<number>[] = [
  { at: 0.5, value: 1, easing: "linear" },
  { at: 1, value: 0.25, easing: "linear" },
  { at: 2, value: 1.5, easing: "in-out-cubic" },
  { at: 2.5, value: 1.5, easing: "linear" },
  { at: 2.5, value: 0.5, easing: "linear" },
];

const printed = (lines: ReturnType<typeof gainLines>) => (seconds: number) => {
  const { startSeconds, value, slope } = lines.findLast((line) => line.startSeconds <= seconds) ?? lines[0]!;
  return value + slope * (seconds - startSeconds);
};

test("the lines follow the keyframes to a hundredth of a decibel, but for jumps, in few lines", () => {
  const startSeconds = 0.2;
  const lines = gainLines({ keyframes, startSeconds }, 4);
  const lineAt = printed(lines);
  expect(lines.length).toBeLessThan(40);
  for (let at = 0; at < 4; at += 0.0107) {
    if (Math.abs(at + startSeconds - 2.5) < 0.01) continue;
    expect(Math.abs(lineAt(at) - valueAt(keyframes, at + startSeconds))).toBeLessThan(0.002);
  }
});

test("a curve of any length is sampled only where it is heard", () => {
  const endless = [
    { at: 0, value: 0, easing: "linear" },
    { at: 1_000_000, value: 4, easing: "in-out-sine" },
  ];
  const lines = gainLines({ keyframes: endless, startSeconds: 500_000 }, 2);
  expect(lines.length).toBeLessThan(10);
  expect(printed(lines)(1)).toBeCloseTo(2, 3);
});

let folder: string;
let source: Source;
beforeAll(async () => {
  folder = await temporaryFolder();
  const path = `${folder}/tone.mov`;
  const tone = "aevalsrc='0.25*sin(2*PI*1000*t)':s=48000:d=4";
  await draw(path, "color=c=black:s=64x36:r=30:d=4", "-f", "lavfi", "-i", tone, "-c:v", "libx264", "-c:a", "pcm_s16le");
  source = videoSource(path, { hasSound: true, durationSeconds: 4 });
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test("keyframes of the volume are heard to a tenth of a decibel", async () => {
    const edit = timeline([clip(source, 0, 105, { gains: keyframes })]);
    const { mix, intermediates } = compileSound({ timeline: edit, files: sourcePaths }, folder);
    for (const { command } of intermediates) await runCommand(ffmpeg, command);
    const output = `${folder}/mix.wav`;
    const [option, stream] = mix.command.outputArgs;
    await runCommand(ffmpeg, { ...mix.command, outputArgs: [option!, stream!, ...toWav(output)], writes: [output] });
    const left = (await soundSamples(ffmpeg, output)).filter((_, index) => index % 2 === 0);
    expect(left.length).toBe(105 * 1600);
    for (const at of [0.2, 0.7, 0.9, 1.2, 1.5, 1.8, 2.3, 2.45, 2.6, 3.2]) {
      // three periods
      const around = left.slice(Math.round(at * 48_000) - 72, Math.round(at * 48_000) + 72);
      const level = Math.sqrt(2 * (around.reduce((sum, sample) => sum + sample ** 2, 0) / around.length));
      const wanted = 0.25 * valueAt(keyframes, at);
      expect(Math.abs(20 * Math.log10(level / wanted))).toBeLessThan(0.1);
    }
  });
});
