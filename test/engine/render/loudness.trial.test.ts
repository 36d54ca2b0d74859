import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import type { Renderer } from "../../../src/engine/ports.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import type { SoundPiece } from "../../../src/engine/timeline/sound.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { audioSource, draw, drawColor, soundSamples, videoSource } from "../../support/media/draw-media.ts";
import { directFfmpeg, runFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { freeLeases, noRenderCache } from "../../support/media/render-caches.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let video: Source;

async function stored(name: string): Promise<string> {
  const path = `${folder}/${name}`;
  await files.store({ path }, name);
  return name;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  await drawColor(`${folder}/black.mp4`, "black", 30, "10");
  video = videoSource(await stored("black.mp4"), { durationSeconds: seconds });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const seconds = 3;
const fps = 10;

/** Typical user sounds with very different levels and dynamics. */
const sounds: Record<string, string> = {
  "a quiet voice": `aevalsrc='0.02*(0.2+abs(sin(2*PI*1.3*t)))*sin(2*PI*(180+40*sin(2*PI*0.7*t))*t)':s=48000:d=${seconds}`,
  "loud music": `aevalsrc='clip(1.6*sin(2*PI*110*t)+0.7*sin(2*PI*1760*t),-0.99,0.99)':s=48000:d=${seconds}`,
  "sharp hits over a hush": `aevalsrc='0.9*exp(-18*mod(t,0.7))*sin(2*PI*900*t)+0.01*sin(2*PI*300*t)':s=48000:d=${seconds}`,
  noise: `anoisesrc=d=${seconds}:a=0.5:seed=3:r=48000`,
};

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  let renderer: Renderer;
  beforeAll(async () => {
    const ffmpeg = await directFfmpeg(build.path);
    renderer = ffmpegRenderer({ ffmpeg, files, leases: freeLeases, cache: noRenderCache, concurrency: 2 });
  });

  const timelineWith = (pieces: readonly SoundPiece[]) =>
    timeline([clip(video, 0, seconds * fps)], { fps, sound: { pieces, isNormalized: true } });

  /** Renders a video, passes its path to `use`, and disposes of it. */
  async function withVideo<T>(pieces: readonly SoundPiece[], use: (path: string) => Promise<T>): Promise<T> {
    const { signal } = new AbortController();
    const { videos, dispose } = await renderer.render([timelineWith(pieces)], {
      quality: "draft",
      owner: "user",
      projectId: "one",
      signal,
    });
    return await use(videos[0]!.path).finally(dispose);
  }

  /** The final values of ffmpeg's loudness meter. */
  async function measureLoudness(path: string) {
    const meter = "ebur128=metadata=1:peak=true,ametadata=mode=print:file=-";
    const lines = new TextDecoder().decode(
      await runFfmpeg(build, ["-i", path, "-map", "0:a", "-af", meter, "-f", "null", "/dev/null"]),
    );
    const last = (key: string) =>
      Number(
        lines
          .split("\n")
          .findLast((line) => line.includes(key))!
          .split("=")[1],
      );
    const peak = Math.max(last("true_peaks_ch0"), last("true_peaks_ch1"));
    return { integrated: last("r128.I="), truePeak: 20 * Math.log10(peak) };
  }

  test.each(Object.entries(sounds))(
    "%s is normalized to the loudness of streaming platforms",
    async (name, drawing) => {
      const file = `${name.replaceAll(" ", "-")}.wav`;
      await draw(`${folder}/${file}`, drawing);
      const source = audioSource(await stored(file));
      const range = { start: 0, end: seconds * fps };
      const whole = { source, range, sourceStartSeconds: 0, volume: 1, fadeInFrames: 0, fadeOutFrames: 0 };

      const [{ integrated, truePeak }, samples] = await withVideo([whole], async (path) => [
        await measureLoudness(path),
        (await soundSamples(build, path)).length / 2,
      ]);

      expect(Math.abs(integrated + 14)).toBeLessThanOrEqual(0.5);
      expect(truePeak).toBeLessThanOrEqual(-1);
      // decoders output whole AAC frames of 1024 samples
      expect(samples).toBe(Math.ceil((seconds * 48_000) / 1024) * 1024);
    },
  );

  test("a silent video stays silent", async () => {
    const samples = await withVideo([], (path) => soundSamples(build, path));
    expect(samples.every((sample) => sample === 0)).toBe(true);
  });
});
