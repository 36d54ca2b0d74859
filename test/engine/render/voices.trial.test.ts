import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { compileSound } from "../../../src/engine/compiler/sound/sound.ts";
import { measureLevels } from "../../../src/engine/render/loudness/levels.ts";
import type { Music, Sound, Voice } from "../../../src/engine/timeline/sound.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { toSamples } from "../../../src/engine/timeline/time.ts";
import { audioSource, draw, soundSamples, videoSource } from "../../support/media/draw-media.ts";
import { runCommand, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { noRenderCache } from "../../support/media/render-caches.ts";
import { clip, sourcePaths, timeline } from "../../support/media/timelines.ts";
import { levelOfTone } from "../../support/media/tones.ts";

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true }));

async function recorded(name: string, expression: string, seconds: number): Promise<Source> {
  const path = await draw(
    `${folder}/${name}.wav`,
    `aevalsrc='${expression}':s=48000:d=${seconds}`,
    "-c:a",
    "pcm_f32le",
  );
  return audioSource(path, { durationSeconds: seconds });
}

/** Words of 0.3 seconds with pauses of 0.2, at one frequency. */
const words = (level: number, frequency = 1920) => `${level}*sin(2*PI*${frequency}*t)*lt(mod(t,0.5),0.3)`;

const voice = (source: Source, start: number, end: number, more: Partial<Voice> = {}): Voice => ({
  source,
  range: { start, end },
  volume: 1,
  isNormalized: true,
  ...more,
});

const music = (source: Source, more: Partial<Music> = {}): Music => ({
  source,
  volume: 1,
  loop: false,
  fadeInFrames: 0,
  fadeOutFrames: 0,
  isDuckedByVoices: true,
  ...more,
});

/** The largest difference of two neighboring samples. */
const largestStep = (samples: Float32Array) =>
  samples.reduce((largest, level, index) => Math.max(largest, Math.abs(level - (samples[index - 1] ?? 0))), 0);

