import { expect, test } from "bun:test";
import { jsonClient } from "../../support/json-client.ts";
import { jsonInit, sharedService } from "../../support/service.ts";
import { isStored, storedFile } from "../../support/stored-files.ts";

const service = await sharedService();

const annUser = await service.register("Ann");
const ann = jsonClient(annUser);
const bob = jsonClient(await service.register("Bob"));
const project = (await ann("POST", "/api/projects", { name: "P", systemPrompt: "Be brief.", analyzerPrompt: "Look." }))
  .body;
const base = `/api/projects/${project.id}/works`;

const newWork = async (fields: object = {}) => (await ann("POST", base, fields)).body;
const change = (work: { id: string }, body: unknown) => ann("PUT", `${base}/${work.id}`, body);

test("a work requires no field: it copies the project's prompts and gets defaults", async () => {
  const { status, headers, body } = await ann("POST", base, {});
  expect([status, headers.get("etag")]).toEqual([201, '"r1"']);
  const { id, createdAt, updatedAt, ...rest } = body;
  expect(id).toMatch(/^work_/);
  expect(updatedAt).toBe(createdAt);
  expect(rest).toEqual({
    projectId: project.id,
    name: "New Work",
    systemPrompt: "Be brief.",
    analyzerPrompt: "Look.",
    imageSystemPrompt: project.imageSystemPrompt,
    videoSystemPrompt: project.videoSystemPrompt,
    currentStep: 0,
    hasReferenceVideo: false,
    mode: "style_transfer",
    productName: "",
    productDescription: "",
    targetAudience: "",
    language: "",
    analysis: null,
    scenes: [],
    generatedScenes: [],
  });
});

const allFields = {
  name: "Spring",
  systemPrompt: "Other.",
  currentStep: 4,
  mode: "content_remix",
  productName: "Mug",
  language: "de",
  videoDuration: 12.5,
  sceneCount: 3,
  analysis: { scene_count: 1, own: [{ x: 1 }] },
  scenes: [
    {
      scene_index: 0,
      duration_seconds: 2,
      image_prompt: "a",
      negative_prompt: "",
      video_prompt: "b",
      text_overlay: "",
      transition: "cut",
      mood: "calm",
    },
  ],
  generatedScenes: [{ sceneIndex: 0, status: "error", error: "no", imageUrl: "/a", own: 1 }],
  selectedAssetIds: ["asset_1"],
  assetUsageMode: "direct",
  resolution: { width: 720, height: 1280 },
};

test("every field is stored as sent", async () => {
  const created = await newWork(allFields);
  expect(created).toMatchObject(allFields);
  expect((await ann("GET", `${base}/${created.id}`)).body).toEqual(created);
});

test("null clears every optional field or restores its default", async () => {
  const created = await newWork({ ...allFields, editorState: {} });
  const nulls = Object.fromEntries([...Object.keys(allFields), "editorState"].map((field) => [field, null]));
  const { body } = await change(created, nulls);
  const { id, createdAt, updatedAt, ...blank } = await newWork();
  expect(body).toEqual({ ...blank, id: created.id, createdAt: created.createdAt, updatedAt: body.updatedAt });
});

test("a scene's prompts are optional", async () => {
  const { scenes } = await newWork({ scenes: [{ scene_index: 0, duration_seconds: 3 }] });
  const prompts = { image_prompt: "", negative_prompt: "", video_prompt: "" };
  expect(scenes[0]).toEqual({ scene_index: 0, duration_seconds: 3, ...prompts, transition: "cut" });
});

test("a scene without a number gets its place; other numbers are kept as written", async () => {
  const scenes = [{}, { scene_index: 9 }, { scene_index: null }, { scene_index: 9 }];
  const created = await newWork({ scenes: scenes.map((scene) => ({ ...scene, duration_seconds: 1 })) });
  expect(created.scenes.map(({ scene_index }: { scene_index: number }) => scene_index)).toEqual([0, 9, 2, 9]);
});

test("text_overlay is left out where there is none, and an empty text is one", async () => {
  const overlays = [{}, { text_overlay: null }, { text_overlay: "" }, { text_overlay: "Now" }];
  const created = await newWork({ scenes: overlays.map((overlay) => ({ ...overlay, duration_seconds: 1 })) });
  for (const { scenes } of [created, (await ann("GET", `${base}/${created.id}`)).body]) {
    expect(scenes.map((scene: object) => "text_overlay" in scene)).toEqual([false, false, true, true]);
    expect([scenes[2].text_overlay, scenes[3].text_overlay]).toEqual(["", "Now"]);
  }
});

test("PUT changes only the given fields", async () => {
  const created = await newWork(allFields);
  const { body } = await change(created, { productName: "Cup" });
  expect(body).toEqual({ ...created, productName: "Cup", updatedAt: body.updatedAt });
});

