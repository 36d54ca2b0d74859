import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { sharedCanvasProcesses } from "../../../src/media/canvas/processes.ts";
import { entryPoints } from "../../../src/media/entries/build.ts";
import type { Ffmpeg } from "../../../src/media/ffmpeg/ffmpeg.ts";
import { ffmpegFrameRenderer } from "../../../src/media/frames/renderer.ts";
import type { PreparedKind } from "../../../src/media/prepared/kind.ts";
import { type Prepared, preparedMedia } from "../../../src/media/prepared/prepared.ts";
import { quietTimes } from "../../../src/media/prepared/quiet-times.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { drawNumbers, smallCanvas, videoSource } from "../../helpers/media/draw-media.ts";
import { foundFfmpeg, temporaryFolder, testedFfmpegs } from "../../helpers/media/ffmpeg.ts";
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

const place = { projectId: "one", owner: "user" };
const source = videoSource("film.mp4", { durationSeconds: 5 });
const edit = timeline([clip(source, 0, 150)], { fps: 30 });

describe.each(testedFfmpegs)("with the $name ffmpeg", ({ path }) => {
  let ffmpeg: Ffmpeg;

  beforeAll(async () => {
    ffmpeg = await foundFfmpeg(path);
  });

  const cache = () => diskRenderCache(`${folder}/cache-${crypto.randomUUID()}`, 2 ** 30);

  function frameOf(frame: number, prepared?: Prepared, entries?: PreparedKind): Promise<Uint8Array> {
    const caches = { segmentCache: cache(), frameCache: cache() };
    const by = ffmpegFrameRenderer({
      ffmpeg,
      files,
      concurrency: 2,
      ...caches,
      ...(prepared && { prepared }),
      ...(entries && { entries }),
    });
    const { signal } = new AbortController();
    return by.frame(edit, { frame, size: smallCanvas, quality: "standard", signal, ...place });
  }

  test("a frame far from a keyframe is the same before and after entry points are prepared", async () => {
    const entries = entryPoints({ ffmpeg, canvas: sharedCanvasProcesses(), minWork: 100 });
    const built = preparedMedia({ kinds: [entries], files, cache: cache(), ffmpeg, quiet: quietTimes(1) });
    const found: boolean[] = [];
    const linkTo: Prepared["linkTo"] = async (...link) => {
      const isThere = await built.linkTo(...link);
      found.push(isThere);
      return isThere;
    };
    const frames = [125, 140];
    const wholes = await Promise.all(frames.map((frame) => frameOf(frame)));
    // the first one misses them, and asks for them
    for (const [index, frame] of frames.entries()) {
      expect(Bun.hash(await frameOf(frame, { ...built, linkTo }, entries))).toBe(Bun.hash(wholes[index]!));
      await built.untilIdle();
    }
    expect(found).toEqual([false, true]);
  });
});
