import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { VideoAnalyzer } from "../../../src/domain/ai/video-metrics.ts";
import { ffmpegVideoAnalyzer } from "../../../src/media/analysis/video-analyzer.ts";
import { findFfmpeg } from "../../../src/media/ffmpeg/ffmpeg.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import type { MediaFacts } from "../../../src/timeline/source.ts";
import { ffmpegs, temporaryFolder, testedFfmpegs } from "../../helpers/ffmpeg.ts";
import { draw, drawGray, drawNumbers, levelAt, redAtCenter, numberOn, videoSource } from "../../helpers/media.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const nobodyLeaves = new AbortController().signal;
const size = { width: 192, height: 108 };
const lossy = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-vsync", "vfr"];

const facts = (durationSeconds: number, more: Partial<MediaFacts> = {}): MediaFacts =>
  // as lavfi converts colors
  videoSource("film.mp4", { ...size, durationSeconds, ...more }, { matrix: "bt601" }).facts;

const joined = new Map<string, Promise<string>>();

/** Draws pieces one after the other, 25 frames a second; once for all tests. */
function join(name: string, pieces: Pieces, after?: string): Promise<string> {
  const film = joined.get(name) ?? drawJoined(name, pieces, after);
  joined.set(name, film);
  return film;
}

type Pieces = readonly (readonly [drawing: string, frames: number])[];

const drawJoined = (name: string, pieces: Pieces, after = "null") => {
  const drawn = pieces.map(
    ([drawing, frames], index) =>
      `${drawing},fps=25,trim=end_frame=${frames},setpts=N/25/TB,scale=192:108,setsar=1,format=yuv420p[p${index}]`,
  );
  const all = pieces.map((_, index) => `[p${index}]`).join("");
  const film = `${all}concat=n=${pieces.length}:v=1:a=0,fps=25,${after}`;
  return draw(`${folder}/${name}.mp4`, [...drawn, film].join(";"), ...lossy);
};

const bars = "smptebars=r=25:s=192x108";
const test2 = "testsrc2=r=25:s=192x108";
const fractal = "mandelbrot=r=25:s=192x108";
const field = (color: string) => `color=c=${color}:r=25:s=192x108`;
const lines = "rgbtestsrc=r=25:s=192x108";
const worms = "cellauto=rule=110:r=25:s=192x108";

const readers: { readonly name: string; readonly reader: () => Promise<VideoAnalyzer> }[] = testedFfmpegs.map(
  ({ name, path }) => ({
    name,
    reader: async () => ffmpegVideoAnalyzer({ ffmpeg: await findFfmpeg(path), files }),
  }),
);

const cutsOf = async (reader: VideoAnalyzer, path: string, seconds: number) => {
  const { scenes } = await reader.measure(path, facts(seconds), nobodyLeaves);
  expect(scenes[0]?.startSeconds).toBe(0);
  expect(scenes.at(-1)?.endSeconds).toBe(seconds);
  expect(scenes.slice(1).map(({ startSeconds }) => startSeconds)).toEqual(
    scenes.slice(0, -1).map(({ endSeconds }) => endSeconds),
  );
  return scenes.slice(1).map(({ startSeconds }) => Math.round(startSeconds * 25));
};

