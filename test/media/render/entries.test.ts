import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { sharedCanvasProcesses } from "../../../src/media/canvas/processes.ts";
import { entryPoints } from "../../../src/media/entries/build.ts";
import { type Prepared, preparedMedia } from "../../../src/media/prepared/prepared.ts";
import { quietTimes } from "../../../src/media/prepared/quiet-times.ts";
import { ffmpegRenderer } from "../../../src/media/render/renderer.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { drawNumbers, lumaFrames, videoSource } from "../../helpers/media/draw-media.ts";
import { foundFfmpeg, temporaryFolder, testedFfmpegs } from "../../helpers/media/ffmpeg.ts";
import { freeLeases } from "../../helpers/media/render-caches.ts";
import { clip, timeline } from "../../helpers/media/timelines.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  await drawNumbers(`${folder}/film.mp4`, { first: 9_000, frames: 150 }, "-g", "999");
  await files.store({ path: `${folder}/film.mp4` }, "film.mp4");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Begins four seconds after the only keyframe. */
const edit = timeline([clip(videoSource("film.mp4", { durationSeconds: 5 }), 0, 30, { sourceStartSeconds: 4 })], {
  fps: 30,
});

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  const cache = () => diskRenderCache(`${folder}/cache-${crypto.randomUUID()}`, 2 ** 30);

  test("an export has the same frames before and after entry points are prepared", async () => {
    const ffmpeg = await foundFfmpeg(build.path);
    const entries = entryPoints({ ffmpeg, canvas: sharedCanvasProcesses(), minWork: 100 });
    const built = preparedMedia({ kinds: [entries], files, cache: cache(), ffmpeg, quiet: quietTimes(1) });
    const found: boolean[] = [];
    const linkTo: Prepared["linkTo"] = async (...link) => {
      const isThere = await built.linkTo(...link);
      found.push(isThere);
      return isThere;
    };
    const commands: string[] = [];
    const run: typeof ffmpeg.run = (command, options) => {
      commands.push(command.inputArgs.join(" "));
      return ffmpeg.run(command, options);
    };
    const exportFrames = async () => {
      const by = ffmpegRenderer({
        ffmpeg: { ...ffmpeg, run },
        files,
        cache: cache(),
        leases: freeLeases,
        concurrency: 1,
        prepared: { ...built, linkTo },
        entries,
      });
      const { signal } = new AbortController();
      const options = { quality: "standard", owner: "user", projectId: "one", signal } as const;
      const { videos, dispose } = await by.render([edit], options);
      const frames = await lumaFrames(build, videos[0]!.path);
      await dispose();
      return frames.map(({ levels }) => Bun.hash(levels));
    };
    const before = await exportFrames();
    await built.untilIdle();
    const after = await exportFrames();

    expect(after).toEqual(before);
    expect(found).toEqual([false, true]);
    // a failed excerpt would be followed by the whole video
    expect(commands.filter((args) => args.includes("excerpt-")).length).toBe(2);
    expect(commands.filter((args) => args.includes("film.mp4"))).toEqual([]);
  });
});
