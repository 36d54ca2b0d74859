import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { pixelsOf } from "../../support/media/rgb.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const work = await newWork(ann);
const { projectId, workId } = work;
const { id: assetId } = await work.asset(png(8, 8));

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const options = { width: 64, height: 48, fps: 10 };
const film = (rest: object) => ({ projectId, workId, options, clips: [], ...rest });
const validate = (rest: object) => requireJson(ann.json("POST", "/api/export/validate", film(rest)));

async function frameAt(seconds: number, rest: object) {
  const response = await ann.json("POST", `/api/export/frame?t=${seconds}`, film(rest));
  if (response.status !== 200) throw new Error(await response.text());
  const bytes = new Uint8Array(await response.arrayBuffer());
  const pixels = await pixelsOf(bytes);
  return (x: number, y: number) => [0, 1, 2].map((channel) => pixels[3 * (y * options.width + x) + channel]);
}

/** The encoded colors of a frame differ by a few levels. */
const expectColor = (found: readonly (number | undefined)[], wanted: readonly number[]) =>
  expect(found.map((level, channel) => Math.abs(level! - wanted[channel]!) <= 4)).toEqual([true, true, true]);

const square = { type: "shape", shape: "rect", width: 20, height: 20, fill: "red" };

test("a film of layers alone shows them over its background", async () => {
  const layers = [
    {
      ...square,
      end: 2,
      keyframes: {
        centerX: [
          { at: 0, value: -20 },
          { at: 1, value: 20, easing: "step" },
        ],
      },
    },
    {
      type: "group",
      end: 2,
      width: 20,
      height: 20,
      x: 0,
      y: 0,
      layers: [{ ...square, fill: "blue", width: 10, height: 10 }],
    },
  ];
  const request = { layers, options: { ...options, background: "lime" } };
  const before = await frameAt(0.2, request);
  expectColor(before(12, 24), [255, 0, 0]);
  expectColor(before(52, 24), [0, 255, 0]);
  expectColor(before(10, 10), [0, 0, 255]);
  expectColor(before(2, 2), [0, 255, 0]);
  const after = await frameAt(1.2, request);
  expectColor(after(12, 24), [0, 255, 0]);
  expectColor(after(52, 24), [255, 0, 0]);
});

test("validation and the export agree about the length and about what is wrong", async () => {
  expect(await validate({ layers: [{ ...square, end: 2 }] })).toMatchObject({
    ok: true,
    durationSeconds: 2,
    frames: 20,
  });
  expect(await validate({ layers: [square], options: { ...options, duration: 3 } })).toMatchObject({
    durationSeconds: 3,
  });
  const wrong = [
    {
      ...square,
      end: 1,
      keyframes: {
        opacity: [
          { at: 1, value: 0 },
          { at: "10%", value: 1 },
        ],
      },
    },
    { type: "group", layers: [{ type: "image", assetId: "asset_gone" }] },
    { ...square, id: "self", mask: { layer: "self" } },
  ];
  const { errors } = await validate({ layers: wrong });
  expect(errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
    ["layers.1.layers.0.assetId", "asset_missing"],
    ["layers.0.keyframes.opacity.1.at", "validation_error"],
    ["layers.2.mask.layer", "mask_cycle"],
  ]);
  const response = await ann.json(
    "POST",
    "/api/exports",
    film({ layers: wrong.slice(2), options: { ...options, duration: 1 } }),
  );
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ code: "mask_cycle", details: [{ path: "layers.0.mask.layer" }] });
});

test("a film without anything that ends is an error of its clips", async () => {
  for (const rest of [{}, { layers: [square] }]) {
    const response = await ann.json("POST", "/api/exports", film(rest));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ path: "clips", message: "Clips must not be empty." }] });
  }
});

