import { afterAll, expect, test } from "bun:test";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { ffmpegSoundMeter } from "../../../src/engine/analysis/sound-meter.ts";
import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import type { TaskPool } from "../../../src/engine/sandbox/task-pool.ts";
import { audioSource } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { freeLeases } from "../../support/media/render-caches.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true }));

const entries = new Map<string, string>();
let decoded = 0;
let searched = 0;

const meter = ffmpegSoundMeter({
  leases: freeLeases,
  files: {
    jobFolder: () => mkdtemp(join(folder, "job-")),
    linkTo: async (_, path) => void (await Bun.write(path, "")),
  },
  cache: {
    linkTo: async (key, path) => {
      const known = entries.get(key);
      if (known) await copyFile(known, path);
      return known !== undefined;
    },
    put: async (parts) => {
      for (const { key, path } of parts) {
        const kept = join(folder, crypto.randomUUID());
        await copyFile(path, kept);
        entries.set(key, kept);
      }
    },
  },
  // safe because the meter uses these parts only
  ffmpeg: {
    version: "test",
    run: async (_: unknown, { onOutput }: { onOutput?: (bytes: Uint8Array) => void }) => {
      decoded += 1;
      onOutput?.(new Uint8Array(Int16Array.of(100, -100, 300, -300).buffer));
    },
  } as unknown as Ffmpeg,
  canvas: {
    run: async () => {
      searched += 1;
      return { bpm: 120, beats: [0.5], confidence: 1 };
    },
  } as unknown as TaskPool,
});

const source = audioSource("sound.wav", { durationSeconds: 1 });
const options = { owner: "ann", projectId: "one" };

test("a sound is decoded once for all waveforms, at the same time too", async () => {
  const [first, second] = await Promise.all([
    meter.waveform(source, { ...options, points: 1 }),
    meter.waveform({ ...source, file: "elsewhere" }, { ...options, points: 2 }),
  ]);
  expect(first?.peaks).toEqual([[-0.0092, 0.0092]]);
  expect(second?.peaks).toEqual([
    [-0.0031, 0.0031],
    [-0.0092, 0.0092],
  ]);
  await meter.waveform(source, { ...options, points: 3 });
  expect(decoded).toBe(1);
  await meter.waveform(source, { ...options, projectId: "other", points: 3 });
  expect(decoded).toBe(2);
});

test("beats are found once for each given tempo", async () => {
  for (const bpm of [undefined, 60, undefined, 60]) await meter.beats(source, { ...options, bpm });
  expect(searched).toBe(2);
});
