import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { diagnoseFailure } from "../../../src/engine/render/sources.ts";
import { foundFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { sourcePaths, timeline } from "../../support/media/timelines.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(testedFfmpegs)(
  "a full disk is diagnosed as storage_full, not as an unreadable source, with the $name ffmpeg",
  async ({ path }) => {
    const ffmpeg = await foundFfmpeg(path);
    const inputArgs = ["-f", "lavfi", "-i", "color=size=640x640:duration=1"];
    const command = { inputArgs, graph: "", outputArgs: ["-f", "rawvideo", "/dev/full"], writes: ["/dev/full"] };

    const error = await ffmpeg.run(command, { folder }).catch((failure) => failure);

    const edit = { timeline: timeline([]), files: sourcePaths, overlaySourcePath: sourcePaths.pathOf };
    const diagnosed = await diagnoseFailure(error, ffmpeg, { ...edit, folder });
    expect(diagnosed).toMatchObject({ code: "storage_full" });
  },
);
