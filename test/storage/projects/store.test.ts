import { afterAll, expect, test } from "bun:test";
import type { Project } from "../../../src/domain/projects/projects.ts";
import { requireRevision } from "../../../src/domain/shared/versioned.ts";
import { assetStore } from "../../../src/storage/assets/store.ts";
import { projectStore } from "../../../src/storage/projects/store.ts";
import { removalStore } from "../../../src/storage/removals/store.ts";
import { templateStore } from "../../../src/storage/templates/store.ts";
import { workMediaStore } from "../../../src/storage/works/media-store.ts";
import { workStore } from "../../../src/storage/works/store.ts";
import { freshDatabase } from "../../support/database.ts";
import { addAsset, addProject, addUser, addWork, aFile, aProject, aTemplate, codeOf, someMedia } from "../samples.ts";

const database = await freshDatabase();
const projects = projectStore(database.db);

afterAll(() => database.close());

test("a project is read back as it was added, with and without optional fields", async () => {
  const { id: userId } = await addUser(database.db);
  const plain = aProject(userId);
  const full = aProject(userId, {
    projectType: "news",
    styleGuide: { tone: "calm", color_palette: ["#fff"], mine: 1 },
  });

  expect(await projects.add(plain)).toEqual(plain);
  expect(await projects.add(full)).toEqual(full);
  expect(await projects.find(userId, plain.id)).toEqual(plain);
  expect(await projects.find(userId, full.id)).toEqual(full);
});

test("documents preserve unknown, __proto__ and integer-like keys, key order and numbers", async () => {
  const styleGuide = JSON.parse(
    '{"z":1,"a":{"__proto__":{"x":1},"constructor":2,"":3},"b":[{"10":1,"9":2}],"n":0.1e-7,"t":"\\u2028 é 👍🏽"}',
  );
  const { userId, id } = await addProject(database.db, { styleGuide });

  const found = await projects.find(userId, id);

  expect(JSON.stringify(found?.styleGuide)).toBe(JSON.stringify(styleGuide));
  expect(Object.hasOwn(found?.styleGuide?.a as object, "__proto__")).toBe(true);
});

test("only its owner can find, change and remove a project", async () => {
  const { id } = await addProject(database.db);
  const { id: stranger } = await addUser(database.db);

  expect(await projects.find(stranger, id)).toBeUndefined();
  expect(await projects.change(stranger, id, (project) => project)).toBeUndefined();
  expect(await projects.remove(stranger, id, () => {})).toBe(false);
  expect((await projects.list(stranger, { limit: 10 })).items).toEqual([]);
});

test("a change increments the revision and clears fields that are left out", async () => {
  const { userId, id } = await addProject(database.db, { projectType: "saas", styleGuide: { tone: "calm" } });

  const changed = await projects.change(userId, id, ({ styleGuide: _, ...project }) => ({ ...project, name: "Other" }));

  expect(changed).toMatchObject({ name: "Other", projectType: "saas", revision: 2 });
  expect(changed).not.toHaveProperty("styleGuide");
  expect(await projects.find(userId, id)).toEqual(changed);
});

test("twenty concurrent changes are all stored", async () => {
  const { userId, id } = await addProject(database.db, { styleGuide: { must_include: [] } });
  const add = (word: string) => (project: Project) => ({
    ...project,
    styleGuide: { must_include: [...(project.styleGuide?.must_include ?? []), word] },
  });

  await Promise.all(Array.from({ length: 20 }, (_, index) => projects.change(userId, id, add(`word ${index}`))));

  const found = await projects.find(userId, id);
  expect(found?.revision).toBe(21);
  expect(new Set(found?.styleGuide?.must_include).size).toBe(20);
});

test("a rejected change changes nothing", async () => {
  const project = await addProject(database.db);
  const refuse = (found: Project) => {
    requireRevision(found, [7]);
    return { ...found, name: "Other" };
  };

  expect(await codeOf(projects.change(project.userId, project.id, refuse))).toBe("precondition_failed");
  expect(await codeOf(projects.remove(project.userId, project.id, refuse))).toBe("precondition_failed");
  expect(await projects.find(project.userId, project.id)).toEqual(project);
});

test("a removed project is out of reach, and its rows go in batches", async () => {
  const { db } = database;
  const { userId, id } = await addProject(db);
  const other = await addProject(db);
  const asset = await addAsset(db, id, { file: aFile("a.mp4"), thumbnailKey: "a.webp" });
  await addAsset(db, id, { file: aFile("b.ttf") });
  await addAsset(db, other.id, { file: aFile("other.png") });
  const template = (await templateStore(db).add(aTemplate(id)))!;
  const work = await addWork(db, id);
  await workMediaStore(db).put(id, work.id, someMedia("scene/0/video", "c.mp4"), (found) => found);

  expect(await projects.remove(userId, id, () => {})).toBe(true);
  expect(await projects.find(userId, id)).toBeUndefined();
  expect(await projects.existing([id, other.id])).toEqual([other.id]);
  expect(await assetStore(db).findOfUser(userId, { projectId: id, assetId: asset.id })).toBeUndefined();
  expect(await projects.remove(userId, id, () => {})).toBe(false);

  const removals = removalStore(db, { ready: async () => {} });
  const remains = await removals.removeBatch();
  expect(remains).toMatchObject({ folders: [id] });
  expect(await removals.listRemains()).toMatchObject([{ folders: [id] }]);
  expect(await removals.countWaiting()).toBe(1);
  expect(await assetStore(db).find(id, asset.id)).toBeUndefined();
  expect(await templateStore(db).find(id, template.id)).toBeUndefined();
  expect(await workStore(db).find(id, work.id)).toBeUndefined();
  expect(await workMediaStore(db).list(work.id)).toEqual([]);
});
