import { afterAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { FfmpegError } from "../../../src/engine/ffmpeg/run.ts";
import { findSandbox } from "../../../src/engine/sandbox/sandbox.ts";
import { foundFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const { missing } = await findSandbox();

describe.each(testedFfmpegs)("the $name ffmpeg", ({ path }) => {
  test.skipIf(missing.includes("resource limits"))(
    "that has used its CPU time has failed, and is not busy",
    async () => {
      const ffmpeg = await foundFfmpeg(path);
      const endless = ["-f", "lavfi", "-i", "testsrc=size=64x36:rate=25"];
      const command = { inputArgs: endless, graph: "", outputArgs: ["-f", "null", "-"], writes: [] };
      const error = await ffmpeg.run(command, { folder, limits: { cpuSeconds: 1 } }).catch((error) => error);
      expect(error).toBeInstanceOf(FfmpegError);
    },
  );
});
