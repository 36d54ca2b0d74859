import { describe, expect, test } from "bun:test";
import { completeEditorState } from "../../../src/domain/works/editor-state.ts";
import { withLastingIds } from "../../../src/domain/works/overlay-ids.ts";
import { sceneStatuses } from "../../../src/domain/works/scene-state.ts";
import { jsonClient } from "../../support/json-client.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { sharedService } from "../../support/service.ts";
import { formOf, mp4, png } from "../../support/uploads.ts";

const service = await sharedService();

const annUser = await service.register("Ann");
const ann = jsonClient(annUser);

async function newWork(fields: object = {}) {
  const work = await workWithScenes(annUser, fields);
  const url = (slot: string) => `${work.base}/media/${slot}`;
  const read = async () => (await ann("GET", work.base)).body;
  const save = (body: unknown) => ann("PUT", work.base, body);
  return { ...work, url, read, save };
}

test("entries that name no URL get those of the media that are there, with the status that the client wrote", async () => {
  const { upload, save, read, url } = await newWork();
  await upload("scene/0/image", png());
  await upload("scene/0/video", await mp4());
  await upload("scene/2/image", png());
  const { body } = await save({
    generatedScenes: [
      { sceneIndex: 2, status: "error", error: "no luck" },
      { sceneIndex: 0, status: "image_ready", imageUrl: null, own: 1 },
      { sceneIndex: 1 },
    ],
  });

  expect(body.generatedScenes).toEqual([
    { sceneIndex: 2, status: "error", error: "no luck", imageUrl: url("scene/2/image") },
    {
      ...{ sceneIndex: 0, status: "image_ready", own: 1 },
      ...{ imageUrl: url("scene/0/image"), videoUrl: url("scene/0/video") },
    },
    { sceneIndex: 1, status: "pending" },
  ]);
  expect(await read()).toEqual(body);
});

test("an entry that names one URL is stored as it is", async () => {
  const { upload, save } = await newWork();
  await upload("scene/0/image", png());
  await upload("scene/0/video", await mp4());
  const generatedScenes = [{ sceneIndex: 0, status: "done", imageUrl: "https://example.com/a.png" }];

  expect((await save({ generatedScenes })).body.generatedScenes).toEqual(generatedScenes);
});

test("a save without generatedScenes leaves them as they are", async () => {
  const { upload, save, read } = await newWork();
  await upload("scene/1/image", png());
  const { generatedScenes } = await read();

  expect((await save({ name: "Other" })).body.generatedScenes).toEqual(generatedScenes);
  expect((await save({ generatedScenes: null })).body.generatedScenes).toEqual([]);
});

test("a new work has no media, so its entries get no URLs", async () => {
  const generatedScenes = [{ sceneIndex: 0, status: "done" }];
  expect(await (await newWork({ generatedScenes })).read()).toMatchObject({ generatedScenes });
});

test("saves and uploads at the same time lose no URL", async () => {
  const { upload, save, read, url } = await newWork();
  const generatedScenes = Array.from({ length: 10 }, (_, sceneIndex) => ({ sceneIndex, status: "pending" }));
  const uploadAndSave = async (sceneIndex: number) => {
    await upload(`scene/${sceneIndex}/image`, png());
    return save({ generatedScenes });
  };
  await Promise.all(generatedScenes.map(({ sceneIndex }) => uploadAndSave(sceneIndex)));

  const saved = (await read()).generatedScenes.map(({ imageUrl }: { imageUrl: string }) => imageUrl);
  expect(saved).toEqual(generatedScenes.map(({ sceneIndex }) => url(`scene/${sceneIndex}/image`)));
});

test("hasReferenceVideo is kept as a client sets it, and follows uploads and removals", async () => {
  const { save, read, url } = await newWork({ hasReferenceVideo: true });
  expect(await read()).toMatchObject({ hasReferenceVideo: true });
  expect((await save({ hasReferenceVideo: false })).body.hasReferenceVideo).toBe(false);
  expect((await save({ name: "Other" })).body.hasReferenceVideo).toBe(false);

  const body = formOf({ video: await mp4() });
  expect((await annUser.request(url("reference"), { method: "POST", body })).status).toBe(200);
  expect(await read()).toMatchObject({ hasReferenceVideo: true });
  expect((await save({ hasReferenceVideo: false })).body.hasReferenceVideo).toBe(false);
  expect((await save({ hasReferenceVideo: true })).body.hasReferenceVideo).toBe(true);
  expect((await annUser.request(url("reference"), { method: "DELETE" })).status).toBe(204);
  expect(await read()).toMatchObject({ hasReferenceVideo: false });

  expect((await save({ hasReferenceVideo: true })).body.hasReferenceVideo).toBe(true);
  expect((await save({ hasReferenceVideo: null })).body.hasReferenceVideo).toBe(false);
  const { status, body: refused } = await save({ hasReferenceVideo: "yes" });
  expect([status, refused.details[0].path]).toEqual([400, "hasReferenceVideo"]);
});

const optionalFields = {
  videoDuration: 12.5,
  sceneCount: 3,
  assetUsageMode: "direct",
  selectedAssetIds: ["asset_1"],
  resolution: { width: 720, height: 1280 },
};

test("a save with createdAt clears the videoDuration and the sceneCount that it leaves out, and nothing else", async () => {
  const { save, read } = await newWork({ ...optionalFields, productName: "Mug", editorState: {} });
  const before = await read();
  const { status, body } = await save({ name: "Spring", createdAt: 1 });

  const { videoDuration, sceneCount, ...others } = before;
  expect(status).toBe(200);
  expect(body).toEqual({ ...others, name: "Spring", updatedAt: body.updatedAt });
});

