import { afterAll, beforeEach, expect, test } from "bun:test";
import { DomainError } from "../../../src/errors.ts";
import { jsonClient } from "../../support/json-client.ts";
import { scriptedModels } from "../../support/models/scripted-models.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { testService } from "../../support/service.ts";
import { filesOf, mp4, png } from "../../support/uploads.ts";

const { script, models } = scriptedModels();
const service = await testService({}, undefined, models);
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(() => service.close());
beforeEach(() => script.reset());

const scene = { duration_seconds: 5, image_prompt: "A cup", negative_prompt: "text", video_prompt: "It turns" };
const scenes = (changes: object = {}) => [
  { scene_index: 0, ...scene, ...changes },
  { scene_index: 1, ...scene },
];

type Headers = Record<string, string>;

async function newWork() {
  const work = await workWithScenes(ann, { scenes: scenes() });
  const generate = (headers: Headers = {}, body?: unknown) =>
    api("POST", `${work.base}/generate/scene/0`, body, headers);
  const change = (fields: object) => api("PUT", work.base, fields);
  const style = (styleGuide: object) => api("PUT", `/api/projects/${work.projectId}`, { styleGuide });
  const media = async (file: "image" | "video") =>
    new Uint8Array(await (await ann.request(`${work.base}/media/scene/0/${file}`)).arrayBuffer());
  const urls = { imageUrl: `${work.base}/media/scene/0/image`, videoUrl: `${work.base}/media/scene/0/video` };
  return { ...work, generate, change, style, media, urls };
}

/** A work whose first scene has media made by these models, with a function that counts the calls of each request. */
async function generatedWork(headers?: Headers) {
  const work = await newWork();
  await work.generate(headers);
  const callsOf = async (again: Headers = {}, body?: unknown) => {
    script.reset();
    const response = await work.generate(again, body);
    expect(response).toMatchObject({ status: 200, body: work.urls });
    return [script.imageTasks.length, script.videoTasks.length];
  };
  return { ...work, callsOf };
}

type GeneratedWork = Awaited<ReturnType<typeof generatedWork>>;

const both = [1, 1];
const videoOnly = [0, 1];
const none = [0, 0];

/** One work goes through all of these in this order. */
const changes: [name: string, edit: (work: GeneratedWork) => unknown, calls: number[]][] = [
  ["another image prompt", ({ change }) => change({ scenes: scenes({ image_prompt: "A jug" }) }), both],
  ["spaces around a prompt", ({ change }) => change({ scenes: scenes({ image_prompt: " A jug\n" }) }), none],
  ["another negative prompt", ({ change }) => change({ scenes: scenes({ negative_prompt: "people" }) }), both],
  ["another text", ({ change }) => change({ scenes: scenes({ negative_prompt: "people", text_overlay: "Hi" }) }), none],
  ["another video prompt", ({ change }) => change({ scenes: scenes({ video_prompt: "It falls" }) }), both],
  ["only another video prompt", ({ change }) => change({ scenes: scenes({ video_prompt: "It flies" }) }), videoOnly],
  ["another duration", ({ change }) => change({ scenes: scenes({ duration_seconds: 7 }) }), videoOnly],
  ["another image instruction", ({ change }) => change({ imageSystemPrompt: "Use ink." }), both],
  ["another video instruction", ({ change }) => change({ videoSystemPrompt: "One shot." }), videoOnly],
  ["another resolution", ({ change }) => change({ resolution: { width: 90, height: 160 } }), both],
  ["another style", ({ style }) => style({ tone: "calm", camera: { lens: 35, height: 2 } }), both],
  ["a style in another order", ({ style }) => style({ camera: { height: 2, lens: 35 }, tone: "calm" }), none],
  ["no style", ({ style }) => style({}), both],
  ["a style without content", ({ style }) => style({ tone: "", must_avoid: [] }), none],
  ["assets for reference", ({ change }) => change({ selectedAssetIds: ["a"], assetUsageMode: "reference" }), none],
  ["another name", ({ change }) => change({ name: "Another" }), none],
  ["a deleted video", ({ base }) => api("DELETE", `${base}/media/scene/0/video`), videoOnly],
  ["a deleted image", ({ base }) => api("DELETE", `${base}/media/scene/0/image`), both],
  ["an uploaded image", ({ upload }) => upload("scene/0/image", png(40, 40)), videoOnly],
];

