import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileSegment } from "../../../../src/engine/compiler/compile.ts";
import { toWav } from "../../../../src/engine/compiler/encoding.ts";
import { compileSound } from "../../../../src/engine/compiler/sound/sound.ts";
import { joinVideo } from "../../../../src/engine/mp4/join.ts";
import type { Music, SoundPiece } from "../../../../src/engine/timeline/sound.ts";
import type { Container, Source } from "../../../../src/engine/timeline/source.ts";
import { toSamples } from "../../../../src/engine/timeline/time.ts";
import type { Timeline } from "../../../../src/engine/timeline/timeline.ts";
import { audioSource, draw, lumaFrames, soundSamples, videoSource } from "../../../support/media/draw-media.ts";
import { runCommand, type TestFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";
import { clip, fastEncoding, sourcePaths, timeline } from "../../../support/media/timelines.ts";
import { levelOfTone } from "../../../support/media/tones.ts";

let folder: string;
let clicking: Source;
let quiet: Source;

/** A click at every half second. */
const clicks = (seconds: number, rate = 48_000) =>
  `aevalsrc='0.8*lt(mod(t+0.00001,0.5),0.0004)':s=${rate}:d=${seconds}`;

/** A tone at -6 dB. */
const tone = (seconds: number) => `aevalsrc='0.5*sin(2*PI*480*t)':s=48000:d=${seconds}`;

beforeAll(async () => {
  folder = await temporaryFolder();
  // one white frame at each click
  const flashes = "color=c=black:s=64x36:r=30:d=3,format=yuv420p,geq=lum='if(mod(N,15),16,235)':cb=128:cr=128";
  const path = `${folder}/clicking.mp4`;
  await draw(path, flashes, "-f", "lavfi", "-i", clicks(3, 44_100), "-c:v", "libx264", "-c:a", "aac");
  clicking = videoSource(path, { hasSound: true, durationSeconds: 3 });
  quiet = videoSource(path);
});
afterAll(() => rm(folder, { recursive: true }));

async function soundOf(ffmpeg: TestFfmpeg, edit: Timeline): Promise<{ path: string; left: Float32Array }> {
  const { intermediates, mix } = compileSound({ timeline: edit, files: sourcePaths }, folder);
  for (const { command } of intermediates) await runCommand(ffmpeg, command);
  await runCommand(ffmpeg, mix.command);
  const both = await soundSamples(ffmpeg, mix.output);
  return { path: mix.output, left: both.filter((_, index) => index % 2 === 0) };
}

/** The left channel before it is encoded, which takes longer than all else. */
async function mixOf(ffmpeg: TestFfmpeg, edit: Timeline): Promise<Float32Array> {
  const { intermediates, mix } = compileSound({ timeline: edit, files: sourcePaths }, folder);
  const output = `${folder}/mix.wav`;
  const [option, stream] = mix.command.outputArgs;
  const toMix = { ...mix.command, outputArgs: [option!, stream!, ...toWav(output)], writes: [output] };
  for (const command of [...intermediates.map(({ command }) => command), toMix]) await runCommand(ffmpeg, command);
  return (await soundSamples(ffmpeg, output)).filter((_, index) => index % 2 === 0);
}

/** The times of the clicks in milliseconds. */
function clicksIn(samples: Float32Array): number[] {
  const found: number[] = [];
  let index = samples.findIndex((level) => Math.abs(level) > 0.2);
  while (index >= 0 && index < samples.length) {
    const peak = samples.subarray(index, index + 100).reduce((best, level) => Math.max(best, Math.abs(level)), 0);
    found.push((index + samples.subarray(index).findIndex((level) => Math.abs(level) === peak)) / 48);
    const next = samples.subarray(index + 4800).findIndex((level) => Math.abs(level) > 0.2);
    index = next < 0 ? samples.length : index + 4800 + next;
  }
  return found;
}

const loudness = (samples: Float32Array, startSeconds: number, endSeconds: number) => {
  const part = samples.subarray(startSeconds * 48_000, endSeconds * 48_000);
  return Math.sqrt(part.reduce((sum, level) => sum + level * level, 0) / part.length);
};

const expectClicks = (actual: readonly number[], wanted: readonly number[]) => {
  expect(actual.map(Math.round)).toHaveLength(wanted.length);
  for (const [index, at] of wanted.entries()) expect(Math.abs(actual[index]! - at)).toBeLessThan(3);
};

const withPieces = (pieces: readonly SoundPiece[], frames: number, music?: Music) =>
  timeline([clip(quiet, 0, frames)], { sound: { pieces, ...(music && { music }) } });

const piece = (source: Source, start: number, end: number, more: Partial<SoundPiece> = {}): SoundPiece => ({
  source,
  range: { start, end },
  sourceStartSeconds: 0,
  volume: 1,
  fadeInFrames: 0,
  fadeOutFrames: 0,
  ...more,
});

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test("each click is heard with its flash, over 30 clips", async () => {
    // each clip starts a tenth of a second before a flash of its source
    const clips = Array.from({ length: 30 }, (_, index) =>
      clip(clicking, index * 5, index * 5 + 5, { sourceStartSeconds: 0.4 + 0.5 * (index % 5) }),
    );
    const edit = timeline(clips, { fps: 29.97 });
    const { path: sound, left } = await soundOf(ffmpeg, edit);
    const segments = await Promise.all(
      [0, 1, 2].map(async (index) => {
        const range = { start: index * 50, end: index * 50 + 50 };
        const path = `${folder}/${ffmpeg.name}-${index}.mp4`;
        const segment = { timeline: edit, range, overlays: [], files: sourcePaths, encoding: fastEncoding };
        await runCommand(ffmpeg, compileSegment(segment, path));
        return { path, frames: 50 };
      }),
    );
    const path = `${folder}/${ffmpeg.name}-export.mp4`;
    await joinVideo({ segments, sound, rate: edit.rate, signal: new AbortController().signal }, path);

    const frameMilliseconds = 1001 / 30;
    const frames = await lumaFrames(ffmpeg, path);
    const flashes = frames.flatMap(({ levels }, frame) => (levels[0]! > 128 ? [frame * frameMilliseconds] : []));
    const heard = clicksIn((await soundSamples(ffmpeg, path)).filter((_, index) => index % 2 === 0));
    expect(frames).toHaveLength(150);
    expect(flashes).toHaveLength(30);
    expectClicks(clicksIn(left), heard);
    for (const [index, flash] of flashes.entries()) {
      // a click is exactly a tenth of a second after the start of its clip
      expect(Math.abs(heard[index]! - (index * 5 * frameMilliseconds + 100))).toBeLessThan(1);
      expect(Math.abs(heard[index]! - flash)).toBeLessThan(frameMilliseconds);
    }
  });

  test("a hard cut makes no step, and a cut that goes on in its source changes no sample", async () => {
    const path = await draw(`${folder}/steep.wav`, "aevalsrc='0.4*cos(2*PI*100*t)':s=48000:d=3", "-c:a", "pcm_f32le");
    const steep = audioSource(path, { durationSeconds: 3 });
    const cutAt = (sourceStartSeconds: number) =>
      mixOf(ffmpeg, timeline([clip(steep, 0, 25), clip(steep, 25, 50, { sourceStartSeconds })]));
    const largestStep = (samples: Float32Array) =>
      samples.reduce((most, level, at) => Math.max(most, Math.abs(level - (samples[at - 1] ?? 0))), 0);
    // half a wave later
    expect(largestStep(await cutAt(25 / 30 + 0.005))).toBeLessThan((2 * Math.PI * 100) / 48_000);
    expect(await cutAt(25 / 30)).toEqual(await mixOf(ffmpeg, timeline([clip(steep, 0, 50)])));
  });

  test.each<[string, Container]>([
    ["wav", "wav"],
    ["mp3", "mp3"],
    ["flac", "flac"],
    ["ogg", "ogg"],
    ["m4a", "mp4"],
    ["mkv", "matroska"],
  ])("a piece of a %s file starts at the exact sample", async (extension, container) => {
    const path = await draw(`${folder}/piece.${extension}`, clicks(3, 44_100));
    const edit = withPieces([piece(audioSource(path, { container }), 30, 90, { sourceStartSeconds: 1.3 })], 100);
    expectClicks(clicksIn((await soundOf(ffmpeg, edit)).left), [1200, 1700, 2200]);
  });

  test("the sound has the duration of the video to the sample", async () => {
    const edit = timeline([clip(clicking, 0, 31)], { fps: 29.97 });
    const { path } = await soundOf(ffmpeg, edit);
    const bytes = await Bun.file(path).bytes();
    // the duration in the media header of the only track, at 48,000 ticks per second
    const header = Buffer.from(bytes).indexOf("mdhd");
    const view = new DataView(bytes.buffer, bytes.byteOffset + header + 4);
    expect(view.getUint32(12)).toBe(48_000);
    expect(Math.abs(view.getUint32(16) - toSamples(31, edit.rate))).toBeLessThanOrEqual(1024);
  });

  test("silent clips give a silent track, and so does sound past the end of its source", async () => {
    expect(loudness((await soundOf(ffmpeg, timeline([clip(quiet, 0, 30)]))).left, 0, 1)).toBe(0);
    const past = timeline([clip(clicking, 0, 30, { sourceStartSeconds: 50 })]);
    expect(loudness((await soundOf(ffmpeg, past)).left, 0, 1)).toBe(0);
  });

  test("a crossfade keeps its power, and mixing does not lower the level", async () => {
    const noise = async (seed: number) =>
      audioSource(await draw(`${folder}/noise-${seed}.wav`, `anoisesrc=d=3:a=0.2:seed=${seed}:r=48000`));
    const first = await noise(1);
    const second = await noise(2);
    const left = await mixOf(
      ffmpeg,
      withPieces([piece(first, 0, 50, { fadeOutFrames: 20 }), piece(second, 30, 80, { fadeInFrames: 20 })], 80),
    );
    const before = loudness(left, 0.2, 0.9);
    expect(Math.abs(loudness(left, 1.1, 1.6) / before - 1)).toBeLessThan(0.05);
    expect(Math.abs(loudness(left, 1.8, 2.5) / before - 1)).toBeLessThan(0.05);
  });

  test("peaks are limited, and quiet sound keeps its level", async () => {
    const source = audioSource(await draw(`${folder}/tone.wav`, tone(3)));
    const single = piece(source, 0, 60);
    const loud = piece(source, 0, 60, { volume: 4 });
    const plain = await mixOf(ffmpeg, withPieces([single], 60));
    expect(Math.abs(loudness(plain, 0.5, 1.5) - 0.5 / Math.SQRT2)).toBeLessThan(0.02);
    const limited = await mixOf(ffmpeg, withPieces([loud, single], 60));
    expect(limited.subarray(4800, 90_000).reduce((peak, level) => Math.max(peak, Math.abs(level)), 0)).toBeLessThan(1);
  });

  test("a loud tone does not flutter", async () => {
    const source = audioSource(await draw(`${folder}/tone.wav`, tone(3)));
    const { left } = await soundOf(ffmpeg, withPieces([piece(source, 0, 60, { volume: 1.5 })], 60));
    const moments = Array.from({ length: 30 }, (_, index) => 0.2 + index * 0.05);
    const levels = moments.map((start) => (loudness(left, start, start + 0.05) * Math.SQRT2) / 0.75);
    expect(Math.min(...levels)).toBeGreaterThan(0.97);
    expect(Math.max(...levels)).toBeLessThan(1.03);
  });

  test("mono keeps its level on both sides", async () => {
    const source = audioSource(await draw(`${folder}/mono.wav`, tone(2), "-ac", "1"));
    await soundOf(ffmpeg, withPieces([piece(source, 0, 60)], 60));
    const both = await soundSamples(ffmpeg, `${folder}/sound.mp4`);
    const right = both.filter((_, index) => index % 2 === 1);
    expect(Math.abs(loudness(right, 0.5, 1.5) - 0.5 / Math.SQRT2)).toBeLessThan(0.02);
  });

  test.each<[string, Container]>([
    ["mp3", "mp3"],
    ["m4a", "mp4"],
    ["wav", "wav"],
  ])("music from %s loops without a gap, fades, and ends with the video", async (extension, container) => {
    const path = await draw(`${folder}/loop.${extension}`, tone(1));
    const source = audioSource(path, { container, durationSeconds: 1 });
    const music = { source, volume: 0.5, loop: true, fadeInFrames: 15, fadeOutFrames: 30 };
    const left = await mixOf(ffmpeg, withPieces([], 120, music));
    const full = 0.25 / Math.SQRT2;
    expect(loudness(left, 0, 0.05)).toBeLessThan(full / 4);
    for (const second of [0.6, 1.1, 1.6, 2.1, 2.6]) {
      expect(Math.abs(loudness(left, second, second + 0.3) / full - 1)).toBeLessThan(0.12);
    }
    expect(loudness(left, 3.9, 4)).toBeLessThan(full / 4);
  });

  test("music that does not loop fades out before its own end", async () => {
    const source = audioSource(await draw(`${folder}/once.wav`, tone(1)), { durationSeconds: 1 });
    const left = await mixOf(
      ffmpeg,
      withPieces([], 90, { source, volume: 1, loop: false, fadeInFrames: 0, fadeOutFrames: 15 }),
    );
    expect(loudness(left, 0.1, 0.4)).toBeGreaterThan(0.32);
    expect(loudness(left, 0.9, 0.99)).toBeLessThan(0.15);
    expect(loudness(left, 1.2, 2.9)).toBe(0);
  });

  test("sound that begins late in Matroska stays beside its picture", async () => {
    const path = `${folder}/late.mkv`;
    const sound = ["-itsoffset", "0.7", "-f", "lavfi", "-i", clicks(2, 44_100), "-c:a", "aac"];
    await draw(path, "testsrc=s=64x36:r=30:d=3", ...sound, "-c:v", "libx264", "-bf", "2");
    const facts = { hasSound: true, container: "matroska", sound: { startSeconds: 0.68 } } as const;
    const left = await mixOf(ffmpeg, withPieces([piece(videoSource(path, facts), 0, 60)], 60));
    expect(Math.abs(clicksIn(left).find((at) => at > 1100)! - 1200)).toBeLessThan(25);
  });

  test("tracks of one side each are one sound", async () => {
    const path = `${folder}/sides.mov`;
    const inputs = [440, 1200].flatMap((hertz) => ["-f", "lavfi", "-i", `sine=frequency=${hertz}:r=48000:d=1`]);
    const sides = "[1]pan=FL|c0=c0[l];[2]pan=FR|c0=c0[r]";
    const maps = ["-map", "0:v", "-map", "[l]", "-map", "[r]", "-c:a", "pcm_s16le"];
    await draw(path, "color=s=64x36:r=30:d=1", ...inputs, "-filter_complex", sides, ...maps);
    const source = videoSource(path, { hasSound: true, sound: { sides: [0, 1] } });
    const { path: mixed } = await soundOf(ffmpeg, withPieces([piece(source, 0, 30)], 30));
    const both = await soundSamples(ffmpeg, mixed);
    const [left, right] = [0, 1].map((side) => both.filter((_, index) => index % 2 === side));
    expect(levelOfTone(left!, 440, 0.2, 0.6)).toBeCloseTo(levelOfTone(right!, 1200, 0.2, 0.6), 0);
    expect(levelOfTone(left!, 440, 0.2, 0.6)).toBeGreaterThan(-25);
    expect([levelOfTone(left!, 1200, 0.2, 0.6), levelOfTone(right!, 440, 0.2, 0.6)].every((level) => level < -60)).toBe(
      true,
    );
  });

  test("the center of five channels keeps its loudness, and loud channels together stay below full scale", async () => {
    const surround = async (name: string, layout: string) => {
      const path = await draw(`${folder}/${name}.wav`, tone(1), "-af", `pan=5.1|${layout}`);
      const source = audioSource(path, { sound: { channels: 6 } });
      return await mixOf(ffmpeg, withPieces([piece(source, 0, 30)], 30));
    };
    expect(levelOfTone(await surround("center", "FC=c0"), 480, 0.2, 0.6)).toBeCloseTo(-6 - 3, 0);
    const all = await surround("all", "FL=c0|FR=c0|FC=c0|BL=c0|BR=c0");
    expect(all.every((level) => Math.abs(level) <= 0.96)).toBe(true);
  });

  test("ducked music falls by at least 9 dB under clips, recovers smoothly, and is unchanged elsewhere", async () => {
    const source = audioSource(await draw(`${folder}/bed.wav`, tone(9)), { durationSeconds: 9 });
    const voices = await Promise.all(
      [0.7, 0.05].map(async (level) =>
        audioSource(await draw(`${folder}/voice-${level}.wav`, `aevalsrc='${level}*sin(2*PI*1920*t)':s=48000:d=2`)),
      ),
    );
    const pieces = [piece(voices[0]!, 30, 60), piece(voices[1]!, 165, 195)];
    const music = { source, volume: 0.2, loop: false, fadeInFrames: 0, fadeOutFrames: 0 };
    const plain = await mixOf(ffmpeg, withPieces(pieces, 270, music));
    const left = await mixOf(ffmpeg, withPieces(pieces, 270, { ...music, isDucked: true }));

    const reductionAt = (seconds: number) =>
      levelOfTone(plain, 480, seconds, 0.1) - levelOfTone(left, 480, seconds, 0.1);
    for (const seconds of [0.1, 0.8, 4.6, 5.2, 8.5]) expect(Math.abs(reductionAt(seconds))).toBeLessThan(0.2);
    for (const seconds of [1.15, 1.4, 1.85, 5.8, 6.3]) expect(reductionAt(seconds)).toBeGreaterThan(9);
    const release = Array.from({ length: 26 }, (_, index) => reductionAt(2 + index / 10));
    const steps = release.slice(1).map((reduction, index) => release[index]! - reduction);
    expect([Math.min(...steps) > -0.3, Math.max(...steps) < 2.5, release.at(-1)! < 0.5]).toEqual([true, true, true]);
    expect(left.length).toBe(plain.length);
    expect(Math.abs(levelOfTone(left, 1920, 1.4, 0.1) - levelOfTone(plain, 1920, 1.4, 0.1))).toBeLessThan(0.2);
  });
});
