import { afterAll, expect, test } from "bun:test";
import { sceneStatuses } from "../../../src/domain/works/scene-state.ts";
import { jsonClient } from "../../helpers/json-client.ts";
import { workWithScenes } from "../../helpers/scene-works.ts";
import { testService } from "../../helpers/service.ts";
import { formOf, mp4, png } from "../../helpers/uploads.ts";

const service = await testService();
afterAll(() => service.close());

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