test("a change regenerates only what was made from it, and only once", async () => {
  const work = await generatedWork();
  const made: [name: string, calls: number[]][] = [];
  for (const [name, edit] of changes) {
    await edit(work);
    made.push([name, await work.callsOf()]);
    expect(await work.callsOf()).toEqual(none);
  }
  expect(made).toEqual(changes.map(([name, , calls]) => [name, calls]));
  expect(await work.scene()).toEqual({ sceneIndex: 0, status: "done", ...work.urls });
});

test("the new prompt is used, and the new file replaces the old one", async () => {
  const { change, generate, media } = await generatedWork();
  const files = (await filesOf(service)).length;
  await change({ scenes: scenes({ image_prompt: "A jug" }) });
  script.draw = async () => png(30, 30).bytes();
  await generate();

  expect(script.imageTasks.at(-1)?.shot.prompt).toBe("A jug");
  expect(await media("image")).toEqual(await png(30, 30).bytes());
  expect(script.inputImages.at(-1)).toEqual(await png(30, 30).bytes());
  expect((await filesOf(service)).length).toBe(files);
});

const painted = { "x-image-provider": "two", "x-video-provider": "three", "x-video-model-id": "three-2" };

const namedModels: [name: string, headers: Headers, calls: number[]][] = [
  ["the same models", painted, none],
  ["no provider and no model", {}, none],
  ["the image's provider, whose first model made it", { "x-image-provider": "two" }, none],
  ["the image's first model by its name", { "x-image-provider": "two", "x-image-model-id": "two-1" }, none],
  ["the video model in x-model-id", { "x-video-provider": "three", "x-model-id": "three-2" }, none],
  ["a video model in both headers", { ...painted, "x-model-id": "three-3" }, none],
  ["another video model in x-model-id", { "x-video-provider": "three", "x-model-id": "three-3" }, videoOnly],
  ["another video model", painted, videoOnly],
  ["the video provider's first model", { "x-video-provider": "three" }, videoOnly],
  ["a video model of the default provider", { "x-video-model-id": "three-1" }, videoOnly],
  ["another image model", { "x-image-provider": "two", "x-image-model-id": "two-2" }, both],
  ["another image provider", { "x-image-provider": "one" }, both],
];

test("a named model regenerates what another model made", async () => {
  const { callsOf } = await generatedWork(painted);
  const made: [name: string, calls: number[]][] = [];
  for (const [name, headers] of namedModels) made.push([name, await callsOf(headers)]);
  expect(made).toEqual(namedModels.map(([name, , calls]) => [name, calls]));
});

test("without named models, a changed scene is made by the default models", async () => {
  const { change, callsOf } = await generatedWork(painted);
  await change({ scenes: scenes({ image_prompt: "A jug" }) });
  expect(await callsOf()).toEqual(both);
  expect(script.choices).toEqual([{}, {}]);
});

test("uploads, and media of generate/image and generate/video, are returned as they are", async () => {
  const work = await generatedWork();
  await work.upload("scene/0/video", await mp4());
  await work.change({ scenes: scenes({ image_prompt: "A jug", video_prompt: "It falls" }) });
  expect(await work.callsOf(painted)).toEqual([1, 0]);

  await work.upload("scene/0/image", png());
  expect(await work.callsOf(painted)).toEqual(none);

  const target = { projectId: work.projectId, workId: work.workId, sceneIndex: 0 };
  const drawn = { ...target, prompt: "A bowl" };
  expect((await api("POST", "/api/generate/image", drawn)).status).toBe(200);
  expect((await api("POST", "/api/generate/video", { ...drawn, image_url: work.urls.imageUrl })).status).toBe(200);
  await work.change({ scenes: scenes() });
  expect(await work.callsOf(painted)).toEqual(none);
});

test("force regenerates image and video, also uploads", async () => {
  const { callsOf, upload, media } = await generatedWork();
  expect(await callsOf({}, { force: true })).toEqual(both);
  await upload("scene/0/image", png(40, 40));
  await upload("scene/0/video", await mp4());
  expect(await callsOf({}, { force: true })).toEqual(both);
  expect(await media("image")).toEqual(await png(64, 36).bytes());
});

