import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { ffmpegVideoAnalyzer } from "../../../src/engine/analysis/video-analyzer.ts";
import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import type { VideoAnalyzer } from "../../../src/engine/ports.ts";
import { SandboxedProcessError } from "../../../src/engine/sandbox/one-shot-process.ts";
import type { MediaFacts } from "../../../src/engine/timeline/source.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { childrenNamed } from "../../support/child-processes.ts";
import {
  draw,
  drawGray,
  drawNumbers,
  levelAt,
  numberOn,
  redAtCenter,
  videoSource,
} from "../../support/media/draw-media.ts";
import { directFfmpeg, ffmpegs, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import {
  bars,
  cutsOf,
  drawJoined,
  expectCuts,
  facts,
  field,
  fractal,
  lines,
  measureHere,
  type Pieces,
  still,
  test2,
  type VideoMeasure,
  worms,
} from "./joined-scenes.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const options = { owner: "ann", signal: new AbortController().signal };

const join = (name: string, pieces: Pieces, after?: string) => drawJoined(`${folder}/${name}.mp4`, pieces, after);

const analyzers: { readonly name: string; readonly open: () => Promise<VideoAnalyzer> }[] = testedFfmpegs.map(
  ({ name, path }) => ({
    name,
    open: async () => ffmpegVideoAnalyzer({ ffmpeg: await directFfmpeg(path), files }),
  }),
);

describe.each(analyzers)("with the $name ffmpeg", ({ open }) => {
  let analyzer: VideoAnalyzer;
  beforeAll(async () => {
    analyzer = await open();
  });

  test("finds every cut between scenes, and none inside them", async () => {
    const pieces = [
      [test2, 20],
      [field("0x336699"), 12],
      [fractal, 18],
      [worms, 25],
      [bars, 10],
      [field("0x224488"), 9],
      [test2, 14],
      [lines, 11],
    ] as const;
    const video = await join("joined", pieces);
    const measure: VideoMeasure = (path, seconds) => analyzer.measure(path, facts(seconds), options);
    expect(await cutsOf(video, 119 / 25, measure)).toEqual([20, 32, 50, 75, 85, 94, 108]);
  });

  test("finds cuts in a video with a variable frame rate", async () => {
    // keeps only every third frame before the second cut
    const uneven = "select='lt(n,12)+gte(n,42)+not(mod(n-12,3))'";
    const video = await join(
      "uneven",
      [
        [test2, 12],
        [fractal, 30],
        [bars, 12],
      ],
      uneven,
    );
    expect(await cutsOf(video, 54 / 25)).toEqual([12, 42]);
  });

  test("tells cuts from fades through black", async () => {
    const video = await join("cut-and-fade", [
      [`${bars}`, 12],
      [`${test2},fade=t=out:s=12:n=12`, 28],
      [`${fractal},fade=t=in:s=4:n=12`, 24],
    ]);
    const { scenes } = await measureHere(video, 64 / 25);
    expect(scenes.map(({ transition }) => transition)).toEqual(["cut", "fade", undefined]);
  });

  test("measures palette, brightness, motion and tempo", async () => {
    const video = await join("fields", [
      [field("0x336699"), 25],
      [`${field("white")},drawbox=w=50:h=108:c=red:t=fill`, 25],
      [test2, 25],
    ]);
    const { scenes, palette, tempo, hasSound } = await measureHere(video, 3, { hasSound: true });
    expect(scenes.map((scene) => scene.palette.length)).toEqual([1, 2, expect.any(Number)]);
    expect(near(scenes[0]!.palette[0]!, "#336699")).toBe(true);
    expect(scenes[1]!.palette.map((color, index) => near(color, ["#ffffff", "#ff0000"][index]!))).toEqual([true, true]);
    expect(scenes[2]!.palette.length).toBeLessThanOrEqual(5);
    expect(palette.length).toBeGreaterThan(1);
    expect(scenes[0]).toMatchObject({ motion: 0, brightness: expect.closeTo(0.37, 1) });
    expect(scenes[2]!.motion).toBeGreaterThan(0.1);
    expect({ tempo, hasSound }).toEqual({ tempo: "fast", hasSound: true });
  });

  test("extracts the frames shown at the requested times", async () => {
    const video = await drawNumbers(`${folder}/numbers.mp4`, { first: 1, frames: 60, rate: "25" });
    const small = facts(2.4, { width: 64, height: 36 });
    const atSeconds = [0, 0.5, 0.55, 1.999, 2.36, 9];
    const frames = await analyzer.frames(video, small, { atSeconds, maxSide: 1000, ...options });
    expect(frames.map((frame) => frame.atSeconds)).toEqual(atSeconds);
    expect(await Promise.all(frames.map(({ bytes }) => numberIn(bytes)))).toEqual([1, 13, 14, 50, 60, 60]);
    const [half] = await analyzer.frames(video, small, { atSeconds: [0], maxSide: 32, ...options });
    expect(half?.mimeType).toBe("image/jpeg");
    expect(await sizeOf(half!.bytes)).toEqual([32, 18]);
  });

  test("extracts frames with the video's colors", async () => {
    const video = await drawGray(`${folder}/gray.mp4`, 128);
    const { facts: gray } = videoSource(video, { durationSeconds: 0.2 });
    const [frame] = await analyzer.frames(video, gray, { atSeconds: [0], maxSide: 64, ...options });
    expect(Math.abs((await redAtCenter(frame!.bytes)) - 128)).toBeLessThanOrEqual(4);
  });

  test("aborts with the caller's signal and leaves no file behind", async () => {
    const video = await join("left", [[fractal, 50]]);
    const controller = new AbortController();
    const measuring = analyzer.measure(video, facts(2), { owner: "ann", signal: controller.signal });
    controller.abort(new Error("gone"));
    await expect(measuring).rejects.toThrow("gone");
    expect(
      await readdir(`${folder}/store`, { recursive: true }).then((all) => all.filter((name) => /job-/.test(name))),
    ).toEqual([]);
  });
});

test("a user does not wait for the videos of another", async () => {
  const video = await join("taken", [[field("white"), 10]]);
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let isHeld = true;
  const jobFolder = async () => {
    if (isHeld) await opened;
    return await files.jobFolder();
  };
  const analyzer = ffmpegVideoAnalyzer({ ffmpeg: await directFfmpeg(ffmpegs()[0]!.path), files: { jobFolder } });
  const first = { atSeconds: [0], maxSide: 32, ...options };
  const anns = Array.from({ length: 4 }, () => analyzer.frames(video, facts(0.4), first));

  isHeld = false;
  const bobs = await analyzer.frames(video, facts(0.4), { ...first, owner: "bob" });
  expect(bobs).toHaveLength(1);

  open();
  expect(await Promise.all(anns)).toEqual([bobs, bobs, bobs, bobs]);
});

describe("finds no cut in", () => {
  const boxDuring = (filter: string, frames: string) => `drawbox=${filter}:t=fill:enable='${frames}'`;

  test.each([
    [
      "flashes and glitches of a few frames",
      [[`${test2},${boxDuring("c=white", "between(n,20,22)+eq(n,40)")},${boxDuring("c=green", "eq(n,60)")}`, 80]],
      [],
    ],
    [
      "captions that appear and disappear",
      [[`${test2},${boxDuring("x=30:y=80:w=130:h=16:c=white", "between(n,20,50)+gt(n,60)")}`, 80]],
      [],
    ],
    ["a pan", [[`${still},scale=768:-2,crop=192:108:'min(400,n*8)':100`, 30]], []],
    [
      "a light that is switched on",
      [[`${still},lut=y='16+(val-16)/2':u='64+val/2':v='64+val/2':enable='lt(n,40)'`, 80]],
      [],
    ],
    [
      "the end of a flash on a cut",
      [
        [still, 40],
        [field("white"), 2],
        [bars, 40],
      ],
      [40],
    ],
  ] as const)("%s", (name, pieces, cuts) => expectCuts(`${folder}/${name.replaceAll(/\W/g, "-")}.mp4`, pieces, cuts));

  test.each([
    [
      "scenes of five frames",
      [
        [bars, 5],
        [test2, 5],
        [fractal, 5],
        [bars, 5],
        [field("teal"), 5],
        [fractal, 20],
      ],
      [5, 10, 15, 20, 25],
    ],
    [
      "an image and its mirror image",
      [
        [still, 30],
        [`${still},hflip`, 30],
      ],
      [30],
    ],
    [
      "dark scenes",
      [
        [`${test2},lut=y='16+(val-16)/9'`, 30],
        [`${fractal},lut=y='16+(val-16)/9'`, 30],
      ],
      [30],
    ],
    [
      "scenes between black bars",
      [
        [`${test2},scale=60:108,pad=192:108:66:0`, 30],
        [`${fractal},scale=60:108,pad=192:108:66:0`, 30],
      ],
      [30],
    ],
  ] as const)("but finds the cuts of %s", (name, pieces, cuts) =>
    expectCuts(`${folder}/${name.replaceAll(/\W/g, "-")}.mp4`, pieces, cuts),
  );

  test("returns one scene if the time budget runs out at once", async () => {
    const video = await join("long", [
      [test2, 20],
      [bars, 20],
    ]);
    const withoutBudget = ffmpegVideoAnalyzer({
      ffmpeg: await directFfmpeg(ffmpegs()[0]!.path),
      files,
      budgetMilliseconds: 0,
    });
    const { scenes } = await withoutBudget.measure(video, facts(1.6), options);
    expect(scenes).toMatchObject([{ startSeconds: 0, endSeconds: 1.6 }]);
  });
});

describe("frames are measured in a process of their own", () => {
  /** Decodes gray frames without end, and calls `onFrame` after each. */
  const endless = (onFrame: () => void): Ffmpeg => ({
    path: "",
    version: "",
    description: "",
    works: async () => true,
    check: async () => {},
    async run(_command, { onOutput, signal }) {
      for (;;) {
        await onOutput?.(new Uint8Array(128 * 74 * 1.5).fill(128));
        onFrame();
        await setImmediate();
        signal?.throwIfAborted();
      }
    },
  });
  const measuring = (onFrame: () => void) =>
    ffmpegVideoAnalyzer({ ffmpeg: endless(onFrame), files }).measure("video.mp4", facts(1), options);

  test("whose crash ends the analysis and the decoder", async () => {
    const error = await measuring(() => {
      for (const pid of childrenNamed("measure/program.ts")) process.kill(pid, "SIGKILL");
    }).catch((caught) => caught);
    expect(error).toBeInstanceOf(SandboxedProcessError);
  });

  test("which someone else may stop: the analysis can be repeated", async () => {
    const error = await measuring(() => {
      for (const pid of childrenNamed("measure/program.ts")) process.kill(pid, "SIGTERM");
    }).catch((caught) => caught);
    expect(error).toMatchObject({ code: "busy" });
  });
});

describe("an image for a model", () => {
  let analyzer: VideoAnalyzer;
  beforeAll(async () => {
    analyzer = await analyzers[0]!.open();
  });

  const image = (container: "png" | "jpeg" | "gif" | "webp"): MediaFacts => ({
    kind: "image",
    container,
    mimeType: `image/${container}`,
    extension: container,
    width: 40,
    height: 20,
  });
  const drawn = (paint = "red") => {
    const context = createCanvas(40, 20).getContext("2d");
    context.fillStyle = paint;
    context.fillRect(0, 0, 20, 20);
    return context.canvas;
  };
  const common = ["image/jpeg", "image/png"];

  const imageFile = async (name: string, bytes: Uint8Array) => {
    await Bun.write(`${folder}/${name}`, bytes);
    return `${folder}/${name}`;
  };

  test("is the file itself if the model accepts its type", async () => {
    const bytes = new Uint8Array(await drawn().encode("png"));
    expect(await analyzer.convertImage(await imageFile("a.png", bytes), image("png"), common, options)).toEqual({
      bytes,
      mimeType: "image/png",
    });
  });

  test("is PNG with transparency, else JPEG", async () => {
    const transparent = await imageFile("b.webp", await drawn().encode("webp"));
    expect(await analyzer.convertImage(transparent, image("webp"), common, options)).toMatchObject({
      mimeType: "image/png",
    });
    const opaque = await draw(`${folder}/c.gif`, "testsrc2=s=40x20:d=1");
    const converted = await analyzer.convertImage(opaque, image("gif"), [...common, "image/gif"], options);
    expect([converted.mimeType, await sizeOf(converted.bytes)]).toEqual(["image/jpeg", [40, 20]]);
  });

  test("is upright", async () => {
    const plain = new Uint8Array(await drawn().encode("jpeg"));
    // EXIF with one entry: orientation 6, a rotation by 90°
    const exif = "ffe10022457869660000" + "4d4d002a00000008" + "0001" + "011200030000000100060000" + "00000000";
    const bytes = Buffer.concat([plain.subarray(0, 2), Buffer.from(exif, "hex"), plain.subarray(2)]);
    const { bytes: turned } = await analyzer.convertImage(
      await imageFile("d.jpg", bytes),
      image("jpeg"),
      common,
      options,
    );
    expect(await sizeOf(turned)).toEqual([20, 40]);
  });
});

const near = (a: string, b: string) => {
  const channels = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return channels(a).every((level, index) => Math.abs(level - channels(b)[index]!) < 12);
};

const sizeOf = async (bytes: Uint8Array) => {
  const { width, height } = await loadImage(Buffer.from(bytes));
  return [width, height];
};

async function numberIn(bytes: Uint8Array): Promise<number> {
  const image = await loadImage(Buffer.from(bytes));
  const context = createCanvas(64, 36).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, 64, 36);
  const frame = { width: 64, height: 36, levels: Uint8Array.from({ length: 64 * 36 }, (_, at) => data[4 * at]!) };
  expect(levelAt(frame, 0, 0)).toBeGreaterThanOrEqual(0);
  return numberOn(frame);
}