test("a save with createdAt keeps what it names", async () => {
  const { save } = await newWork(optionalFields);
  const { body } = await save({ createdAt: 1, sceneCount: 5 });
  expect(body).toMatchObject({ sceneCount: 5 });
  expect(body).not.toHaveProperty("videoDuration");
});

test.each([{}, { createdAt: null }, { createdAt: "2026-01-01" }, { updatedAt: 1 }])(
  "the body %j is a change: it clears nothing",
  async (body) => {
    const { save, read } = await newWork(optionalFields);
    const before = await read();
    const saved = await save(body);
    expect([saved.status, saved.body]).toEqual([200, { ...before, updatedAt: saved.body.updatedAt }]);
  },
);

test("a work that was read may be sent back and stays as it was", async () => {
  const { upload, save, read } = await newWork({
    ...optionalFields,
    hasReferenceVideo: true,
    analysis: { scene_count: 1, scenes: [{ index: 1, text_overlay: null }] },
    scenes: [
      { duration_seconds: 2, text_overlay: "Now" },
      { scene_index: 7, duration_seconds: 0.1, text_overlay: null, mood: null },
    ],
    editorState: {
      editorData: { videoTrack: [{ id: "clip-0", start: 0, end: 2, transitionDuration: 0 }] },
      textOverlays: { "text-1": { text: "mine" } },
      zoom: 2,
    },
  });
  await upload("scene/0/image", png());
  await upload("scene/0/video", await mp4());
  await upload("scene/1/image", png());
  const generatedScenes = sceneStatuses.map((status, sceneIndex) => ({ sceneIndex, status, error: "no luck" }));
  await save({ generatedScenes });

  const before = await read();
  const { status, body } = await save(before);
  expect([status, body]).toEqual([200, { ...before, updatedAt: body.updatedAt }]);
});

describe("overlays that an editor counts from 1 on each page", () => {
  const item = (id: string) => ({ id, start: 0, end: 3 });
  const counted = {
    editorData: { textTrack: [item("text-1")], imageTrack: [item("image-1")] },
    textOverlays: { "text-1": { text: "mine" } },
    imageOverlays: { "image-1": { assetId: "asset_1" } },
  };

  test("are all there after ten reloads", async () => {
    const { save, read } = await newWork({ editorState: {} });
    for (let page = 0; page < 10; page++) {
      const { editorState } = await read();
      for (const kind of ["text", "image"]) {
        const id = `${kind}-1`;
        editorState[`${kind}Overlays`][id] = { text: `page ${page}` };
        editorState.editorData[`${kind}Track`].push(item(id));
      }
      await save({ editorState });
    }
    const { editorState } = await read();
    for (const kind of ["text", "image"]) {
      const overlays = editorState[`${kind}Overlays`];
      const texts = editorState[`${kind}Track`].map(({ id }: { id: string }) => overlays[id].text);
      expect(texts).toEqual(Array.from({ length: 10 }, (_, page) => `page ${page}`));
      expect(editorState.editorData[`${kind}Track`]).toEqual(editorState[`${kind}Track`]);
      expect(new Set(Object.keys(overlays)).size).toBe(10);
      expect(Object.keys(overlays).filter((id) => /^(text|image)-\d+$/.test(id))).toEqual([]);
    }
  });

  test("keep their new ids until the editor is saved again, whatever else of the work changes", async () => {
    const { save, read, base, upload } = await newWork({ editorState: counted, videoDuration: 3 });
    const [textId, ...others] = Object.keys((await read()).editorState.textOverlays);
    expect([textId, others]).toEqual([expect.stringMatching(/^text-1-[0-9a-z]{8,}$/), []]);
    const template = { name: "T", content: { textOverlays: [{ id: "text-1", text: "T", timingMode: "relative" }] } };
    const templates = base.replace(/works.*/, "templates");
    const { id: templateId } = (await ann("POST", templates, template)).body;
    await upload("scene/0/image", png());
    const answers = [
      (await save({ name: "Other" })).body,
      (await ann("POST", `${base}/apply-template`, { templateId })).body,
      await read(),
    ];
    for (const { editorState } of answers) expect(editorState.textTrack[0].id).toBe(textId);
    expect(Object.keys(answers[2].editorState.textOverlays)).toEqual([textId!, `${templateId}-text-1`]);
    expect((await save({ editorState: answers[2].editorState })).body.editorState.textTrack[0].id).toBe(textId);
  });

  test("get ids that nothing else has", () => {
    const stamp = (1_700_000_000_000).toString(36);
    const state = completeEditorState({
      editorData: { videoTrack: [item(`text-1-${stamp}-2`)], textTrack: [item("text-1"), item(`text-1-${stamp}`)] },
      textOverlays: { ["__proto__"]: { text: "odd" }, "text-1": { text: "one" }, [`text-1-${stamp}`]: { text: "two" } },
    });
    const { textOverlays, editorData } = withLastingIds(state, 1_700_000_000_000);
    const ids = [`text-1-${stamp}-3`, `text-1-${stamp}`];
    expect(editorData.textTrack.map(({ id }) => id)).toEqual(ids);
    expect(Object.keys(textOverlays).sort()).toEqual(["__proto__", ...ids].sort());
    expect(Object.values(textOverlays)).toEqual([{ text: "odd" }, { text: "one" }, { text: "two" }]);
  });
});
