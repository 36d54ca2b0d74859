import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { toWav } from "../../../../src/engine/compiler/encoding.ts";
import { compileSound } from "../../../../src/engine/compiler/sound/sound.ts";
import { playedUntil } from "../../../../src/engine/motion/clip-time.ts";
import type { Keyframe } from "../../../../src/engine/timeline/motion.ts";
import type { Source } from "../../../../src/engine/timeline/source.ts";
import type { Clip } from "../../../../src/engine/timeline/track.ts";
import { draw, soundSamples, videoSource } from "../../../support/media/draw-media.ts";
import { runCommand, type TestFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";
import { clip, sourcePaths, timeline } from "../../../support/media/timelines.ts";
import { levelOfTone } from "../../../support/media/tones.ts";

let folder: string;
let beeping: Source;
let humming: Source;
let long: Source;

const sounding = async (name: string, expression: string, seconds: number): Promise<Source> => {
  const path = await draw(`${folder}/${name}.wav`, `aevalsrc='${expression}':s=48000:d=${seconds}`);
  return videoSource(path, { container: "wav", hasSound: true, durationSeconds: seconds });
};

beforeAll(async () => {
  folder = await temporaryFolder();
  // a beep of 60 ms at every half second
  beeping = await sounding("beeps", "0.7*sin(2*PI*1000*t)*lt(mod(t+0.00001,0.5),0.06)", 80);
  humming = await sounding("hum", "0.5*sin(2*PI*440*t)", 20);
  long = await sounding("long", "0.5*sin(2*PI*440*t)", 45);
});
afterAll(() => rm(folder, { recursive: true }));

const key = (at: number, value: number): Keyframe<number> => ({ at, value, easing: "linear" });

/** The left channel of a clip's sound. */
async function heard(ffmpeg: TestFfmpeg, only: Clip): Promise<Float32Array> {
  const { mix } = compileSound({ timeline: timeline([only]), files: sourcePaths }, folder);
  const output = `${folder}/mix.wav`;
  const [option, stream] = mix.command.outputArgs;
  await runCommand(ffmpeg, { ...mix.command, outputArgs: [option!, stream!, ...toWav(output)], writes: [output] });
  return (await soundSamples(ffmpeg, output)).filter((_, index) => index % 2 === 0);
}

/** The seconds at which beeps begin: after a pause. */
function beepsIn(samples: Float32Array, pauseSeconds: number): readonly number[] {
  const found: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, level] of samples.entries()) {
    if (Math.abs(level) < 0.25) continue;
    if ((index - last) / 48_000 > pauseSeconds) found.push(index / 48_000);
    last = index;
  }
  return found;
}

const largestStep = (samples: Float32Array): number =>
  samples.reduce((most, level, index) => Math.max(most, Math.abs(level - (samples[index - 1] ?? level))), 0);

const worstOf = (actual: readonly number[], wanted: readonly number[]): number =>
  actual.length === wanted.length
    ? Math.max(...actual.map((at, index) => Math.abs(at - wanted[index]!)))
    : Number.POSITIVE_INFINITY;

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test("a minute at 1.25 of its speed stays within five milliseconds", async () => {
    const samples = await heard(ffmpeg, clip(beeping, 0, 1800, { speed: 1.25, sourceStartSeconds: 0.25 }));
    expect(samples.length).toBe(60 * 48_000);
    const wanted = Array.from({ length: 150 }, (__, index) => (0.25 + index / 2) / 1.25);
    expect(worstOf(beepsIn(samples, 0.2), wanted)).toBeLessThan(0.005);
  });

  test.each([0.5, 0.8, 1.5, 2, 3])(
    "at a speed of %p beeps are where they belong, as high as they were",
    async (speed) => {
      const samples = await heard(ffmpeg, clip(beeping, 0, 180, { speed, sourceStartSeconds: 0.25 }));
      const count = Math.ceil((6 * speed - 0.25) * 2);
      const wanted = Array.from({ length: count }, (__, index) => (0.25 + index / 2) / speed);
      expect(worstOf(beepsIn(samples, 0.06), wanted)).toBeLessThan(0.015);
      const hum = await heard(ffmpeg, clip(humming, 0, 90, { speed, sourceStartSeconds: 1 }));
      // a second of a tone that is five cents off would be 14 decibels lower
      expect(levelOfTone(hum, 440, 1, 1)).toBeGreaterThan(-8);
    },
  );

  test("backwards, a beep ends where it began", async () => {
    const samples = await heard(ffmpeg, clip(beeping, 0, 60, { reverses: true, sourceStartSeconds: 0.25 }));
    expect(samples.length).toBe(2 * 48_000);
    // from 2.25 back to 0.25
    const wanted = [2, 1.5, 1, 0.5].map((start) => 2.25 - start - 0.06);
    expect(worstOf(beepsIn(samples, 0.2), wanted)).toBeLessThan(0.001);
  });

  test("a long clip backwards has no seam", async () => {
    const samples = await heard(ffmpeg, clip(long, 0, 1200, { reverses: true }));
    expect(samples.length).toBe(40 * 48_000);
    expect(largestStep(samples)).toBeLessThan(0.06);
  });

  test("a reversed part ends with the beginning of the source", async () => {
    const samples = await heard(ffmpeg, clip(beeping, 0, 27, { reverses: true, speed: 2 }));
    const wanted = [1.5, 1, 0.5, 0].map((start) => (1.8 - start - 0.06) / 2);
    expect(worstOf(beepsIn(samples, 0.1), wanted)).toBeLessThan(0.015);
  });

  test("a ramp is heard on its own clock, and a freeze is silent", async () => {
    const speed = [key(0, 1), key(1, 1), key(3, 2), key(4, 2), key(4, 0), key(5, 0), key(5, 1)];
    const samples = await heard(ffmpeg, clip(beeping, 0, 210, { speed, sourceStartSeconds: 0.25 }));
    const wanted = Array.from({ length: 210 * 10 }, (__, tick) => tick / 300).filter((at) => {
      const beepOf = (seconds: number) => Math.floor((playedUntil(speed, seconds) + 0.25) * 2 + 1e-6);
      return beepOf(at) > beepOf(at - 1 / 300);
    });
    expect(
      worstOf(
        beepsIn(samples, 0.08),
        wanted.filter((at) => at > 0),
      ),
    ).toBeLessThan(0.02);
    const hum = await heard(ffmpeg, clip(humming, 0, 210, { speed }));
    expect(hum.subarray(4.02 * 48_000, 4.98 * 48_000).every((level) => Math.abs(level) < 1e-4)).toBe(true);
    // no click: a sine of this height changes by less than this from sample to sample
    expect(largestStep(hum)).toBeLessThan(0.06);
  });
});
