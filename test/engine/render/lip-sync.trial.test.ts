import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { draw, lumaFrames, soundSamples, videoSource } from "../../support/media/draw-media.ts";
import { ffmpegs, foundFfmpeg, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { freeLeases } from "../../support/media/render-caches.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;

const name = "beeps.mp4";
const source = videoSource(name, { hasSound: true, durationSeconds: 76 }, { frameRate: 30 });

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  // a flash of three frames and a beep of a tenth of a second at each second
  const flashes = "color=c=black:s=64x36:r=30:d=76,format=yuv420p,geq=lum='if(lt(mod(N,30),3),235,16)':cb=128:cr=128";
  const beeps = "aevalsrc='0.7*sin(2*PI*1000*t)*lt(mod(t+0.00001,1),0.1)':s=48000:d=76";
  const encoding = ["-c:v", "libx264", "-g", "250", "-c:a", "aac"];
  await files.store({ path: await draw(`${folder}/${name}`, flashes, "-f", "lavfi", "-i", beeps, ...encoding) }, name);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The indices at which something begins, at least a quarter of a second after it began before. */
function beginnings(levels: ArrayLike<number>, least: number, apart: number): readonly number[] {
  const found: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < levels.length; index++) {
    if (Math.abs(levels[index]!) < least) continue;
    if (index - last > apart) found.push(index);
    last = index;
  }
  return found;
}

describe.each(ffmpegs())("with the $name ffmpeg", (build) => {
  test("a minute at 1.25 of its speed keeps its lips in sync to the frame", async () => {
    const cache = diskRenderCache(`${folder}/cache-${build.name}`, 2 ** 30);
    const renderer = ffmpegRenderer({
      ...{ ffmpeg: await foundFfmpeg(build.path), files, cache },
      ...{ leases: freeLeases, concurrency: 2 },
    });
    const edit = timeline([clip(source, 0, 1800, { speed: 1.25, sourceStartSeconds: 0.5 })]);
    const { signal } = new AbortController();
    const { videos, dispose } = await renderer.render([edit], {
      ...{ quality: "draft", owner: "user", projectId: "one", signal },
    });
    const { path } = videos[0]!;
    const frames = (await lumaFrames(build, path)).map(({ levels }) => levels[100]!);
    const seen = beginnings(frames, 128, 5);
    const samples = (await soundSamples(build, path)).filter((_, index) => index % 2 === 0);
    const heard = beginnings(samples, 0.25, 12_000);
    await dispose();
    const wanted = Array.from({ length: 75 }, (_, index) => (index + 0.5) * 24);
    expect(frames.length).toBe(1800);
    expect(seen).toEqual(wanted);
    expect(heard.length).toBe(wanted.length);
    const lateFrames = heard.map((at, index) => Math.abs((at / 48_000) * 30 - wanted[index]!));
    expect(Math.max(...lateFrames)).toBeLessThan(0.5);
  });
});