const json = { "content-type": "application/json" };

test("without force, a request returns what is there", async () => {
  const { base, urls } = await generatedWork();
  script.reset();
  const bodies = ["", "{}", '{"force":false}', '{"force":null}'].map((body) => ({ headers: json, body }));
  for (const init of [{}, { headers: json }, ...bodies]) {
    const response = await ann.request(`${base}/generate/scene/0`, { method: "POST", ...init });
    expect([response.status, await response.json()]).toEqual([200, urls]);
  }
  expect(script.imageTasks).toEqual([]);
});

test("a body that is not what the route takes is rejected", async () => {
  const { base, generate } = await newWork();
  expect(await generate({}, { force: "yes" })).toMatchObject({
    status: 400,
    body: { code: "validation_error", details: [{ path: "force" }] },
  });
  expect((await generate({}, [])).status).toBe(400);
  const send = (contentType: string, body: string) =>
    ann.request(`${base}/generate/scene/0`, { method: "POST", headers: { "content-type": contentType }, body });
  expect((await send("application/json", "{")).status).toBe(400);
  expect((await send("text/plain", '{"force":true}')).status).toBe(415);
  expect(script.imageTasks).toEqual([]);
});

const failure = () => new DomainError("content_refused", { provider: "Acme" });

test("a failed remake keeps the old media, and the next request makes it", async () => {
  const { change, generate, media, scene: state, callsOf, urls } = await generatedWork();
  const before = { image: await media("image"), video: await media("video") };
  await change({ scenes: scenes({ image_prompt: "A jug" }) });
  script.draw = () => Promise.reject(failure());
  const { status, body } = await generate();

  expect([status, body.code]).toEqual([422, "content_refused"]);
  expect(await state()).toEqual({ sceneIndex: 0, status: "error", error: body.error, ...urls });
  expect({ image: await media("image"), video: await media("video") }).toEqual(before);
  expect(await callsOf()).toEqual(both);
});

test("a failed video remake leaves the new image and the old video", async () => {
  const { change, generate, media, scene: state, callsOf } = await generatedWork();
  const before = await media("video");
  await change({ scenes: scenes({ image_prompt: "A jug" }) });
  script.draw = async () => png(30, 30).bytes();
  script.animate = () => Promise.reject(failure());
  await generate();

  expect((await state()).status).toBe("error");
  expect([await media("image"), await media("video")]).toEqual([await png(30, 30).bytes(), before]);
  expect(await callsOf()).toEqual(videoOnly);
});

test("uploads during a remake win, and no video is paid for that would be thrown away", async () => {
  const { generate, upload, media, scene: state } = await generatedWork();
  const { draw } = script;
  const own = png(40, 40);
  script.draw = async (...args) => {
    await upload("scene/0/image", own);
    await upload("scene/0/video", await mp4());
    return draw(...args);
  };
  script.videoTasks.length = 0;
  await generate({}, { force: true });

  expect(await media("image")).toEqual(await own.bytes());
  expect(await media("video")).toEqual(await (await mp4()).bytes());
  expect(script.videoTasks).toEqual([]);
  expect((await state()).status).toBe("done");
});

test("a forced request that is retried with its Idempotency-Key pays for each file once", async () => {
  const { generate, urls } = await generatedWork();
  script.reset();
  const { animate } = script;
  const overloaded = new DomainError("provider_overloaded", { provider: "A", retryAfterSeconds: 1 });
  script.animate = () => Promise.reject(overloaded);
  const headers = { "idempotency-key": "once-more" };
  expect((await generate(headers, { force: true })).status).toBe(503);
  script.animate = animate;
  for (const _ of [1, 2]) expect((await generate(headers, { force: true })).body).toEqual(urls);

  expect([script.imageTasks.length, script.videoTasks.length]).toEqual([1, 2]);
  expect((await generate(headers)).body.code).toBe("idempotency_mismatch");
});

test("a scene is the one at that place in the list", async () => {
  const { change, generate } = await newWork();
  await change({ scenes: [{ ...scene, scene_index: 7, image_prompt: "The first" }] });
  expect((await generate()).status).toBe(200);
  expect(script.imageTasks[0]?.shot.prompt).toBe("The first");
});