describe.each(readers)("the $name ffmpeg", ({ reader: open }) => {
  let reader: VideoAnalyzer;
  beforeAll(async () => {
    reader = await open();
  });

  test("finds every cut between drawn sources, and none inside them", async () => {
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
    const film = await join("joined", pieces);
    expect(await cutsOf(reader, film, 119 / 25)).toEqual([20, 32, 50, 75, 85, 94, 108]);
  });

  test("tells times from a clock that does not tick evenly", async () => {
    // only every third picture is left before the second cut
    const uneven = "select='lt(n,20)+gte(n,80)+not(mod(n-20,3))'";
    const film = await join(
      "uneven",
      [
        [test2, 20],
        [fractal, 60],
        [bars, 20],
      ],
      uneven,
    );
    expect(await cutsOf(reader, film, 4)).toEqual([20, 80]);
  });

  test("tells colors, brightness and movement", async () => {
    const film = await join("fields", [
      [field("0x336699"), 25],
      [`${field("white")},drawbox=w=50:h=108:c=red:t=fill`, 25],
      [test2, 25],
    ]);
    const { scenes, palette, tempo, hasSound } = await reader.measure(film, facts(3, { hasSound: true }), nobodyLeaves);
    expect(scenes.map((scene) => scene.palette.length)).toEqual([1, 2, expect.any(Number)]);
    expect(near(scenes[0]!.palette[0]!, "#336699")).toBe(true);
    expect(scenes[1]!.palette.map((color, index) => near(color, ["#ffffff", "#ff0000"][index]!))).toEqual([true, true]);
    expect(scenes[2]!.palette.length).toBeLessThanOrEqual(5);
    expect(palette.length).toBeGreaterThan(1);
    expect(scenes[0]).toMatchObject({ motion: 0, brightness: expect.closeTo(0.37, 1) });
    expect(scenes[2]!.motion).toBeGreaterThan(0.1);
    expect({ tempo, hasSound }).toEqual({ tempo: "fast", hasSound: true });
  });

  test("takes the pictures that are shown at the times asked for", async () => {
    const film = await drawNumbers(`${folder}/numbers.mp4`, { first: 1, frames: 60, rate: "25" });
    const small = facts(2.4, { width: 64, height: 36 });
    const atSeconds = [0, 0.5, 0.55, 1.999, 2.36, 9];
    const frames = await reader.frames(film, small, { atSeconds, maxSide: 1000, signal: nobodyLeaves });
    expect(frames.map((frame) => frame.atSeconds)).toEqual(atSeconds);
    expect(await Promise.all(frames.map(({ bytes }) => numberIn(bytes)))).toEqual([1, 13, 14, 50, 60, 60]);
    const [half] = await reader.frames(film, small, { atSeconds: [0], maxSide: 32, signal: nobodyLeaves });
    expect(half?.mimeType).toBe("image/jpeg");
    expect(await sizeOf(half!.bytes)).toEqual([32, 18]);
  });

  test("shows a film's colors as they are, whatever its file tells of its light", async () => {
    const film = await drawGray(`${folder}/gray.mp4`, 128);
    const { facts: gray } = videoSource(film, { durationSeconds: 0.2 });
    const [frame] = await reader.frames(film, gray, { atSeconds: [0], maxSide: 64, signal: nobodyLeaves });
    expect(Math.abs((await redAtCenter(frame!.bytes)) - 128)).toBeLessThanOrEqual(4);
  });

  test("leaves at once with those who leave, and no file behind", async () => {
    const film = await join("left", [[fractal, 50]]);
    const leaving = new AbortController();
    const measuring = reader.measure(film, facts(2), leaving.signal);
    leaving.abort(new Error("gone"));
    await expect(measuring).rejects.toThrow("gone");
    expect(
      await readdir(`${folder}/store`, { recursive: true }).then((all) => all.filter((name) => /job-/.test(name))),
    ).toEqual([]);
  });
});