describe.each(testedFfmpegs)("with the $name ffmpeg", (ffmpeg) => {
  let mixes = 0;

  /** The mix before it is mastered: its left channel, and the path of its file. */
  async function mixOf(frames: number, sound: Partial<Sound>, fps = 30) {
    const mixFolder = `${folder}/${ffmpeg.name}-${mixes++}`;
    await mkdir(mixFolder);
    const edit = timeline([clip(videoSource("silent"), 0, frames)], {
      fps,
      sound: { pieces: [], isNormalized: true, ...sound },
    });
    const run = (command: Parameters<typeof runCommand>[1]) => runCommand(ffmpeg, command);
    const measuring = { files: sourcePaths, folder: mixFolder, cache: noRenderCache, keyOf: () => "key", run };
    const levels = await measureLevels(edit, measuring);
    const { intermediates, mix } = compileSound({ timeline: edit, files: sourcePaths, levels }, mixFolder);
    for (const { command } of [...intermediates, mix]) await run(command);
    const both = await soundSamples(ffmpeg, mix.output);
    return { path: mix.output, left: both.filter((_, index) => index % 2 === 0) };
  }

  async function loudnessOf(path: string): Promise<number> {
    const meter = "ebur128=metadata=1,ametadata=mode=print:file=-";
    const args = ["-i", path, "-af", meter, "-f", "null", "/dev/null"];
    const report = new TextDecoder().decode(await runFfmpeg(ffmpeg, args));
    return Number(report.slice(report.lastIndexOf("r128.I=")).match(/=(\S+)/)?.[1]);
  }

  test.each([0.01, 0.15, 0.9])("a voice at a level of %d is brought to -16 LUFS", async (level) => {
    const source = await recorded(`level-${level}`, words(level), 3);
    const { path } = await mixOf(90, { voices: [voice(source, 0, 90)] });
    expect(Math.abs((await loudnessOf(path)) + 16)).toBeLessThan(0.3);
  });

  test("a voice keeps its own level if it is not normalized, or silent", async () => {
    const source = await recorded("own-level", words(0.05), 1);
    const own = await mixOf(30, { voices: [voice(source, 0, 30, { isNormalized: false, volume: 2 })] });
    expect(Math.abs(levelOfTone(own.left, 1920, 0.02, 0.25) + 20)).toBeLessThan(0.1);
    const hush = await recorded("hush", words(0.0002), 1);
    const quiet = await mixOf(30, { voices: [voice(hush, 0, 30)] });
    expect(quiet.left.every((sample) => Math.abs(sample) < 0.0003)).toBe(true);
  });

  test("music falls before a voice, stays down through its pauses, and returns after it", async () => {
    const bed = music(await recorded("bed", "0.2*sin(2*PI*480*t)", 8));
    const source = await recorded("speaker", words(0.05), 3);
    const plain = (await mixOf(240, { voices: [], music: bed })).left;
    const { left } = await mixOf(240, { voices: [voice(source, 60, 150)], music: bed });

    const reductionAt = (seconds: number) =>
      levelOfTone(plain, 480, seconds, 0.05) - levelOfTone(left, 480, seconds, 0.05);
    const under = Array.from({ length: 29 }, (_, index) => reductionAt(2.02 + index / 10));
    // the music has -14.6 LUFS, and the voice -16
    expect([Math.min(...under) > 13.3, Math.max(...under) < 13.5]).toEqual([true, true]);
    for (const seconds of [0.1, 1, 1.6, 5.6, 7]) expect(Math.abs(reductionAt(seconds))).toBeLessThan(0.1);
    const ramps = Array.from({ length: 100 }, (_, index) => reductionAt(1.6 + index / 25));
    const steps = ramps.slice(1).map((reduction, index) => Math.abs(reduction - ramps[index]!));
    expect(Math.max(...steps)).toBeLessThan(4);
  });

  test.each([
    [0.005, 9],
    [1, 18],
  ])("music at a level of %d is lowered by %d dB", async (level, decibels) => {
    const bed = await recorded(`bed-${level}`, `${level}*sin(2*PI*480*t)`, 3);
    const source = await recorded("speaker", words(0.05), 3);
    const plain = (await mixOf(90, { voices: [], music: music(bed) })).left;
    const { left } = await mixOf(90, { voices: [voice(source, 0, 90)], music: music(bed) });
    const reduction = levelOfTone(plain, 480, 1, 1) - levelOfTone(left, 480, 1, 1);
    expect(Math.abs(reduction - decibels)).toBeLessThan(0.2);
  });

  test("music is not lowered by a silent voice, nor if it is not to be", async () => {
    const bed = await recorded("bed", "0.2*sin(2*PI*480*t)", 8);
    const silence = await recorded("silence", "0", 2);
    const speaker = await recorded("speaker", words(0.05), 3);
    const plain = levelOfTone((await mixOf(60, { voices: [], music: music(bed) })).left, 480, 0.5, 1);
    const underSilence = await mixOf(60, { voices: [voice(silence, 0, 60)], music: music(bed) });
    const steady = music(bed, { isDuckedByVoices: false });
    const underSpeaker = await mixOf(60, { voices: [voice(speaker, 0, 60)], music: steady });
    for (const { left } of [underSilence, underSpeaker]) {
      expect(Math.abs(levelOfTone(left, 480, 0.5, 1) - plain)).toBeLessThan(0.1);
    }
  });

  test("voices and music begin and end without steps, also where a voice is cut off", async () => {
    // waves that begin and end at their peaks
    const bed = await recorded("steep-bed", "0.4*cos(2*PI*100*t)", 2.005);
    const steep = await recorded("steep", "0.4*cos(2*PI*100*t)", 1.005);
    const short = await recorded("steep-short", "0.4*cos(2*PI*100*t)", 0.105);
    const voices = [voice(steep, 9, 27), voice(steep, 27, 58), voice(short, 70, 74)];
    const { left } = await mixOf(90, { voices, music: music(bed) });
    const steepest = (2 * Math.PI * 100) / 48_000;
    expect(largestStep(left)).toBeLessThan(steepest);
    expect(
      Math.max(...[27, 58, 70].map((frame) => Math.abs(left[toSamples(frame, { num: 30, den: 1 })]!))),
    ).toBeLessThan(0.1);
  });

  test("a beep of a tenth of a second is as loud as longer ones", async () => {
    const long = await recorded("long-beep", "0.02*sin(2*PI*960*t)", 1);
    const short = await recorded("short-beep", "0.02*sin(2*PI*960*t)", 0.1);
    const { left } = await mixOf(90, { voices: [voice(long, 0, 30), voice(short, 60, 63)] });
    expect(Math.abs(levelOfTone(left, 960, 2.02, 0.06) - levelOfTone(left, 960, 0.2, 0.6))).toBeLessThan(0.5);
  });

  test("each of 30 voices over a minute begins at the exact sample of its frame", async () => {
    const source = await recorded("click", "0.5*between(t,0.19999,0.2004)", 0.5);
    const starts = Array.from({ length: 30 }, (_, index) => 7 + index * 60);
    const voices = starts.map((start) => voice(source, start, start + 15, { isNormalized: false }));
    const { left } = await mixOf(1810, { voices }, 29.97);
    const rate = { num: 30_000, den: 1001 };
    const heard = starts.map((start) => {
      const from = toSamples(start, rate);
      return left.subarray(from, from + 24_000).findIndex((level) => level > 0.25);
    });
    expect(heard).toEqual(starts.map(() => 9600));
    expect(left.length).toBe(toSamples(1810, rate));
  });
});