test("a complete work may be sent back; fields that the service sets are ignored", async () => {
  const created = await newWork({ ...allFields, editorState: { textTrack: [{ id: "a", start: 0, end: 1 }] } });
  const { status, body } = await change(created, { ...created, createdAt: 1 });
  expect(status).toBe(200);
  expect(body).toEqual({ ...created, updatedAt: body.updatedAt });
});

test.each(["id", "projectId"])("a body with another %s is rejected", async (field) => {
  const { status, body } = await change(await newWork(), { [field]: "other" });
  expect([status, body.code]).toEqual([400, "id_mismatch"]);
});

test("later changes of the project do not affect its works", async () => {
  const other = (await ann("POST", "/api/projects", { name: "O", systemPrompt: "before" })).body;
  const work = (await ann("POST", `/api/projects/${other.id}/works`, {})).body;
  await ann("PUT", `/api/projects/${other.id}`, { systemPrompt: "after" });
  expect((await ann("GET", `/api/projects/${other.id}/works/${work.id}`)).body.systemPrompt).toBe("before");
});

test("an editor state is completed and also has its tracks at the top level", async () => {
  const text = { id: "t", start: 0, end: 1 };
  const { editorState } = await newWork({ editorState: { editorData: { textTrack: [text] }, audioUrl: null } });
  expect(editorState).toEqual({
    editorData: { videoTrack: [], textTrack: [text], imageTrack: [], audioTrack: [] },
    textOverlays: {},
    imageOverlays: {},
    audioVolume: 1,
    exportSettings: { width: 1080, height: 1920, fps: 30 },
    textTrack: [text],
    imageTrack: [],
  });
});

test("the export settings of a new editor state follow the work's resolution", async () => {
  const { editorState } = await newWork({ resolution: { width: 640, height: 360 }, editorState: {} });
  expect(editorState.exportSettings).toEqual({ width: 640, height: 360, fps: 30 });
});

test("unknown keys and ids of an editor state are kept at every level, also names such as __proto__", async () => {
  const sent = `{ "editorState": {
    "__proto__": {"a": 1}, "zoom": 2,
    "editorData": {
      "__proto__": {"b": 1}, "scale": 5,
      "videoTrack": [{"id": "v", "start": 0, "end": 2, "sceneIndex": 0, "trimStart": 1.5, "__proto__": {"c": 1}, "lane": 2}]
    },
    "textOverlays": {"__proto__": {"text": "p", "__proto__": {"d": 1}}, "constructor": {"text": "c"}, "10": {"text": "ten"}},
    "imageOverlays": {"toString": {"assetId": "x"}},
    "exportSettings": {"width": 720, "height": 1280, "fps": 25, "codec": "own"}
  } }`;
  const { id } = await newWork();
  await annUser.request(`${base}/${id}`, { ...jsonInit("PUT", {}), body: sent });
  const text = await (await annUser.request(`${base}/${id}`)).text();
  const { editorState } = JSON.parse(text);
  const expected = JSON.parse(sent).editorState;

  expect(Object.getOwnPropertyDescriptor(editorState, "__proto__")?.value).toEqual({ a: 1 });
  expect(Object.getOwnPropertyDescriptor(editorState.editorData, "__proto__")?.value).toEqual({ b: 1 });
  expect(JSON.stringify(Object.entries(editorState.textOverlays).toSorted())).toBe(
    JSON.stringify(Object.entries(expected.textOverlays).toSorted()),
  );
  expect(editorState.editorData).toMatchObject({ scale: 5, videoTrack: [{ lane: 2, trimStart: 1.5 }] });
  expect(text).toContain('"__proto__":{"c":1}');
  expect(editorState).toMatchObject({ zoom: 2, imageOverlays: { toString: { assetId: "x" } } });
  expect(editorState.exportSettings).toEqual({ width: 720, height: 1280, fps: 25, codec: "own" });
});

const state = (editorState: object) => ({ editorState });
const track = (action: object) => state({ editorData: { videoTrack: [{ id: "a", start: 0, end: 1, ...action }] } });

