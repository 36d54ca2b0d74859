import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { compileSound } from "../../../../src/engine/compiler/sound/sound.ts";
import { soundKey } from "../../../../src/engine/render/cache-keys.ts";
import { measureLevels } from "../../../../src/engine/render/loudness/levels.ts";
import type { AddedSound, Sound } from "../../../../src/engine/timeline/sound.ts";
import type { Source } from "../../../../src/engine/timeline/source.ts";
import { audioSource, draw, soundSamples, videoSource } from "../../../support/media/draw-media.ts";
import { runCommand, type TestFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";
import { noRenderCache } from "../../../support/media/render-caches.ts";
import { clip, sourcePaths, timeline } from "../../../support/media/timelines.ts";
import { levelOfTone } from "../../../support/media/tones.ts";

let folder: string;
let clicks: Source;
let tone: Source;
let words: Source;
beforeAll(async () => {
  folder = await temporaryFolder();
  const drawn = async (name: string, expression: string, seconds: number) => {
    const path = `${folder}/${name}.wav`;
    await draw(path, `aevalsrc='${expression}':s=48000:d=${seconds}`, "-c:a", "pcm_f32le");
    return audioSource(path, { durationSeconds: seconds });
  };
  clicks = await drawn("clicks", "0.5*eq(mod(n,24000),0)", 2);
  tone = await drawn("tone", "0.25*sin(2*PI*1000*t)", 4);
  words = await drawn("words", "0.1*sin(2*PI*1920*t)*lt(mod(t,0.5),0.3)", 3);
});
afterAll(() => rm(folder, { recursive: true }));

const effect = (source: Source, start: number, end: number, more: Partial<AddedSound> = {}): AddedSound => ({
  ...{ role: "effect", source, range: { start, end }, sourceStartSeconds: 0, speed: 1, isRepeated: false, volume: 1 },
  ...{ fadeInSamples: 0, fadeOutSamples: 0 },
  // safe because the tests name the fields of each role
  ...(more as { role: "effect" }),
});

const editOf = (added: readonly AddedSound[], sound: Partial<Sound> = {}) =>
  timeline([clip(videoSource("silent"), 0, 120)], { sound: { pieces: [], isNormalized: true, added, ...sound } });

let mixes = 0;

/** The left channel of four seconds before it is mastered. */
async function mixOf(ffmpeg: TestFfmpeg, added: readonly AddedSound[], sound: Partial<Sound> = {}) {
  const mixFolder = `${folder}/${mixes++}`;
  await mkdir(mixFolder);
  const edit = editOf(added, sound);
  const run = (command: Parameters<typeof runCommand>[1]) => runCommand(ffmpeg, command);
  const measuring = { files: sourcePaths, folder: mixFolder, cache: noRenderCache, keyOf: () => "key", run };
  const levels = await measureLevels(edit, measuring);
  const { intermediates, mix } = compileSound({ timeline: edit, files: sourcePaths, levels }, mixFolder);
  for (const { command } of [...intermediates, mix]) await run(command);
  return (await soundSamples(ffmpeg, mix.output)).filter((_, index) => index % 2 === 0);
}

const heardAt = (samples: Float32Array) => [...samples.keys()].filter((at) => Math.abs(samples[at]!) > 0.1);
const rms = (samples: Float32Array, from: number, to: number) =>
  Math.sqrt(samples.subarray(from, to).reduce((sum, level) => sum + level * level, 0) / (to - from));
const decibels = (factor: number) => 20 * Math.log10(factor);

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test("a sound begins and ends at its samples, whatever the frames of the film", async () => {
    const samples = await mixOf(ffmpeg, [
      effect(clicks, 12_345, 12_345 + 60_000),
      effect(clicks, 100_001, 110_001, { sourceStartSeconds: 0.9 }),
    ]);
    expect(samples).toHaveLength(4 * 48_000);
    expect(heardAt(samples)).toEqual([12_345, 36_345, 60_345, 104_801]);
  });

  test("equal sounds give equal samples in every run", async () => {
    const added = [
      effect(tone, 100, 90_000, { speed: 0.7, fadeInSamples: 500 }),
      effect(words, 2_000, 150_000, { isRepeated: true, speed: 1.3 }),
      effect(clicks, 7, 48_000, { gains: [{ at: 0, value: 0.5, easing: "linear" }] }),
    ];
    expect(await mixOf(ffmpeg, added)).toEqual(await mixOf(ffmpeg, added));
  });

  test("a repeating sound has the period of its source", async () => {
    const samples = await mixOf(ffmpeg, [
      effect(clicks, 1_000, 145_000, { isRepeated: true, sourceStartSeconds: 1.25 }),
    ]);
    // one click 0.25 s after the start of each round of 0.75 s
    expect(heardAt(samples)).toEqual([0, 1, 2, 3].map((round) => 13_000 + round * 36_000));
  });

  test("fades lie inside of the sound, and keyframes of the volume are heard to a tenth of a decibel", async () => {
    const faded = await mixOf(ffmpeg, [
      effect(tone, 24_000, 120_000, { fadeInSamples: 48_000, fadeOutSamples: 24_000, volume: 0.5 }),
    ]);
    const plain = 0.125 / Math.SQRT2;
    expect(rms(faded, 0, 24_000)).toBe(0);
    expect(decibels(rms(faded, 47_520, 48_480) / plain)).toBeCloseTo(decibels(Math.SQRT1_2), 0);
    expect(decibels(rms(faded, 72_000, 96_000) / plain)).toBeCloseTo(0, 1);
    expect(decibels(rms(faded, 107_520, 108_480) / plain)).toBeCloseTo(decibels(Math.SQRT1_2), 0);
    expect(rms(faded, 120_001, 192_000)).toBe(0);
    const gains = [
      { at: 0, value: 0.2, easing: "linear" },
      { at: 2, value: 1.4, easing: "linear" },
    ];
    const keyed = await mixOf(ffmpeg, [effect(tone, 24_000, 168_000, { gains })]);
    for (const seconds of [0.25, 0.5, 1, 1.5, 1.9, 2.5]) {
      const at = 24_000 + seconds * 48_000;
      const wanted = (0.25 / Math.SQRT2) * (0.2 + 0.6 * Math.min(2, seconds));
      expect(Math.abs(decibels(rms(keyed, at - 480, at + 480) / wanted))).toBeLessThan(0.1);
    }
  });

  test.each([0.1, 0.5, 0.8, 1.5, 2, 3.7])("a speed of %p keeps the pitch and the length", async (speed) => {
    const length = Math.min(4 / speed, 3.5);
    const samples = await mixOf(ffmpeg, [effect(tone, 4_800, 4_800 + Math.round(length * 48_000), { speed })]);
    const last = Math.round((0.1 + length) * 48_000);
    const middle = samples.subarray(9_600, last - 9_600);
    // rising crossings of zero
    const crossings = [...middle.keys()].filter((at) => at > 0 && middle[at - 1]! < 0 && middle[at]! >= 0);
    const periods = crossings.slice(1).map((at, index) => at - crossings[index]!);
    const period = periods.toSorted((one, other) => one - other)[periods.length >> 1]!;
    expect(Math.abs(period - 48)).toBeLessThanOrEqual(0.5);
    expect(levelOfTone(middle, 1000, 0, middle.length / 48_000)).toBeGreaterThan(decibels(0.25) - 2);
    expect(rms(samples, last - 2_400, last - 480)).toBeGreaterThan(0.1);
    expect(rms(samples, last, samples.length)).toBe(0);
  });

  test("voices are brought to one loudness and lower the music, effects do neither", async () => {
    const music = effect(tone, 0, 192_000, { role: "music", isDucked: false, isDuckedByVoices: true, volume: 0.3 });
    const said = effect(words, 48_000, 144_000, { role: "voice", isNormalized: true });
    const alone = await mixOf(ffmpeg, [music]);
    const withVoice = await mixOf(ffmpeg, [music, said]);
    const withEffect = await mixOf(ffmpeg, [music, effect(words, 48_000, 144_000)]);
    const musicIn = (samples: Float32Array) => levelOfTone(samples, 1000, 1.6, 0.2);
    expect(musicIn(withVoice) - musicIn(alone)).toBeLessThan(-8.5);
    expect(musicIn(withEffect) - musicIn(alone)).toBeCloseTo(0, 1);
    expect(levelOfTone(withVoice, 1000, 0.1, 0.4)).toBeCloseTo(levelOfTone(alone, 1000, 0.1, 0.4), 1);
    const voiceIn = (samples: Float32Array) => levelOfTone(samples, 1920, 1.51, 0.28);
    const louder = effect(words, 48_000, 144_000, { role: "voice", isNormalized: true, volume: 2 });
    expect(voiceIn(await mixOf(ffmpeg, [music, louder])) - voiceIn(withVoice)).toBeCloseTo(decibels(2), 1);
    expect(voiceIn(withVoice) - voiceIn(withEffect)).toBeGreaterThan(3);
  });

  test("voices lower the effects that ask for it, also without music", async () => {
    const said = effect(words, 96_000, 190_000, { role: "voice", isNormalized: true });
    const lowered = effect(tone, 0, 192_000, { isDuckedByVoices: true, volume: 0.3 });
    const samples = await mixOf(ffmpeg, [lowered, effect(tone, 0, 4_800), said]);
    const level = (from: number) => levelOfTone(samples, 1000, from, 0.2);
    expect(level(3) - level(1)).toBeLessThan(-8.5);
    expect(levelOfTone(samples, 1000, 0, 0.09)).toBeGreaterThan(level(1) + 6);
  });

  test("clips with sound lower the music if it is ducked", async () => {
    const music = (isDucked: boolean) =>
      effect(tone, 0, 192_000, { role: "music", isDucked, isDuckedByVoices: false, volume: 0.3 });
    const range = { start: 30, end: 90 };
    const pieces = [{ source: words, range, sourceStartSeconds: 0, volume: 4, fadeInFrames: 0, fadeOutFrames: 0 }];
    const ducked = await mixOf(ffmpeg, [music(true)], { pieces });
    const free = await mixOf(ffmpeg, [music(false)], { pieces });
    const musicIn = (samples: Float32Array) => levelOfTone(samples, 1000, 2.5, 0.3);
    expect(musicIn(ducked) - musicIn(free)).toBeLessThan(-6);
  });
});

