import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type CameraMove, cameraMoves } from "../../../../src/domain/ai/generation/local-generator.ts";
import { ffmpegInspector } from "../../../../src/engine/inspect/inspect.ts";
import type { MediaFacts } from "../../../../src/engine/timeline/source.ts";
import { localGenerator } from "../../../../src/providers/local/drawings/generator.ts";
import { diskFiles } from "../../../../src/storage/files/disk-files.ts";
import { type GrayFrame, levelAt, lumaFrames, planeFrames } from "../../../support/media/draw-media.ts";
import { directFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";
import { serviceTaskPool } from "../../../support/task-pool.ts";

const resolution = { width: 160, height: 120 };
const facts: MediaFacts = { kind: "image", container: "png", mimeType: "image/png", extension: "png" };
const largeResolution = { width: 320, height: 240 };
const dot = { x: 52, y: 38 };

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;

async function imageFile(name: string, { width, height }: typeof resolution, paint: (context: SKRSContext2D) => void) {
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

const dotImage = () =>
  imageFile("dot", resolution, (context) => {
    context.fillStyle = "black";
    context.fillRect(0, 0, resolution.width, resolution.height);
    context.fillStyle = "white";
    context.arc(dot.x, dot.y, 7, 0, 2 * Math.PI);
    context.fill();
  });

const redDotImage = () =>
  imageFile("red-dot", largeResolution, (context) => {
    context.fillStyle = "gray";
    context.fillRect(0, 0, largeResolution.width, largeResolution.height);
    context.fillStyle = "red";
    context.arc(35, 30, 10, 0, 2 * Math.PI);
    context.fill();
  });

const whiteImage = (name: string, size: typeof resolution) =>
  imageFile(name, size, (context) => {
    context.fillStyle = "white";
    context.fillRect(0, 0, size.width, size.height);
  });

/** The center of the pixels brighter than `darkest`, in pixels from the top-left corner. */
function brightCenter(frame: GrayFrame, darkest = 40) {
  let sum = 0;
  let x = 0;
  let y = 0;
  for (let index = 0; index < frame.levels.length; index++) {
    const weight = Math.max(0, frame.levels[index]! - darkest);
    sum += weight;
    x += weight * ((index % frame.width) + 0.5);
    y += weight * (Math.floor(index / frame.width) + 0.5);
  }
  return { x: x / sum, y: y / sum };
}

const eased = (t: number) => 0.6 * t + 1.8 * t ** 2 - 1.4 * t ** 3;

/** The expected position of the dot in the frame. */
function expectedPosition(move: CameraMove, progress: number, enlargement: number) {
  const most = 1 + enlargement;
  const zoom = { push_in: 1 + enlargement * progress, pull_out: most - enlargement * progress }[move as string] ?? most;
  const free = ((1 - 1 / most) / 2) * (1 - 2 * progress);
  const across = { pan_left: free, pan_right: -free }[move as string] ?? 0;
  const down = { tilt_up: free, tilt_down: -free }[move as string] ?? 0;
  const { width, height } = resolution;
  return {
    x: width / 2 + (dot.x - width * (0.5 + across)) * zoom,
    y: height / 2 + (dot.y - height * (0.5 + down)) * zoom,
  };
}

const options = { owner: "ann", signal: new AbortController().signal };

const storedPaths = async () => (await readdir(`${folder}/store`, { recursive: true })).sort();
const jobFolders = async () => (await storedPaths()).filter((path) => /job-/.test(path));

describe.each(testedFfmpegs)("with the $name ffmpeg", (build) => {
  const generator = async () =>
    localGenerator({ ffmpeg: await directFfmpeg(build.path), files, canvas: serviceTaskPool() });

  test.each(cameraMoves)("%s follows its easing curve with subpixel accuracy", async (move) => {
    const { moveCamera } = await generator();
    const video = await moveCamera({ ...(await dotImage()), resolution, durationSeconds: 2, move }, options);

    const frames = await lumaFrames(build, video.path, resolution);
    const deviations = frames.map((frame, index) => {
      const actual = brightCenter(frame);
      const expected = expectedPosition(move, eased(index / 59), 0.06);
      return Math.hypot(actual.x - expected.x, actual.y - expected.y);
    });
    expect(frames).toHaveLength(60);
    expect(Math.max(...deviations)).toBeLessThan(0.2);
    expect(await jobFolders()).toEqual([]);
  });

  test.each(cameraMoves)("the colors of %s move in steps that change by less than a tenth of a pixel", async (move) => {
    const { moveCamera } = await generator();
    const request = { ...(await redDotImage()), resolution: largeResolution, durationSeconds: 2, move };
    const video = await moveCamera(request, options);

    const frames = await planeFrames(build, video.path, "v", { width: 160, height: 120 });
    const positions = frames.map((frame) => brightCenter(frame, 140));
    const steps = positions
      .slice(1)
      .map(({ x, y }, index) => ({ x: x - positions[index]!.x, y: y - positions[index]!.y }));
    const changes = steps.slice(1).map(({ x, y }, index) => Math.hypot(x - steps[index]!.x, y - steps[index]!.y));
    expect(frames).toHaveLength(60);
    expect(Math.max(...changes)).toBeLessThan(0.1);
  });

  test("shows no area outside the image, for any aspect ratio", async () => {
    const { moveCamera } = await generator();
    for (const [index, move] of cameraMoves.entries()) {
      const still = await whiteImage(
        `white-${index}`,
        index % 2 === 0 ? { width: 300, height: 40 } : { width: 9, height: 77 },
      );
      const video = await moveCamera({ ...still, resolution, durationSeconds: 0.5, move }, options);

      const corners = (await lumaFrames(build, video.path, resolution)).flatMap((frame) =>
        [0, 159].flatMap((x) => [0, 119].map((y) => levelAt(frame, x, y))),
      );
      expect(Math.min(...corners)).toBeGreaterThan(225);
    }
  });

  test("renders a silent video of the requested size and duration in BT.709", async () => {
    const ffmpeg = await directFfmpeg(build.path);
    const still = await whiteImage("small", { width: 20, height: 20 });
    const request = {
      ...still,
      resolution: { width: 16, height: 64 },
      durationSeconds: 1.52,
      move: "push_in" as const,
    };
    const video = await localGenerator({ ffmpeg, files, canvas: serviceTaskPool() }).moveCamera(request, options);

    const inspected = await ffmpegInspector({ ffmpeg, makeFolder: temporaryFolder }).inspect(video.path, options);
    expect(inspected).toMatchObject({ kind: "video", width: 16, height: 64, hasSound: false });
    expect(inspected.picture).toMatchObject({ codec: "avc", matrix: "bt709", fullRange: false, frameRate: 30 });
    expect(inspected.durationSeconds).toBeCloseTo(46 / 30, 3);
  });

  test("renders the same file for the same request", async () => {
    const { moveCamera } = await generator();
    const request = { ...(await dotImage()), resolution, durationSeconds: 0.5, move: "pan_left" as const };
    const first = await moveCamera(request, options);
    const again = await moveCamera(request, options);
    expect(again.sha256).toBe(first.sha256);
  });

  test("leaves no file behind on abort", async () => {
    const ffmpeg = await directFfmpeg(build.path);
    const still = await dotImage();
    const before = await storedPaths();
    const abortController = new AbortController();
    const written = Promise.withResolvers<void>();
    const run: typeof ffmpeg.run = async (command, runOptions) => {
      await Bun.write(resolve(runOptions.folder, command.writes[0]!), "the first part");
      written.resolve();
      return await ffmpeg.run(command, runOptions);
    };
    const request = { ...still, resolution, durationSeconds: 60, move: "push_in" as const };
    const { moveCamera } = localGenerator({ ffmpeg: { ...ffmpeg, run }, files, canvas: serviceTaskPool() });
    const rendering = moveCamera(request, { ...options, signal: abortController.signal });
    await written.promise;
    expect(await storedPaths()).not.toEqual(before);
    abortController.abort(new Error("aborted"));

    await expect(rendering).rejects.toThrow("aborted");
    expect(await storedPaths()).toEqual(before);
  });
});