test("a film of layers alone is exported", async () => {
  const layers = [
    { ...square, fill: "white", end: 1, enter: { name: "wipe", seconds: 0.5 } },
    { type: "image", assetId, x: 0, y: 0, end: 1 },
  ];
  const path = await saveResponse(folder, await ann.json("POST", "/api/export", film({ layers })));
  const frames = await lumaFrames(ffmpegs()[0]!, path, options);
  expect(frames).toHaveLength(10);
});

test("layers of the saved editor are kept by editors that do not know them, until they are deleted", async () => {
  const path = `/api/projects/${projectId}/works/${workId}`;
  const save = (editorState: object) => requireJson(ann.json("PUT", path, { editorState }));
  const saved = await save({ layers: [{ ...square, end: 2 }], editorData: { textTrack: [] } });
  expect(saved.work?.editorState?.layers ?? saved.editorState?.layers).toHaveLength(1);
  const kept = await save({ audioVolume: 0.5 });
  expect(kept.work?.editorState?.layers ?? kept.editorState?.layers).toHaveLength(1);
  expect(await requireJson(ann.json("POST", "/api/export/validate", { projectId, workId }))).toMatchObject({
    ok: true,
    durationSeconds: 2,
  });
  const deleted = await save({ layers: [] });
  expect(deleted.work?.editorState?.layers ?? deleted.editorState?.layers).toEqual([]);
});

test("each page of captions enters as a layer does", async () => {
  const words = [
    { text: "One", start: 0, end: 1 },
    { text: "two", start: 1, end: 2 },
  ];
  const captions = {
    words,
    maxWordsPerLine: 1,
    maxLines: 1,
    enter: { name: "fade", seconds: 1, easing: "linear" },
    style: "plain",
  };
  const request = { captions, options: { ...options, duration: 2 } };
  const brightest = async (seconds: number) => {
    const pixel = await frameAt(seconds, request);
    const levels = Array.from(
      { length: options.width * options.height },
      (_, at) => pixel(at % options.width, Math.floor(at / options.width))[0] ?? 0,
    );
    return Math.max(...levels);
  };
  const [early, late, next] = [await brightest(0.2), await brightest(0.9), await brightest(1.2)];
  expect(early).toBeGreaterThan(20);
  expect(late).toBeGreaterThan(early + 60);
  expect(Math.abs(next - early)).toBeLessThan(40);
  expect(
    (await validate({ captions: { ...captions, enter: "typewriter" }, options: request.options })).errors,
  ).toMatchObject([{ path: "captions.enter" }]);
});

test("a template lays its layers over a work, with the values of its placeholders", async () => {
  const content = {
    layers: [
      { type: "text", text: "Only {{price}}", end: 3, enter: "pop" },
      { type: "image", assetId, end: 3 },
    ],
  };
  const created = await requireJson(
    ann.json("POST", `/api/projects/${projectId}/templates`, { name: "Offer", content }),
  );
  expect(created.content.layers).toHaveLength(2);
  const picture = await ann.json("GET", `/api/projects/${projectId}/templates/${created.id}/thumbnail`);
  expect(picture.status).toBe(200);
  const work = await requireJson(ann.json("POST", `/api/projects/${projectId}/works`, { videoDuration: 3 }));
  const applied = await requireJson(
    ann.json("POST", `/api/projects/${projectId}/works/${work.id}/apply-template`, {
      templateId: created.id,
      placeholderValues: { price: "$9" },
    }),
  );
  expect((applied.work ?? applied).editorState.layers).toMatchObject([{ text: "Only $9" }, { assetId }]);
  const body = { projectId, workId: work.id };
  expect(await requireJson(ann.json("POST", "/api/export/validate", body))).toMatchObject({
    ok: true,
    durationSeconds: 3,
  });
  const wrong = await ann.json("POST", `/api/projects/${projectId}/templates`, {
    name: "Wrong",
    content: { layers: [{ type: "text", text: "x", enter: "draw" }] },
  });
  expect(await wrong.json()).toMatchObject({ details: [{ path: "content.layers.0.enter" }] });
});