test("the key of the sound changes with what is heard and with nothing else", () => {
  const scope = { projectId: "one", ffmpegVersion: "5.1", textEngine: "skia" };
  const key = (...added: readonly AddedSound[]) => soundKey(editOf(added), scope);
  const plain = effect(tone, 0, 48_000);
  const elsewhere = { ...tone, file: "elsewhere" };
  expect(key(effect(elsewhere, 0, 48_000))).toBe(key(plain));
  const others: readonly AddedSound[] = [
    effect(tone, 1, 48_000),
    effect(tone, 0, 48_001),
    effect(tone, 0, 48_000, { volume: 0.5 }),
    effect(tone, 0, 48_000, { speed: 1.01 }),
    effect(tone, 0, 48_000, { isRepeated: true }),
    effect(tone, 0, 48_000, { sourceStartSeconds: 0.1 }),
    effect(tone, 0, 48_000, { fadeInSamples: 10 }),
    effect(tone, 0, 48_000, { fadeOutSamples: 200 }),
    effect(tone, 0, 48_000, { gains: [{ at: 0, value: 2, easing: "linear" }] }),
    effect(tone, 0, 48_000, { role: "music", isDucked: false, isDuckedByVoices: true }),
    effect(tone, 0, 48_000, { role: "voice", isNormalized: false }),
    effect(tone, 0, 48_000, { role: "voice", isNormalized: true }),
  ];
  const keys = [key(), key(plain), ...others.map((other) => key(other))];
  expect(new Set(keys).size).toBe(keys.length);
});
