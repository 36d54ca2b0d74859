import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileSegment, compileTasks } from "../../../src/engine/compiler/compile.ts";
import { encoderFeatures } from "../../../src/engine/ffmpeg/encoder-features.ts";
import { encodingFor } from "../../../src/engine/render/encodings.ts";
import { draw, lumaFrames, videoSource } from "../../support/media/draw-media.ts";
import { runCommand, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { clip, sourcePaths, timeline } from "../../support/media/timelines.ts";

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  // grain and a change of scene: the encoder's decisions depend on what it has seen
  const scenes = "testsrc2=s=160x90:r=30:d=1,noise=alls=8:allf=t,format=yuv420p";
  await draw(`${folder}/first.mp4`, scenes);
  await draw(`${folder}/second.mp4`, `${scenes},hflip,negate`);
});
afterAll(() => rm(folder, { recursive: true }));

const canvas = { width: 160, height: 90 };
const ranges = [0, 15, 30, 45].map((start) => ({ start, end: Math.min(start + 15, 51) }));

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  test.each(["draft", "standard"] as const)(
    "a segment of a run has the frames that it has alone, in %s",
    async (quality) => {
      const source = (name: string) => videoSource(`${folder}/${name}.mp4`, { ...canvas, durationSeconds: 1 });
      const edit = timeline([clip(source("first"), 0, 25), clip(source("second"), 25, 51)], { canvas });
      const encoding = { ...encodingFor(quality), cpuFeatures: encoderFeatures() };
      const common = { timeline: edit, overlays: [], files: sourcePaths, encoding };

      const pattern = `${folder}/${build.name}-${quality}-%d.mp4`;
      await runCommand(build, compileTasks([{ task: { ...common, segments: ranges }, output: { pattern, first: 7 } }]));

      const framesOf = async (path: string) =>
        (await lumaFrames(build, path, canvas)).map(({ levels }) => Bun.hash(levels));
      for (const [index, range] of ranges.entries()) {
        const alone = `${folder}/${build.name}-${quality}-alone-${index}.mp4`;
        await runCommand(build, compileSegment({ ...common, range }, alone));
        const frames = await framesOf(pattern.replace("%d", `${7 + index}`));
        expect(frames).toHaveLength(range.end - range.start);
        expect([index, frames]).toEqual([index, await framesOf(alone)]);
      }
    },
  );
});
