import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { draw, lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { pixelsOf } from "../../support/media/rgb.ts";
import { testService } from "../../support/service.ts";
import { countUp, newWork, numberedVideo, readNumbers, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const work = await newWork(ann);
const { projectId, workId } = work;

async function picture(name: string, levels: string) {
  const drawing = `color=c=black:s=64x48,format=gray,geq=lum='${levels}'`;
  const path = await draw(`${folder}/${name}.png`, drawing, "-frames:v", "1");
  return new File([await Bun.file(path).bytes()], `${name}.png`, { type: "image/png" });
}

await work.image(0, await picture("white", "255"));
await work.image(1, await picture("black", "0"));
await work.scene(2, await numberedVideo(folder, 0, 180));
const { id: leftFirst } = await work.asset(await picture("left", "255*gte(X,32)"));

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const options = { width: 64, height: 48, fps: 10 };
const film = (...clips: readonly object[]) => ({
  projectId,
  workId,
  options,
  clips: clips.map((clip, index) => ({ sceneIndex: index, position: index, end: index + 1, ...clip })),
});

/** The red channel of a pixel, by the fractions of both sides. */
async function frameAt(seconds: number, request: object, { target = "", width = options.width } = {}) {
  const response = await ann.json("POST", `/api/export/frame?t=${seconds}${target && `&target=${target}`}`, request);
  if (response.status !== 200) throw new Error(await response.text());
  const pixels = await pixelsOf(new Uint8Array(await response.arrayBuffer()));
  return (x: number, y: number) => pixels[3 * (y * width + x)]!;
}

test("a clip is scaled, moved and faded over the background", async () => {
  const keyframes = { centerX: [{ at: "50%", value: -16 }], opacity: [{ at: 0, value: 0.5 }] };
  const request = film({ scale: 0.5, keyframes });
  const at = await frameAt(0.5, { ...request, options: { ...options, background: "#640000" } });
  expect(Math.abs(at(16, 24) - (255 + 100) / 2)).toBeLessThan(5);
  expect(Math.abs(at(48, 24) - 100)).toBeLessThan(5);
});

const rect = { type: "shape", shape: "rect", position: 0, end: 2, width: 16, height: 48, fill: "#ffffff" };

test("a clip shows what a shape, an image or a layer masks, over the background", async () => {
  const shown = async (clip: object, more: object = {}) => {
    const at = await frameAt(0.5, { ...film(clip), ...more, options: { ...options, background: "#640000" } });
    return [8, 24, 40, 56].map((x) => Math.round(at(x, 24) / 50));
  };
  expect(await shown({ mask: { shape: "rect", x: 16, width: 32, height: 48 } })).toEqual([2, 5, 5, 2]);
  expect(await shown({ mask: { shape: "rect", x: 16, width: 32, height: 48, invert: true } })).toEqual([5, 2, 2, 5]);
  // the image is light on the right
  expect(await shown({ mask: { assetId: leftFirst, by: "luma" } })).toEqual([2, 2, 5, 5]);
  const layers = [
    {
      ...rect,
      id: "bar",
      keyframes: {
        centerX: [
          { at: 0, value: -24 },
          { at: 0.5, value: -24 },
          { at: 0.5, value: 24 },
        ],
      },
    },
  ];
  expect(await shown({ mask: { layer: "bar" } }, { layers })).toEqual([2, 2, 2, 5]);
  // shapes move with the clip, and layers do not
  const moved = { keyframes: { centerX: [{ at: 0, value: 16 }] } };
  expect(await shown({ ...moved, mask: { shape: "rect", width: 16, height: 48 } })).toEqual([2, 5, 2, 2]);
  expect(await shown({ ...moved, mask: { layer: "bar" } }, { layers })).toEqual([2, 2, 2, 5]);
  expect(await shown({ opacity: 0.5, mask: { shape: "rect", width: 16, height: 48 } })).toEqual([4, 2, 2, 2]);
});

test("exports, frames and other formats show the same mask, and a transition keeps it", async () => {
  const mask = { shape: "rect", x: 16, width: 32, height: 48 };
  const request = film({ mask, transition: "push-left", transitionDuration: 1 }, { filter: { invert: 0 } });
  const response = await ann.json("POST", "/api/export", request);
  const frames = await lumaFrames(ffmpegs()[0]!, await saveResponse(folder, response), options);
  const lumas = (frame: number) => [8, 24, 40, 56].map((x) => (frames[frame]!.levels[24 * 64 + x]! > 128 ? 1 : 0));
  expect(lumas(5)).toEqual([0, 1, 1, 0]);
  // half of the way to the left
  expect(lumas(15)).toEqual([1, 0, 0, 0]);
  const at = await frameAt(0.5, request);
  expect([8, 24, 40, 56].map((x) => (at(x, 24) > 128 ? 1 : 0))).toEqual([0, 1, 1, 0]);
});

test("masks of clips and of whole frames are placed in other targets", async () => {
  const inTarget = async (request: object) => {
    const targets = { ...film({}), ...request, options: { ...options, targets: ["1:1"] } };
    const at = await frameAt(0.5, targets, { target: "1:1", width: 48 });
    return [6, 18, 30, 42].map((x) => (at(x, 24) > 128 ? 1 : 0));
  };
  const halves = { mask: { shape: "rect", x: 16, width: 32, height: 48 } };
  expect(await inTarget(film(halves))).toEqual([0, 1, 1, 0]);
  const layers = [{ ...rect, id: "bar", width: 24, centerX: 16 }];
  expect(await inTarget({ ...film({ mask: { layer: "bar" } }), layers })).toEqual([0, 0, 1, 1]);
  const black = { type: "shape", shape: "rect", position: 0, end: 2, fill: "#000000", mask: { layer: "bar" } };
  expect(await inTarget({ layers: [black, ...layers] })).toEqual([1, 1, 0, 0]);
});

test("without a background, a mask is transparency, and nothing is blended", async () => {
  const request = film({ mask: { shape: "rect", width: 32, height: 48 }, blend: "multiply" });
  const png = { ...request, options: { ...options, background: "transparent", format: "png", at: 0.5 } };
  const response = await ann.json("POST", "/api/export", png);
  const image = await loadImage(Buffer.from(await response.arrayBuffer()));
  const context = createCanvas(64, 48).getContext("2d");
  context.drawImage(image, 0, 0);
  const alphas = [8, 24, 40, 56].map((x) => [...context.getImageData(x, 24, 1, 1).data]);
  expect(alphas.map(([red, , , alpha]) => [red, alpha])).toEqual([
    [255, 255],
    [255, 255],
    [0, 0],
    [0, 0],
  ]);
});

test("what a mask of a clip names must be there", async () => {
  const refused = async (mask: object) => {
    const response = await ann.json("POST", "/api/export/frame?t=0", film({ mask }));
    const { code, details } = await response.json();
    return [response.status, code, details[0].path];
  };
  expect(await refused({ layer: "none" })).toEqual([400, "validation_error", "clips.0.mask.layer"]);
  expect(await refused({ assetId: "asset_none" })).toEqual([422, "asset_missing", "clips.0.mask.assetId"]);
  expect(await refused({})).toEqual([400, "validation_error", "clips.0.mask"]);
});

test("an export shows a move and a transition by the brightness of a picture", async () => {
  const luma = { transition: "luma", transitionAssetId: leftFirst, transitionDuration: 1 };
  const request = film({ move: "zoom-in", ...luma }, { filter: { invert: 0.5 } });
  const response = await ann.json("POST", "/api/export", request);
  const path = await saveResponse(folder, response);
  const frames = await lumaFrames(ffmpegs()[0]!, path, options);
  expect(frames).toHaveLength(20);
  const [left, right] = [8, 56].map((x) => frames[14]!.levels[24 * 64 + x]!);
  // half inverted is gray
  expect(Math.abs(left! - 126)).toBeLessThan(8);
  expect(right!).toBeGreaterThan(225);
  const frame = await frameAt(1.4, request);
  expect(Math.abs(frame(8, 24) - 128)).toBeLessThan(10);
});

test("what is wrong with a clip is reported with its path", async () => {
  const late = [
    { at: 0.5, value: 1 },
    { at: "10%", value: 2 },
  ];
  const body = await requireJson(
    ann.json(
      "POST",
      "/api/export/validate",
      film({ transition: "luma", transitionAssetId: "asset_1" }, { keyframes: { scale: late } }),
    ),
  );
  expect(JSON.stringify(body.errors)).toContain("clips.0.transitionAssetId");
  expect(JSON.stringify(body.errors)).toContain("clips.1.keyframes.scale.1.at");
});

const numbered = { sceneIndex: 2, position: 0, end: 2, cutFrom: 1 };
const small = { ...options, width: 64, height: 36, fps: 30 };
const timed = (clip: object) => ({ ...film(), options: small, clips: [{ ...numbered, ...clip }] });

test("a clip plays at its speed, at one that changes, and backwards", async () => {
  const numbersOf = async (clip: object) => {
    const response = await ann.json("POST", "/api/export", timed(clip));
    return await readNumbers(ffmpegs()[0]!, await saveResponse(folder, response));
  };
  const frames = countUp(0, 60);
  expect(await numbersOf({ speed: 1.5 })).toEqual(frames.map((frame) => 30 + Math.floor(frame * 1.5)));
  expect(await numbersOf({ reverse: true, speed: 2 })).toEqual(frames.map((frame) => 30 + 2 * (59 - frame)));
  const freeze = {
    speed: [
      { at: "50%", value: 1 },
      { at: "50%", value: 0 },
    ],
  };
  expect(await numbersOf({ keyframes: freeze, speed: 5 })).toEqual(frames.map((frame) => 30 + Math.min(30, frame)));
});

test("a source that ends early because of its speed is told in frames of the video", async () => {
  const warningsOf = async (clip: object) => {
    const { warnings } = await requireJson(ann.json("POST", "/api/export/validate", timed(clip)));
    return warnings.filter(({ code }: { code: string }) => code === "source_too_short");
  };
  expect(await warningsOf({ speed: 2.5 })).toEqual([]);
  // five seconds at four times their speed last for 37.5 frames
  expect((await warningsOf({ speed: 4 }))[0].message).toContain("ends 22 frame(s) early");
  expect((await warningsOf({ speed: 4, reverse: true }))[0].message).toContain("for the first 23 frame(s)");
  expect(
    await warningsOf({
      keyframes: {
        speed: [
          { at: 0, value: 9 },
          { at: 1, value: 0 },
        ],
      },
    }),
  ).toEqual([]);
});

test("speeds have bounds", async () => {
  for (const [clip, path] of [
    [{ speed: 0 }, "clips.0.speed"],
    [{ speed: 10.1 }, "clips.0.speed"],
    [{ reverse: "yes" }, "clips.0.reverse"],
    [{ keyframes: { speed: [{ at: 0, value: -1 }] } }, "clips.0.keyframes.speed.0.value"],
  ] as const) {
    const response = await ann.json("POST", "/api/export", timed(clip));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(`"${path}"`);
  }
});