test("the background shows beside a contained clip and through a transparent one", async () => {
  const { projectId: project, workId: id, image } = await newWork(ann);
  await image(0, png(48, 48, "rgba(0, 0, 255, 0.5)"));
  const clips = [{ sceneIndex: 0, position: 0, end: 1, fit: "contain" }];
  const request = { projectId: project, workId: id, clips, options: { ...options, background: "#ff8000" } };
  const pixel = await frameAt(0.5, request);
  expectColor(pixel(2, 24), [255, 128, 0]);
  expectColor(pixel(32, 24), [128, 64, 128]);
  expectColor((await frameAt(0.5, { ...request, options }))(2, 24), [0, 0, 0]);
});

test("a duration continues or cuts a film of clips", async () => {
  const { projectId: project, workId: id, image } = await newWork(ann);
  await image(0, png(64, 48, "white"));
  const film = { projectId: project, workId: id, clips: [{ sceneIndex: 0, position: 0, end: 1 }] };
  const lengthWith = async (duration: number) =>
    (await validate({ ...film, options: { ...options, duration } })).durationSeconds;
  expect([await lengthWith(0.5), await lengthWith(2)]).toEqual([0.5, 2]);
  expectColor((await frameAt(1.5, { ...film, options: { ...options, duration: 2 } }))(32, 24), [0, 0, 0]);
});

test("layers are placed again in another target", async () => {
  const sky = { type: "shape", shape: "rect", fill: "blue", end: 1 };
  const request = { layers: [sky, { ...square, end: 1 }], options: { ...options, targets: ["16:9", "1:1"] } };
  const response = await ann.json("POST", "/api/export/frame?t=0.5&target=1:1", film(request));
  const pixels = await pixelsOf(new Uint8Array(await response.arrayBuffer()));
  const pixel = (x: number, y: number) => [...pixels.slice(3 * (48 * y + x), 3 * (48 * y + x) + 3)];
  expectColor(pixel(24, 24), [255, 0, 0]);
  for (const [x, y] of [
    [1, 1],
    [46, 46],
  ] as const)
    expectColor(pixel(x, y), [0, 0, 255]);
});

test("an editor that sends its clips without layers gets the saved ones", async () => {
  const { projectId: project, workId: id, image } = await newWork(ann);
  await image(0, png(64, 48, "black"));
  const clip = { id: "a", start: 0, end: 1, sceneIndex: 0 };
  const editorState = { editorData: { videoTrack: [clip] }, layers: [{ ...square, end: 1 }] };
  await requireJson(ann.json("PUT", `/api/projects/${project}/works/${id}`, { editorState }));
  const clips = [{ sceneIndex: 0, position: 0, end: 1 }];
  const sent = { projectId: project, workId: id, clips, texts: [] };
  expectColor((await frameAt(0.5, sent))(32, 24), [255, 0, 0]);
  expectColor((await frameAt(0.5, { ...sent, layers: [] }))(32, 24), [0, 0, 0]);
  expectColor((await frameAt(0.5, { ...sent, clips: undefined, texts: undefined }))(32, 24), [255, 0, 0]);
});

test("an export names the language that its texts depend on, which the work may change later", async () => {
  const created = await requireJson(ann.json("POST", `/api/projects/${projectId}/works`, { language: "tr" }));
  const text = { type: "text", text: "i", case: "upper", end: 0.2 };
  const request = { projectId, workId: created.id, options, clips: [], layers: [text, { ...text, case: null }] };
  const { id } = await requireJson(ann.json("POST", "/api/exports", request));
  await (await ann.json("GET", `/api/exports/${id}/events`)).text();
  const value = await requireJson(ann.json("GET", `/api/exports/${id}/film.json`));
  expect(value.request.layers.map(({ language }: { language?: string }) => language)).toEqual(["tr", undefined]);
});
