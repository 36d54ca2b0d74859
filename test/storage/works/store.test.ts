import { afterAll, expect, test } from "bun:test";
import type { WorkMedia } from "../../../src/domain/works/media.ts";
import type { Work } from "../../../src/domain/works/works.ts";
import { workMediaStore } from "../../../src/storage/works/media-store.ts";
import { workStore } from "../../../src/storage/works/store.ts";
import { freshDatabase } from "../../support/database.ts";
import { addProject, addWork, aWork, someMedia } from "../samples.ts";

const database = await freshDatabase();

afterAll(() => database.close());

const everything = {
  videoDuration: 12.345678901234567,
  sceneCount: 3,
  analysis: { scene_count: 1, unknown: { "1": null } },
  scenes: [],
  generatedScenes: [{ sceneIndex: 0, status: "image_ready", imageUrl: "/x" }],
  editorState: JSON.parse(
    '{"editorData":{"videoTrack":[],"textTrack":[],"imageTrack":[],"audioTrack":[]},"textOverlays":{"__proto__":{"text":"a"},"b":{}},"imageOverlays":{},"audioVolume":0.3,"exportSettings":{"width":2,"height":2,"fps":29.97},"mine":[1]}',
  ),
  selectedAssetIds: ["asset_1"],
  assetUsageMode: "direct",
  resolution: { width: 1080, height: 1920 },
} as const satisfies Partial<Work>;

test("a work is read back as it was added, with and without optional fields", async () => {
  const { id } = await addProject(database.db);
  const works = workStore(database.db);
  const bare = aWork(id);
  const full = aWork(id, { ...everything, updatedAt: 2_000 });

  expect(await works.add(bare)).toEqual(bare);
  expect(await works.add(full)).toEqual(full);
  expect((await works.list(id, { limit: 5 })).items.map((work) => work.id)).toEqual([full.id, bare.id]);
  expect(JSON.stringify((await works.find(id, full.id))?.editorState)).toBe(JSON.stringify(full.editorState));
});

test("a scene that was stored with null for no text is read without a text", async () => {
  const { id } = await addProject(database.db);
  const scene = {
    ...{ scene_index: 0, duration_seconds: 2, image_prompt: "", negative_prompt: "", video_prompt: "" },
    ...{ transition: "cut", mood: null },
  };
  const stored = { ...scene, text_overlay: null } as unknown as typeof scene;
  const work = await addWork(database.db, id, { scenes: [stored, { ...scene, text_overlay: "" }] });

  const found = await workStore(database.db).find(id, work.id);
  expect(found?.scenes).toStrictEqual([scene, { ...scene, text_overlay: "" }]);
});

test("a work changes together with the list of its media", async () => {
  const { id } = await addProject(database.db);
  const work = await addWork(database.db, id);
  const media = workMediaStore(database.db);
  for (const slot of ["audio", "scene/1/image"] as const) {
    await media.put(id, work.id, someMedia(slot, slot), (found) => found);
  }
  const listSlots = (found: Work, list: readonly WorkMedia[]): Work => ({
    ...found,
    name: list.map(({ slot }) => slot).join(),
  });

  expect(await media.changeWork(id, work.id, listSlots)).toMatchObject({ name: "audio,scene/1/image", revision: 4 });
  expect(await media.changeWork((await addProject(database.db)).id, work.id, listSlots)).toBeUndefined();
});

test("a change clears the optional fields that are left out", async () => {
  const { id } = await addProject(database.db);
  const works = workStore(database.db);
  const work = await addWork(database.db, id, everything);

  const cleared = await works.change(id, work.id, () => aWork(id, { id: work.id }));

  expect(cleared).toEqual(aWork(id, { id: work.id, revision: 2 }));
  expect(await works.find(id, work.id)).toEqual(cleared);
});

test("a slot and its work change together", async () => {
  const { id } = await addProject(database.db);
  const work = await addWork(database.db, id);
  const media = workMediaStore(database.db);
  const show = (found: Work): Work => ({ ...found, hasReferenceVideo: true });

  const first = await media.put(id, work.id, someMedia("reference", "one.mp4"), show);
  const second = await media.put(id, work.id, someMedia("reference", "two.mp4"), show);

  expect([first, second]).toEqual([{}, { replacedKey: "one.mp4" }]);
  expect(await workStore(database.db).find(id, work.id)).toEqual({ ...work, hasReferenceVideo: true, revision: 3 });
  expect(await media.find(work.id, "reference")).toEqual(someMedia("reference", "two.mp4"));
  expect(await media.list(work.id)).toHaveLength(1);
});

test("emptying a slot returns the key of its file, and undefined if it was empty", async () => {
  const { id } = await addProject(database.db);
  const work = await addWork(database.db, id);
  const media = workMediaStore(database.db);
  await media.put(id, work.id, someMedia("audio", "song.mp3"), (found) => found);
  const hide = (found: Work): Work => ({ ...found, name: "Silent" });

  expect(await media.remove(id, work.id, "audio", hide)).toMatchObject({
    removedKey: "song.mp3",
    work: { name: "Silent" },
  });
  expect(await media.remove(id, work.id, "audio", hide)).toBeUndefined();
  expect(await media.find(work.id, "audio")).toBeUndefined();
  expect(await workStore(database.db).find(id, work.id)).toMatchObject({ revision: 3 });
});

test("a slot does not change if the change of its work is rejected", async () => {
  const { id } = await addProject(database.db);
  const work = await addWork(database.db, id);
  const media = workMediaStore(database.db);
  const refuse = () => {
    throw new Error("refused");
  };

  const song = someMedia("audio", "song.mp3");
  await expect(media.put(id, work.id, song, refuse)).rejects.toThrow("refused");
  expect(await media.find(work.id, "audio")).toBeUndefined();

  await media.put(id, work.id, song, (found) => found);
  const other = media.put(id, work.id, someMedia("audio", "other.mp3"), (found) => found, { check: refuse });
  await expect(other).rejects.toThrow("refused");
  expect(await media.find(work.id, "audio")).toEqual(song);
  expect(await workStore(database.db).find(id, work.id)).toMatchObject({ revision: 2 });
});

test("the slots of a work cannot be reached through another project", async () => {
  const mine = await addProject(database.db);
  const other = await addProject(database.db);
  const work = await addWork(database.db, mine.id);
  const media = workMediaStore(database.db);

  expect(await media.put(other.id, work.id, someMedia("audio", "song.mp3"), (found) => found)).toBeUndefined();
  expect(await media.remove(other.id, work.id, "audio", (found) => found)).toBeUndefined();
  expect(await workStore(database.db).find(other.id, work.id)).toBeUndefined();
});

test("removing a work returns the keys of all its files", async () => {
  const { id } = await addProject(database.db);
  const work = await addWork(database.db, id);
  const media = workMediaStore(database.db);
  await media.put(id, work.id, someMedia("reference", "one.mp4"), (found) => found);
  await media.put(id, work.id, someMedia("scene/499/image", "two.png"), (found) => found);

  const keys = await workStore(database.db).remove(id, work.id, () => {});

  expect(keys?.toSorted()).toEqual(["one.mp4", "two.png"]);
  expect(await media.list(work.id)).toEqual([]);
  expect(await workStore(database.db).remove(id, work.id, () => {})).toBeUndefined();
});
