import { afterAll, beforeEach, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { jsonClient } from "../../support/json-client.ts";
import { scriptedModels } from "../../support/models/scripted-models.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { sharedService, storesOnDisk, testService } from "../../support/service.ts";
import { filesOf, formOf, mp4, png, wav } from "../../support/uploads.ts";

const { script, models } = scriptedModels();
const service = await testService({}, undefined, models);
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(() => service.close());
beforeEach(() => script.reset());

const gif = () =>
  new File([Uint8Array.fromBase64("R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=")], "dot.gif", {
    type: "image/gif",
  });

const scene = { duration_seconds: 5, image_prompt: "A cup", negative_prompt: "", video_prompt: "It turns" };

/** A work of three scenes in the mode "direct", with one asset for each file. */
async function directWork(...files: readonly File[]) {
  const scenes = [0, 1, 2].map((scene_index) => ({ scene_index, ...scene }));
  const work = await workWithScenes(ann, { scenes, assetUsageMode: "direct" });
  const assetsUrl = `/api/projects/${work.projectId}/assets`;
  const assetIds: string[] = [];
  for (const file of files) {
    const response = await ann.request(assetsUrl, { method: "POST", body: formOf({ file }) });
    assetIds.push((await response.json()).id);
  }
  const select = (...selectedAssetIds: readonly string[]) => api("PUT", work.base, { selectedAssetIds });
  await select(...assetIds);
  const generate = (index = 0, headers: Record<string, string> = {}, body?: object) =>
    api("POST", `${work.base}/generate/scene/${index}`, body, headers);
  const callsOf = async (...request: Parameters<typeof generate>) => {
    script.reset();
    expect((await generate(...request)).status).toBe(200);
    return [script.imageTasks.length, script.videoTasks.length];
  };
  const media = async (file: "image" | "video", index = 0) => {
    const response = await ann.request(`${work.base}/media/scene/${index}/${file}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const removeAsset = (id: string) => api("DELETE", `${assetsUrl}/${id}`);
  return { ...work, assetIds, select, generate, callsOf, media, removeAsset };
}

const missing = (place: number) => ({
  status: 422,
  body: { code: "asset_missing", details: [{ path: `selectedAssetIds.${place}` }] },
});

test("scene i shows the asset i % n, and only the video model is asked", async () => {
  const { base, generate, scene: state, media } = await directWork(png(40, 20), png(20, 40));
  const headers = { "x-image-provider": "dalle", "x-video-provider": "gemini", "x-api-key": "video" };
  for (const index of [0, 1, 2]) {
    const urls = {
      imageUrl: `${base}/media/scene/${index}/image`,
      videoUrl: `${base}/media/scene/${index}/video`,
    };
    expect(await generate(index, headers)).toMatchObject({ status: 200, body: urls });
    expect(await state(index)).toEqual({ sceneIndex: index, status: "done", ...urls });
  }

  const wide = await png(40, 20).bytes();
  const tall = await png(20, 40).bytes();
  expect([await media("image", 0), await media("image", 1), await media("image", 2)]).toEqual([wide, tall, wide]);
  expect(script.inputImages).toEqual([wide, tall, wide]);
  expect(script.imageTasks).toEqual([]);
  expect(script.choices).toEqual(Array(3).fill({ provider: "gemini", apiKey: "video" }));
});

test("a GIF is the scene's image, and the model gets it as JPEG", async () => {
  const { generate, media } = await directWork(gif());
  await generate();
  expect(await media("image")).toEqual(await gif().bytes());
  expect([...script.inputImages[0]!.slice(0, 2)]).toEqual([0xff, 0xd8]);
});

test("a clip is the scene's video itself, with a still as image and without a model", async () => {
  const clip = await mp4();
  const { base, generate, media, scene: state } = await directWork(clip);
  const { status, body } = await generate();

  expect([status, body]).toEqual([
    200,
    { imageUrl: `${base}/media/scene/0/image`, videoUrl: `${base}/media/scene/0/video` },
  ]);
  expect(await media("video")).toEqual(await clip.bytes());
  const image = await ann.request(body.imageUrl);
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect((await state()).status).toBe("done");
  expect(script.choices).toEqual([]);
});

test.if(storesOnDisk)("the files are links, which take no space", async () => {
  const { generate } = await directWork(await mp4());
  const before = new Set(await filesOf(service));
  await generate();
  const added = (await filesOf(service)).filter((path) => !before.has(path) && path.endsWith(".mp4"));
  expect((await Promise.all(added.map((path) => stat(path)))).map(({ nlink }) => nlink)).toEqual([2]);
});

test("the files outlive the asset", async () => {
  const { assetIds, base, generate, media, removeAsset } = await directWork(await mp4());
  await generate();
  expect((await removeAsset(assetIds[0]!)).status).toBe(204);
  expect(await media("video")).toEqual(await (await mp4()).bytes());
  expect((await ann.request(`${base}/media/scene/0/image`)).status).toBe(200);
  expect(await generate()).toMatchObject(missing(0));
});

test("an asset that is not there is named by its place", async () => {
  const { assetIds, select, generate, scene: state } = await directWork(png());
  await select(assetIds[0]!, "asset_0190000000007000800000000000000a", "no id");
  expect(await generate(1)).toMatchObject(missing(1));
  expect(await generate(2)).toMatchObject(missing(2));
  expect(await state(1)).toBeUndefined();
  expect(script.choices).toEqual([]);
});

test("an asset that is no image and no video is rejected", async () => {
  const { generate } = await directWork(wav());
  const { status, body } = await generate();
  expect([status, body.code, body.details[0].path]).toEqual([422, "asset_wrong_type", "selectedAssetIds.0"]);
  expect(body.error).toBe("The asset that the scene shows is not an image or a video.");
});

test("without selected assets, the mode makes no difference", async () => {
  const { callsOf } = await directWork();
  expect(await callsOf()).toEqual([1, 1]);
});

test("another asset replaces the first, and the same one is copied once", async () => {
  const { assetIds, select, callsOf, media } = await directWork(png(40, 20), png(20, 40));
  const [wide, tall] = assetIds as [string, string];
  expect(await callsOf()).toEqual([0, 1]);
  expect(await callsOf(0, { "x-image-provider": "another" })).toEqual([0, 0]);
  await select(tall, wide);
  expect(await callsOf()).toEqual([0, 1]);
  expect(await media("image")).toEqual(await png(20, 40).bytes());
  expect(await callsOf(0, {}, { force: true })).toEqual([0, 1]);
});

test("a change of mode regenerates the scene", async () => {
  const { base, callsOf, media } = await directWork(await mp4());
  expect(await callsOf()).toEqual([0, 0]);
  await api("PUT", base, { assetUsageMode: "reference" });
  expect(await callsOf()).toEqual([1, 1]);
  expect(await media("image")).toEqual(await png(64, 36).bytes());
  await api("PUT", base, { assetUsageMode: "direct" });
  expect(await callsOf()).toEqual([0, 0]);
  expect(await media("video")).toEqual(await (await mp4()).bytes());
});

test("an uploaded image stays and is animated; force takes the asset", async () => {
  const { callsOf, upload, media } = await directWork(png(40, 20));
  await upload("scene/0/image", png(30, 30));
  expect(await callsOf()).toEqual([0, 1]);
  expect(script.inputImages).toEqual([await png(30, 30).bytes()]);
  await callsOf(0, {}, { force: true });
  expect(await media("image")).toEqual(await png(40, 20).bytes());
});

test("a replaced asset's file is removed from the store", async () => {
  const { assetIds, select, callsOf } = await directWork(png(40, 20), png(20, 40));
  await callsOf();
  const files = (await filesOf(service)).length;
  await select(assetIds[1]!);
  await callsOf();
  expect((await filesOf(service)).length).toBe(files);
});

test("the local provider animates an asset without keys", async () => {
  const bob = await (await sharedService()).register("Bob");
  const work = await workWithScenes(bob, {
    scenes: [{ scene_index: 0, ...scene, duration_seconds: 0.5 }],
    assetUsageMode: "direct",
    resolution: { width: 90, height: 160 },
  });
  const uploaded = await bob.request(`/api/projects/${work.projectId}/assets`, {
    method: "POST",
    body: formOf({ file: png(40, 20) }),
  });
  const { id } = await uploaded.json();
  const client = jsonClient(bob);
  await client("PUT", work.base, { selectedAssetIds: [id] });
  const { status, body } = await client("POST", `${work.base}/generate/scene/0`);
  expect(status).toBe(200);
  const response = await bob.request(body.imageUrl);
  expect(await response.bytes()).toEqual(await png(40, 20).bytes());
});
