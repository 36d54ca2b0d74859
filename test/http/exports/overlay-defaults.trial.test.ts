import { describe, expect, test } from "bun:test";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { sharedService } from "../../support/service.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");

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

describe("the layer of an overlay", () => {
  const shown = { position: 0, end: 1 };
  const image = { assetId, ...shown, ...size, maintainAspectRatio: false };
  const text = { text: "■", fontSize: 60, fontColor: "#00ff00", shadowColor: "transparent", ...shown };

  async function middle(overlays: { texts: object[]; images: object[] }, query = ""): Promise<number[]> {
    const picture = await loadImage(await frame(overlays, query));
    const context = createCanvas(1, 1).getContext("2d");
    context.drawImage(picture, -80, -45);
    return [...context.getImageData(0, 0, 1, 1).data.subarray(0, 2)].map((value) => Math.round(value / 255));
  }
  const [red, green] = [
    [1, 0],
    [0, 1],
  ];

  test.each([
    [undefined, undefined, green],
    [0, 0, green],
    [1, undefined, green],
    [2, undefined, red],
    [undefined, -1, red],
    [-100, -99, green],
    [100, 99, red],
    [null, null, green],
  ])("an image in %p and a text in %p", async (imageLayer, textLayer, color) => {
    const overlays = { images: [{ ...image, layer: imageLayer }], texts: [{ ...text, layer: textLayer }] };
    expect(await middle(overlays)).toEqual(color!);
  });

  test("keeps the order of a list where it is the same", async () => {
    const blue = { ...text, fontColor: "#0000ff" };
    expect(await middle({ images: [], texts: [blue, text] })).toEqual(green!);
    expect(
      await middle({
        images: [],
        texts: [
          { ...text, layer: 1 },
          { ...blue, layer: 0 },
        ],
      }),
    ).toEqual(green!);
    expect(await middle({ images: [], texts: [text, blue] })).toEqual([0, 0]);
  });

  test("is kept in saved editors and in templates, and counts in their exports", async () => {
    const track = [{ id: "a", start: 0, end: 1 }];
    const { textOverlays, imageOverlays } = {
      textOverlays: [{ ...text, id: "a", timingMode: "relative" }],
      imageOverlays: [{ ...image, id: "b", timingMode: "relative", layer: 5 }],
    };
    const content = { textOverlays, imageOverlays, exportSettings: { ...size, fps: 10 } };
    const base = `/api/projects/${projectId}`;
    const template = await requireJson(ann.json("POST", `${base}/templates`, { name: "T", content }));
    expect(template.content.imageOverlays[0].layer).toBe(5);
    const applied = await requireJson(
      ann.json("POST", `${base}/templates/${template.id}/apply`, { videoDuration: 1, placeholderValues: {} }),
    );
    expect(applied.imageOverlays[`${template.id}-b`].layer).toBe(5);

    const editorState = {
      editorData: { videoTrack: [{ id: "v", start: 0, end: 1, sceneIndex: 0 }], textTrack: track, imageTrack: track },
      textOverlays: { a: { ...text, layer: -3 } },
      imageOverlays: { a: image },
      exportSettings: { ...size, fps: 10 },
    };
    const saved = await requireJson(ann.json("PUT", `${base}/works/${workId}`, { editorState }));
    expect(saved.editorState.textOverlays.a.layer).toBe(-3);
    const response = await ann.json("POST", "/api/export/frame?t=0", { projectId, workId });
    const covered = { images: [image], texts: [{ ...text, layer: -3 }] };
    const clips = [{ sceneIndex: 0, position: 0, end: 1 }];
    const same = await ann.json("POST", "/api/export/frame?t=0", {
      ...{ projectId, workId, clips, ...covered },
      options: { ...size, fps: 10 },
    });
    expect(isSame(await response.bytes(), await same.bytes())).toBe(true);
    expect(await middle(covered)).toEqual(red!);
  });

  test.each([101, -101, 0.5, "top"])("is refused as %p", async (layer) => {
    const clips = [{ sceneIndex: 0, position: 0, end: 1 }];
    const body = { projectId, workId, clips, texts: [{ ...text, layer }], images: [{ ...image, layer }] };
    const response = await ann.json("POST", "/api/export", body);
    const { details } = await response.json();
    expect([response.status, details.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ["texts.0.layer", "images.0.layer"],
    ]);
  });
});
