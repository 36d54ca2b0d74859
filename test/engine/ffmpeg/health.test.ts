import { afterAll, expect, spyOn, test } from "bun:test";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFfmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { FfmpegError, requireFrames } from "../../../src/engine/ffmpeg/run.ts";
import { requireDecodable } from "../../../src/engine/inspect/sample.ts";
import { diagnoseFailure } from "../../../src/engine/render/sources.ts";
import { DomainError } from "../../../src/errors.ts";
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
const diagnose = (error: unknown = failure) => {
  const pathOf = () => join(folder, "damaged.mp4");
  const edit = { timeline: timeline([clip(source, 0, 30)]), files: { pathOf }, overlaySourcePath: pathOf };
  return diagnoseFailure(error, ffmpeg, { ...edit, folder });
};
const inspect = (tool = ffmpeg) => {
  const makeFolder = async () => {
    const made = join(folder, crypto.randomUUID());
    await mkdir(made);
    return made;
  };
  return requireDecodable({ ffmpeg: tool, makeFolder }, join(folder, "damaged.mp4"), source.facts);
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
  // of what reads the files that it should have written
  const consequence = new Error("An MP4 file is incomplete.");
  expect(await diagnose(consequence)).toMatchObject({ code: "busy", cause: consequence });
  await expect(ffmpeg.check()).rejects.toThrow();

  await rm(flag);
  expect(await ffmpeg.works()).toBe(true);
  await ffmpeg.check();
  expect(await diagnose(consequence)).toBe(consequence);
  const explained = new DomainError("storage_full", {});
  expect(await diagnose(explained)).toBe(explained);
});

test("one that ends with 0 and has done nothing has failed", async () => {
  const silent = await breakableFfmpeg(folder, testedFfmpegs[0]!, 0);
  const ffmpeg = await findFfmpeg(silent.path);
  await writeFile(flag, "");
  // it would have no pictures
  await expect(inspect(ffmpeg)).rejects.toMatchObject({ code: "busy" });
  expect(await ffmpeg.works()).toBe(false);
  await rm(flag);
});

test("fewer frames than expected are a failure of ffmpeg, for which a source may be to blame", async () => {
  const error = await (async () => requireFrames({ frames: 3 }, 4))().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FfmpegError);
  expect(await diagnose(error)).toMatchObject({ code: "source_unreadable" });
});
