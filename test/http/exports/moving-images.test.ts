import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import {
  colors,
  type MovingFormat,
  movingFile,
  movingFormats,
  type Picture,
  side,
  threePictures,
} from "../../support/media/moving.ts";
import { pixelsOf, type Rgb, rgbFrames } from "../../support/media/rgb.ts";
import { testService } from "../../support/service.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const [ffmpeg] = testedFfmpegs;
const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const work = await newWork(ann, { name: "Film" });
const { projectId, workId } = work;
const options = { width: side, height: side, fps: 10 };
const assets = new Map<MovingFormat, string>();

const upload = async (format: MovingFormat, pictures: readonly Picture[]) =>
  await work.asset(new File([await movingFile(format, pictures)], `moving.${format}`, { type: `image/${format}` }));

beforeAll(async () => {
  for (const format of movingFormats) assets.set(format, (await upload(format, threePictures())).id);
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const film = (rest: object) => ({ projectId, workId, options, clips: [], ...rest });
const validate = (rest: object) => requireJson(ann.json("POST", "/api/export/validate", film(rest)));

/** 0: the red picture, 1: with green, 2: with blue, "-": something else. */
function pictureIn(pixels: Rgb): string {
  const at = (x: number, y: number) => {
    const pixel = [...pixels.subarray(3 * (y * side + x), 3 * (y * side + x) + 3)];
    return Object.entries(colors).find(([, color]) =>
      color.every((level, index) => Math.abs(level - pixel[index]!) < 60),
    )?.[0];
  };
  const found = [at(35, 35), at(20, 20), at(2, 2)].join();
  return String(["red,red,red", "red,green,red", "red,green,blue"].indexOf(found)).replace("-1", "-");
}

async function frameAt(seconds: number, rest: object): Promise<string> {
  const response = await ann.json("POST", `/api/export/frame?t=${seconds}`, film(rest));
  if (response.status !== 200) throw new Error(await response.text());
  return pictureIn(await pixelsOf(new Uint8Array(await response.arrayBuffer())));
}

async function framesAt(times: readonly number[], rest: object): Promise<string> {
  const found = [];
  for (const time of times) found.push(await frameAt(time, rest));
  return found.join("");
}

async function exported(rest: object): Promise<string> {
  const path = await saveResponse(folder, await ann.json("POST", "/api/export", film(rest)));
  return (await rgbFrames(ffmpeg!, path, { width: side, height: side })).map(pictureIn).join("");
}

describe.each([...movingFormats])("%s", (format) => {
  const layer = (rest: object = {}) => ({ type: "image", assetId: assets.get(format), end: 1.4, ...rest });

  test("a layer plays with the durations of its pictures, and repeats", async () => {
    expect(await exported({ layers: [layer()] })).toBe("01122201122201");
    expect(await framesAt([0, 0.1, 0.3, 0.6, 0.9], { layers: [layer()] })).toBe("01202");
  });

  test("it holds its last picture if it does not repeat, and plays at its speed", async () => {
    expect(await exported({ layers: [layer({ repeat: false, position: 0.2 })] })).toBe("--011222222222");
    expect(await exported({ layers: [layer({ speed: 0.5 })] })).toBe("00111122222200");
  });

  test("among the images it stands still, with a warning, unless it is told to play", async () => {
    const { end, assetId } = layer();
    const image = { assetId, position: 0, end };
    expect(await framesAt([0, 0.1, 0.5], { images: [image] })).toBe("000");
    expect(await framesAt([0, 0.1, 0.5, 0.7], { images: [{ ...image, repeat: true }] })).toBe("0121");
    expect(await framesAt([0.5, 0.7], { images: [{ ...image, repeat: false }] })).toBe("22");
    const { warnings } = await validate({ images: [image, { ...image, repeat: true }], layers: [layer()] });
    expect(warnings.filter(({ path }: { path: string }) => path !== "audio")).toEqual([
      {
        path: "images.0",
        code: "image_stands_still",
        message: "The image moves, and only its first picture is shown: `repeat` plays it.",
      },
    ]);
  });

  test("in a group it follows the group's clock", async () => {
    const group = { type: "group", end: 1.4, speed: 2, layers: [layer({ end: 2.8 })] };
    expect(await exported({ layers: [group] })).toBe("01201201201201");
  });

  test("an asset has the duration of one round", async () => {
    const { assets: listed } = await requireJson(ann.json("GET", `/api/projects/${projectId}/assets`));
    const found = listed.find(({ id }: { id: string }) => id === assets.get(format));
    expect(found).toMatchObject({ type: "image", width: side, height: side, duration: 0.6 });
  });
});

test("its transparent pixels show what lies below", async () => {
  const { id: assetId } = await upload("png", [
    { ...threePictures()[0]!, color: undefined },
    { ...threePictures()[1]!, milliseconds: 500 },
  ]);
  const red = { type: "shape", shape: "rect", fill: "red", end: 1 };
  expect(await exported({ layers: [red, { type: "image", assetId, end: 0.6 }] })).toBe("0111110000");
});

test("bad fields are named", async () => {
  const layer = { type: "image", assetId: assets.get("gif"), speed: 0, repeat: "yes" };
  const { errors } = await validate({ layers: [layer] });
  expect(errors.map(({ path }: { path: string }) => path)).toEqual(["layers.0.repeat", "layers.0.speed"]);
});

test("in another format it plays as it does in the film", async () => {
  const request = film({
    layers: [{ type: "image", assetId: assets.get("webp"), end: 0.6 }],
    options: { ...options, width: 2 * side, targets: ["1:1"] },
  });
  const found = [];
  for (const time of [0, 0.2, 0.4]) {
    const response = await ann.json("POST", `/api/export/frame?t=${time}&target=1:1`, request);
    found.push(pictureIn(await pixelsOf(new Uint8Array(await response.arrayBuffer()))));
  }
  expect(found.join("")).toBe("012");
});