test.each([
  [{ name: " " }, "name"],
  [{ currentStep: 5 }, "currentStep"],
  [{ currentStep: 1.5 }, "currentStep"],
  [{ mode: "remix" }, "mode"],
  [{ productName: 5 }, "productName"],
  [{ videoDuration: 0 }, "videoDuration"],
  [{ sceneCount: "3" }, "sceneCount"],
  [{ analysis: [] }, "analysis"],
  [{ scenes: [{ scene_index: 0 }] }, "scenes.0.duration_seconds"],
  [{ scenes: [{ scene_index: "0", duration_seconds: 1 }] }, "scenes.0.scene_index"],
  [{ scenes: [{ text_overlay: 5, duration_seconds: 1 }] }, "scenes.0.text_overlay"],
  [{ scenes: [{ scene_index: 0, duration_seconds: -1 }] }, "scenes.0.duration_seconds"],
  [{ generatedScenes: [{ sceneIndex: 0, status: "ready" }] }, "generatedScenes.0.status"],
  [{ generatedScenes: [{ sceneIndex: 500, status: "done" }] }, "generatedScenes.0.sceneIndex"],
  [{ generatedScenes: [{ sceneIndex: 1 }, { sceneIndex: 1 }] }, "generatedScenes"],
  [{ selectedAssetIds: "a" }, "selectedAssetIds"],
  [{ assetUsageMode: "both" }, "assetUsageMode"],
  [{ resolution: { width: 721, height: 1280 } }, "resolution.width"],
  [{ resolution: { width: 720, height: 8 } }, "resolution.height"],
  [{ resolution: { width: 720 } }, "resolution.height"],
  [state([]), "editorState"],
  [state({ audioVolume: 5 }), "editorState.audioVolume"],
  [state({ textOverlays: { a: 5 } }), "editorState.textOverlays.a"],
  [state({ exportSettings: { fps: 0 } }), "editorState.exportSettings.fps"],
  [track({ start: -1 }), "editorState.editorData.videoTrack.0.start"],
  [track({ end: "2" }), "editorState.editorData.videoTrack.0.end"],
  [track({ id: 7 }), "editorState.editorData.videoTrack.0.id"],
  [track({ trimStart: "x" }), "editorState.editorData.videoTrack.0.trimStart"],
])("%j is rejected and its invalid field is named", async (sent, path) => {
  const { status, body } = await ann("POST", base, sent);
  expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", path]);
});

test("the list has the names of the works, last changed first", async () => {
  const parent = (await ann("POST", "/api/projects", { name: "L" })).body;
  const works = `/api/projects/${parent.id}/works`;
  const first = (await ann("POST", works, { name: "first" })).body;
  const second = (await ann("POST", works, { name: "second", editorState: {} })).body;
  const { updatedAt } = (await ann("PUT", `${works}/${first.id}`, { currentStep: 1 })).body;
  const { status, body } = await ann("GET", works);
  expect(status).toBe(200);
  expect(body).toMatchObject([
    { id: first.id, projectId: parent.id, name: "first", updatedAt },
    { id: second.id, projectId: parent.id, name: "second", updatedAt: second.updatedAt },
  ]);
  expect(body[1]).not.toHaveProperty("editorState");

  const page = await ann("GET", `${works}?limit=1`);
  expect(page.body).toHaveLength(1);
  expect(page.headers.get("link")).toContain('rel="next"');
});

test("PUT and DELETE with a stale If-Match are 412", async () => {
  const path = `${base}/${(await newWork()).id}`;
  expect((await ann("PUT", path, { name: "b" }, { "if-match": '"r1"' })).headers.get("etag")).toBe('"r2"');
  expect((await ann("PUT", path, { name: "c" }, { "if-match": '"r1"' })).status).toBe(412);
  expect((await ann("DELETE", path, undefined, { "if-match": '"r1"' })).status).toBe(412);
  expect((await ann("GET", path, undefined, { "if-none-match": '"r2"' })).status).toBe(304);
});

test("deleting a work deletes its files", async () => {
  const { files, workMedia } = service.services;
  const { id } = await newWork();
  const path = `${base}/${id}`;
  const file = await storedFile(files, project.id);
  await workMedia.put(project.id, id, { slot: "reference", file, createdAt: 1 }, (found) => found);
  expect(await isStored(files, file)).toBe(true);

  expect(await ann("DELETE", path)).toMatchObject({ status: 204, body: undefined });
  expect(await isStored(files, file)).toBe(false);
  expect((await ann("GET", path)).status).toBe(404);
  expect((await ann("DELETE", path)).status).toBe(404);
});

test("a work is found only in its project and by its owner", async () => {
  const work = await newWork();
  const other = (await ann("POST", "/api/projects", { name: "O" })).body;
  const responses = await Promise.all([
    bob("GET", `${base}/${work.id}`),
    bob("PUT", `${base}/${work.id}`, { name: 5 }),
    bob("GET", base),
    bob("POST", base, { name: 5 }),
    ann("GET", `/api/projects/${other.id}/works/${work.id}`),
    ann("PUT", `/api/projects/${other.id}/works/${work.id}`, { name: 5 }),
    ann("GET", `${base}/work_1`),
  ]);
  for (const { status, body } of responses) expect([status, body.code]).toEqual([404, "not_found"]);
});

test("concurrent changes are all stored", async () => {
  const created = await newWork();
  const fields = ["productName", "productDescription", "targetAudience", "language"];
  await Promise.all(fields.map((field) => change(created, { [field]: field })));
  const { body } = await ann("GET", `${base}/${created.id}`);
  expect(fields.map((field) => body[field])).toEqual(fields);
});
