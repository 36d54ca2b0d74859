import { afterAll, beforeEach, expect, test } from "bun:test";
import { jsonClient } from "../../support/json-client.ts";
import { scriptedModels } from "../../support/models/scripted-models.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { testService } from "../../support/service.ts";
import { formOf, png, wav } from "../../support/uploads.ts";

const { script, models } = scriptedModels();
const service = await testService({}, undefined, models);
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(() => service.close());
beforeEach(() => script.reset());

const scene = { duration_seconds: 5, image_prompt: "A cup", video_prompt: "It turns" };

/** A work of one scene, and assets of its project. */
async function productWork(...files: readonly File[]) {
  const work = await workWithScenes(ann, { scenes: [scene] });
  const assets = `/api/projects/${work.projectId}/assets`;
  const ids: string[] = [];
  for (const file of files) {
    const response = await ann.request(assets, { method: "POST", body: formOf({ file }) });
    ids.push((await response.json()).id);
  }
  const show = (referenceAssetIds?: readonly string[]) =>
    api("PUT", work.base, { scenes: [{ ...scene, ...(referenceAssetIds && { referenceAssetIds }) }] });
  const callsOf = async () => {
    script.reset();
    expect((await api("POST", `${work.base}/generate/scene/0`)).status).toBe(200);
    return [script.imageTasks.length, script.videoTasks.length];
  };
  return { ...work, assets, ids, show, callsOf };
}

test("the pictures of the product go to both models, as many as each takes, and are part of what was asked for", async () => {
  const files = [png(30, 20), png(20, 30), png(24, 24)];
  const { ids, show, callsOf, base } = await productWork(...files);
  expect(await callsOf()).toEqual([1, 1]);
  expect(script.imageTasks[0]).toMatchObject({ references: [] });
  expect(script.imageTasks[0]!.prompt).not.toContain("product");

  expect((await show(ids)).body.scenes[0].referenceAssetIds).toEqual(ids);
  expect(await callsOf()).toEqual([1, 1]);
  const sent = await Promise.all(files.slice(0, 2).map((file) => file.bytes()));
  expect(script.imageTasks[0]!.references!.map(({ bytes }) => new Uint8Array(bytes))).toEqual(sent);
  expect(script.imageTasks[0]!.prompt).toContain("show the product");
  expect(script.videoTasks[0]!.references!.map(({ bytes }) => new Uint8Array(bytes))).toEqual(sent.slice(0, 1));
  expect(await callsOf()).toEqual([0, 0]);

  await show(ids.slice(0, 1));
  expect(await callsOf()).toEqual([1, 1]);
  expect(script.imageTasks[0]!.references).toHaveLength(1);

  // a single image or video of that scene is made from them too
  script.reset();
  const [, , , projectId, , workId] = base.split("/");
  const target = { projectId, workId, sceneIndex: 0 };
  expect((await api("POST", "/api/generate/image", { prompt: "A jug", ...target })).status).toBe(200);
  expect(script.imageTasks[0]!.references).toHaveLength(1);
  const { imageUrl } = (await api("GET", base)).body.generatedScenes[0];
  await api("POST", "/api/generate/video", { prompt: "It turns", image_url: imageUrl, ...target });
  expect(script.videoTasks[0]!.references).toHaveLength(1);

  // a scene that shows an asset itself has no image model
  await api("PUT", base, { assetUsageMode: "direct", selectedAssetIds: ids.slice(1, 2) });
  script.reset();
  await api("POST", `${base}/generate/scene/0`, { force: true });
  expect([script.imageTasks.length, script.videoTasks.length]).toEqual([0, 1]);
  expect(script.videoTasks[0]!.references).toHaveLength(1);
});

test("a picture that is gone, or is none, is named before anything is paid", async () => {
  const { base, assets, ids, show } = await productWork(png(), wav());
  const failure = async () => {
    const { status, body } = await api("POST", `${base}/generate/scene/0`);
    return [status, body.code, body.details[0].path];
  };
  await show(ids);
  expect(await failure()).toEqual([422, "asset_wrong_type", "scenes.0.referenceAssetIds.1"]);
  await show(ids.slice(0, 1));
  await api("DELETE", `${assets}/${ids[0]}`);
  expect(await failure()).toEqual([422, "asset_missing", "scenes.0.referenceAssetIds.0"]);
  expect(script.imageTasks).toEqual([]);
  const many = Array.from({ length: 9 }, (_, index) => `asset_${index}`);
  expect((await show(many)).body).toMatchObject({ details: [{ path: "scenes.0.referenceAssetIds" }] });
});
