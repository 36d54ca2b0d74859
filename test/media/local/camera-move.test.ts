import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type CameraMove, cameraMoves } from "../../../src/domain/ai/generation/local-generator.ts";
import { findFfmpeg } from "../../../src/media/ffmpeg/ffmpeg.ts";
import { ffmpegInspector } from "../../../src/media/inspect/inspect.ts";
import { localStudio } from "../../../src/media/local/studio.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import type { MediaFacts } from "../../../src/timeline/source.ts";
import { ffmpegs, temporaryFolder } from "../../helpers/ffmpeg.ts";
import { type GrayFrame, levelAt, lumaFrames } from "../../helpers/media.ts";

const resolution = { width: 160, height: 120 };
const facts: MediaFacts = { kind: "image", container: "png", mimeType: "image/png", extension: "png" };
const dot = { x: 52, y: 38 };

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;

async function drawn(name: string, { width, height }: typeof resolution, paint: (context: SKRSContext2D) => void) {
  const context = createCanvas(width, height).getContext("2d");
  paint(context);
  const path = `${folder}/${name}.png`;
  await Bun.write(path, await context.canvas.encode("png"));
  return { path, facts: { ...facts, width, height } };
}

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const dotted = () =>
  drawn("dot", resolution, (context) => {
    context.fillStyle = "black";
    context.fillRect(0, 0, resolution.width, resolution.height);
    context.fillStyle = "white";
    context.arc(dot.x, dot.y, 7, 0, 2 * Math.PI);
    context.fill();
  });

const plain = (name: string, size: typeof resolution) =>
  drawn(name, size, (context) => {
    context.fillStyle = "white";
    context.fillRect(0, 0, size.width, size.height);
  });

/** The middle of what is bright, in pixels from the top-left corner. */
function brightMiddle(frame: GrayFrame) {
  let [sum, x, y] = [0, 0, 0];
  for (const [index, level] of frame.levels.entries()) {
    const weight = Math.max(0, level - 40);
    sum += weight;
    x += weight * ((index % frame.width) + 0.5);
    y += weight * (Math.floor(index / frame.width) + 0.5);
  }
  return { x: x / sum, y: y / sum };
}

const eased = (t: number) => 0.6 * t + 1.8 * t ** 2 - 1.4 * t ** 3;

/** Where the dot is seen through a view of the whole picture. */
function seenAt(move: CameraMove, progress: number, enlargement: number) {
  const most = 1 + enlargement;
  const zoom = { push_in: 1 + enlargement * progress, pull_out: most - enlargement * progress }[move as string] ?? most;
  const free = ((1 - 1 / most) / 2) * (1 - 2 * progress);
  const [across, down] = [
    { pan_left: free, pan_right: -free }[move as string] ?? 0,
    { tilt_up: free, tilt_down: -free }[move as string] ?? 0,
  ];
  const { width, height } = resolution;
  return {
    x: width / 2 + (dot.x - width * (0.5 + across)) * zoom,
    y: height / 2 + (dot.y - height * (0.5 + down)) * zoom,
  };
}

const neverAborted = new AbortController().signal;

const storedPaths = async () => (await readdir(`${folder}/store`, { recursive: true })).sort();
const leftOvers = async () => (await storedPaths()).filter((path) => /job-/.test(path));

describe.each(ffmpegs())("with the $name ffmpeg", (build) => {
  const studio = async () => localStudio({ ffmpeg: await findFfmpeg(build.path), files });

  test.each(cameraMoves)("%s follows its curve by fractions of a pixel", async (move) => {
    const { moveCamera } = await studio();
    const film = await moveCamera({ ...(await dotted()), resolution, durationSeconds: 2, move }, neverAborted);

    const frames = await lumaFrames(build, film.path, resolution);
    const strays = frames.map((frame, index) => {
      const [seen, wanted] = [brightMiddle(frame), seenAt(move, eased(index / 59), 0.06)];
      return Math.hypot(seen.x - wanted.x, seen.y - wanted.y);
    });
    expect(frames).toHaveLength(60);
    expect(Math.max(...strays)).toBeLessThan(0.2);
    expect(await leftOvers()).toEqual([]);
  });

  test("no move shows what lies outside the picture, whatever its shape", async () => {
    const { moveCamera } = await studio();
    for (const [index, move] of cameraMoves.entries()) {
      const still = await plain(
        `plain-${index}`,
        index % 2 === 0 ? { width: 300, height: 40 } : { width: 9, height: 77 },
      );
      const film = await moveCamera({ ...still, resolution, durationSeconds: 0.5, move }, neverAborted);

      const corners = (await lumaFrames(build, film.path, resolution)).flatMap((frame) =>
        [0, 159].flatMap((x) => [0, 119].map((y) => levelAt(frame, x, y))),
      );
      expect(Math.min(...corners)).toBeGreaterThan(225);
    }
  });

  test("a move is a silent video of the asked size and length in BT.709", async () => {
    const ffmpeg = await findFfmpeg(build.path);
    const still = await plain("small", { width: 20, height: 20 });
    const wish = { ...still, resolution: { width: 16, height: 64 }, durationSeconds: 1.52, move: "push_in" as const };
    const film = await localStudio({ ffmpeg, files }).moveCamera(wish, neverAborted);

    const seen = await ffmpegInspector(ffmpeg).inspect(film.path);
    expect(seen).toMatchObject({ kind: "video", width: 16, height: 64, hasSound: false });
    expect(seen.picture).toMatchObject({ codec: "avc", matrix: "bt709", fullRange: false, frameRate: 30 });
    expect(seen.durationSeconds).toBeCloseTo(46 / 30, 3);
  });

  test("the same wishes give the same file", async () => {
    const { moveCamera } = await studio();
    const wish = { ...(await dotted()), resolution, durationSeconds: 0.5, move: "pan_left" as const };
    const [first, again] = [await moveCamera(wish, neverAborted), await moveCamera(wish, neverAborted)];
    expect(again.sha256).toBe(first.sha256);
  });

  test("a move that is called off leaves nothing behind", async () => {
    const { moveCamera } = await studio();
    const [large, still] = [{ width: 1920, height: 1080 }, await dotted()];
    const before = await storedPaths();
    const calledOff = new AbortController();
    const wish = { ...still, resolution: large, durationSeconds: 60, move: "push_in" as const };
    const film = moveCamera(wish, calledOff.signal);
    const isFilming = async () => (await storedPaths()).some((path) => /move\.mp4/.test(path));
    while (!(await isFilming())) await new Promise(setImmediate);
    calledOff.abort(new Error("called off"));

    await expect(film).rejects.toThrow("called off");
    expect(await storedPaths()).toEqual(before);
  });
});