describe("what is no cut", () => {
  let reader: VideoAnalyzer;
  beforeAll(async () => {
    reader = await readers[0]!.reader();
  });

  const still = `${fractal}:start_scale=2:end_scale=2`;
  const shown = (filter: string, frames: string) => `drawbox=${filter}:t=fill:enable='${frames}'`;

  test.each([
    [
      "flashes and faults of a few pictures",
      [[`${test2},${shown("c=white", "between(n,20,22)+eq(n,40)")},${shown("c=green", "eq(n,60)")}`, 80]],
      [],
    ],
    [
      "words that come and go",
      [[`${test2},${shown("x=30:y=80:w=130:h=16:c=white", "between(n,20,50)+gt(n,60)")}`, 80]],
      [],
    ],
    ["a pan", [[`${still},scale=768:-2,crop=192:108:'min(400,n*8)':100`, 60]], []],
    ["the ends of fades", [[`${test2},fade=t=in:s=0:n=15,fade=t=out:s=60:n=15`, 80]], []],
    [
      "a light that is switched on",
      [[`${still},lut=y='16+(val-16)/2':u='64+val/2':v='64+val/2':enable='lt(n,40)'`, 80]],
      [],
    ],
    [
      "grain",
      [
        [`${still},noise=alls=30:allf=t`, 50],
        [`${bars},noise=alls=30:allf=t`, 40],
      ],
      [50],
    ],
    [
      "the second half of a flash on a cut",
      [
        [still, 40],
        [field("white"), 2],
        [bars, 40],
      ],
      [40],
    ],
    [
      "the black between two fades, but for its middle",
      [
        [`${test2},fade=t=out:s=30:n=15`, 50],
        [`${fractal},fade=t=in:s=5:n=15`, 50],
      ],
      [50],
    ],
  ] as const)("%s", async (name, pieces, cuts) => {
    const frames = pieces.reduce((sum, [, count]) => sum + count, 0);
    expectNear(await cutsOf(reader, await join(name.replaceAll(/\W/g, "-"), pieces), frames / 25), cuts);
  });

  test.each([
    [
      "scenes of five pictures",
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
      "a picture and its mirror image",
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
  ] as const)("but %s have theirs", async (name, pieces, cuts) => {
    const frames = pieces.reduce((sum, [, count]) => sum + count, 0);
    expectNear(await cutsOf(reader, await join(name.replaceAll(/\W/g, "-"), pieces), frames / 25), cuts);
  });

  test("a film that takes longer than its time is one scene", async () => {
    const film = await join("long", [
      [test2, 20],
      [bars, 20],
    ]);
    const hurried = ffmpegVideoAnalyzer({ ffmpeg: await findFfmpeg(ffmpegs()[0]!.path), files, budgetMilliseconds: 0 });
    const { scenes } = await hurried.measure(film, facts(1.6), nobodyLeaves);
    expect(scenes).toMatchObject([{ startSeconds: 0, endSeconds: 1.6 }]);
  });
});

describe("a picture for a model", () => {
  let reader: VideoAnalyzer;
  beforeAll(async () => {
    reader = await readers[0]!.reader();
  });

  const image = (container: "png" | "jpeg" | "gif" | "webp"): MediaFacts => ({
    ...{ kind: "image", container, mimeType: `image/${container}`, extension: container, width: 40, height: 20 },
  });
  const drawn = (paint = "red") => {
    const context = createCanvas(40, 20).getContext("2d");
    context.fillStyle = paint;
    context.fillRect(0, 0, 20, 20);
    return context.canvas;
  };
  const common = ["image/jpeg", "image/png"];

  const given = async (name: string, bytes: Uint8Array) => {
    await Bun.write(`${folder}/${name}`, bytes);
    return `${folder}/${name}`;
  };

  test("is the file itself where that is taken", async () => {
    const bytes = new Uint8Array(await drawn().encode("png"));
    expect(await reader.convertImage(await given("a.png", bytes), image("png"), common)).toEqual({
      bytes,
      mimeType: "image/png",
    });
  });

  test("keeps clear parts as PNG, and is JPEG without them", async () => {
    const clear = await given("b.webp", await drawn().encode("webp"));
    expect(await reader.convertImage(clear, image("webp"), common)).toMatchObject({ mimeType: "image/png" });
    const full = await draw(`${folder}/c.gif`, "testsrc2=s=40x20:d=1");
    const picture = await reader.convertImage(full, image("gif"), [...common, "image/gif"]);
    expect([picture.mimeType, await sizeOf(picture.bytes)]).toEqual(["image/jpeg", [40, 20]]);
  });

  test("stands upright", async () => {
    const plain = new Uint8Array(await drawn().encode("jpeg"));
    // EXIF with one entry: orientation 6, to be turned by a quarter
    const exif = "ffe10022457869660000" + "4d4d002a00000008" + "0001" + "011200030000000100060000" + "00000000";
    const bytes = Buffer.concat([plain.subarray(0, 2), Buffer.from(exif, "hex"), plain.subarray(2)]);
    const { bytes: turned } = await reader.convertImage(await given("d.jpg", bytes), image("jpeg"), common);
    expect(await sizeOf(turned)).toEqual([20, 40]);
  });
});

/** Each cut within two frames, and no other. */
const expectNear = (found: readonly number[], cuts: readonly number[]) =>
  expect(found.map((cut, index) => (Math.abs(cut - cuts[index]!) <= 2 ? cuts[index] : cut))).toEqual([...cuts]);

const near = (a: string, b: string) => {
  const channels = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return channels(a).every((level, index) => Math.abs(level - channels(b)[index]!) < 12);
};

const sizeOf = async (bytes: Uint8Array) => {
  const { width, height } = await loadImage(Buffer.from(bytes));
  return [width, height];
};

async function numberIn(bytes: Uint8Array): Promise<number> {
  const picture = await loadImage(Buffer.from(bytes));
  const context = createCanvas(64, 36).getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, 64, 36);
  const frame = { width: 64, height: 36, levels: Uint8Array.from({ length: 64 * 36 }, (_, at) => data[4 * at]!) };
  expect(levelAt(frame, 0, 0)).toBeGreaterThanOrEqual(0);
  return numberOn(frame);
}
