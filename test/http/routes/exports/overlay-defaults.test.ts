import { afterAll, describe, expect, test } from "bun:test";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { testService } from "../../../helpers/service.ts";
import { newWork, requireJson } from "../../../helpers/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
afterAll(() => service.close());

async function pngOf(color: string, width: number, height: number): Promise<File> {
  const context = createCanvas(width, height).getContext("2d");
  context.fillStyle = color;
  context.fillRect(0, 0, width, height);
  return new File([new Uint8Array(await context.canvas.encode("png"))], "color.png", { type: "image/png" });
}

/** A white scene, and a red image twice as wide as high. */
const work = await newWork(ann);
await work.image(0, await pngOf("white", 160, 90));
const { id: assetId } = await work.asset(await pngOf("red", 40, 20));
const { projectId, workId } = work;
const size = { width: 160, height: 90 };

async function frame({ options, ...overlays }: { options?: object; texts?: object[]; images?: object[] }, query = "") {
  const clips = [{ sceneIndex: 0, position: 0, end: 1, fit: "cover" }];
  const body = { projectId, workId, clips, ...overlays, options: { ...size, ...options } };
  const response = await ann.json("POST", `/api/export/frame?t=0${query}`, body);
  if (!response.ok) throw new Error(await response.text());
  return await response.bytes();
}

const textFrame = (fields: object, options: object = {}, query = "") =>
  frame({ texts: [{ text: "three or four words", position: 0, end: 1, fontSize: 25, ...fields }], options }, query);

const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

const softShadow = { shadowColor: "rgb(0 0 0 / 0.6)", shadowBlur: 3, shadowOffsetX: 0, shadowOffsetY: 1 };
const explicit = { fontWeight: 700, maxWidth: 144, ...softShadow };

describe("a text without a style of its own", () => {
  test("is bold, wraps at 90 % of the frame's width and has a soft shadow", async () => {
    const shown = await textFrame({});
    expect(isSame(shown, await textFrame(explicit))).toBe(true);
    for (const other of [{ fontWeight: 400 }, { maxWidth: 130 }, { shadowColor: "transparent" }, { strokeWidth: 1 }]) {
      expect([other, isSame(shown, await textFrame(other))]).toEqual([other, false]);
    }
  });

  test("is readable on white", async () => {
    const darkest = async (fields: object) => {
      const image = await loadImage(await textFrame(fields));
      const context = createCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      return Math.min(...data.filter((_, index) => index % 4 === 1));
    };
    expect(await darkest({})).toBeLessThan(160);
    expect(await darkest({ shadowColor: "transparent" })).toBeGreaterThan(250);
  });

  test.each(["9:16", "1:1"])("wraps at 90 % of the width of the target %s", async (target) => {
    const options = { targets: ["16:9", target] };
    const query = `&target=${target}`;
    const shown = await textFrame({}, options, query);
    expect(isSame(shown, await textFrame({ ...explicit, maxWidth: 81 }, options, query))).toBe(true);
    expect(isSame(shown, await textFrame(explicit, options, query))).toBe(false);
  });

  test("keeps its lines in a draft", async () => {
    const draft = { quality: "draft" };
    expect(isSame(await textFrame({}, draft), await textFrame(explicit, draft))).toBe(true);
  });
});

describe("an image with both sides", () => {
  const imageFrame = (fields: object) => frame({ images: [{ assetId, position: 0, end: 1, x: 10, y: 10, ...fields }] });

  test("is contained in its box, in a request and in a saved editor", async () => {
    const shown = await imageFrame({ width: 60, height: 60 });
    expect(isSame(shown, await imageFrame({ y: 25, width: 60, height: 30 }))).toBe(true);

    const editorState = {
      editorData: {
        videoTrack: [{ id: "v", sceneIndex: 0, start: 0, end: 1 }],
        imageTrack: [{ id: "i", start: 0, end: 1 }],
      },
      imageOverlays: { i: { assetId, width: 60, height: 60, centerX: -40, centerY: -5 } },
      exportSettings: { ...size, fps: 30 },
    };
    await requireJson(ann.json("PUT", work.base, { editorState }));
    expect(isSame(await (await ann.request(`${work.base}/frame?t=0`)).bytes(), shown)).toBe(true);
  });

  test("is stretched if maintainAspectRatio is false", async () => {
    const stretched = await imageFrame({ width: 60, height: 60, maintainAspectRatio: false });
    expect(isSame(stretched, await imageFrame({ width: 60, height: 60 }))).toBe(false);
  });
});
