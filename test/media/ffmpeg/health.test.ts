import { afterAll, expect, spyOn, test } from "bun:test";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFfmpeg } from "../../../src/media/ffmpeg/ffmpeg.ts";
import { FfmpegError } from "../../../src/media/ffmpeg/run.ts";
import { requireDecodable } from "../../../src/media/inspect/sample.ts";
import { diagnoseFailure } from "../../../src/media/render/sources.ts";
import { videoSource } from "../../support/media/draw-media.ts";
import { breakableFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { clip, timeline } from "../../support/media/timelines.ts";
import { mp4 } from "../../support/uploads.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const { path, flag } = await breakableFfmpeg(folder, testedFfmpegs[0]!);
const ffmpeg = await findFfmpeg(path);
const source = videoSource("source", {});
const failure = new FfmpegError([], "", {});
const diagnose = () => {
  const files = { pathOf: () => join(folder, "damaged.mp4") };
  return diagnoseFailure(failure, ffmpeg, { timeline: timeline([clip(source, 0, 30)]), files, folder });
};
const inspect = () => {
  const makeFolder = async () => {
    const made = join(folder, crypto.randomUUID());
    await mkdir(made);
    return made;
  };
  return requireDecodable({ ffmpeg, makeFolder }, join(folder, "damaged.mp4"), source.facts);
};
await Bun.write(join(folder, "damaged.mp4"), (await (await mp4()).bytes()).slice(0, 600));

test("an ffmpeg that works finds the source that it cannot decode", async () => {
  expect(await ffmpeg.works()).toBe(true);
  await expect(inspect()).rejects.toMatchObject({ code: "unsupported_media_type" });
  expect(await diagnose()).toMatchObject({ code: "source_unreadable" });
});

test("a machine that has no time for it blames no source", async () => {
  using _ = spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new Error("late")));
  await expect(inspect()).rejects.toMatchObject({ code: "busy" });
});

test("one that renders nothing any more blames no source, and is known to be broken until it renders again", async () => {
  await writeFile(flag, "");
  // the last result counts for a while
  await ffmpeg.check();
  await expect(inspect()).rejects.toMatchObject({ code: "busy" });
  expect(await diagnose()).toMatchObject({ code: "busy", cause: failure });
  await expect(ffmpeg.check()).rejects.toThrow();

  await rm(flag);
  expect(await ffmpeg.works()).toBe(true);
  await ffmpeg.check();
});
