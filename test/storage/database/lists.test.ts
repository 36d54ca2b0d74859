import { afterAll, expect, test } from "bun:test";
import { largestPage } from "../../../src/domain/shared/paging.ts";
import { apiTokenStore } from "../../../src/storage/accounts/api-tokens.ts";
import { assetStore } from "../../../src/storage/assets/store.ts";
import { projectStore } from "../../../src/storage/projects/store.ts";
import { templateStore } from "../../../src/storage/templates/store.ts";
import { freshDatabase } from "../../support/database.ts";
import { addAsset, addProject, addUser, aFile, anAsset, aProject, aTemplate, codeOf } from "../samples.ts";

const database = await freshDatabase();

afterAll(() => database.close());

async function userWithProjects(updatedAt: readonly number[]) {
  const { id: userId } = await addUser(database.db);
  const store = projectStore(database.db);
  for (const time of updatedAt) await store.add(aProject(userId, { updatedAt: time }));
  return { userId, store };
}

test("projects are listed by last change, newest first", async () => {
  const { userId, store } = await userWithProjects([20, 40, 10, 30]);

  const { items, next } = await store.list(userId, largestPage);

  expect(items.map((project) => project.updatedAt)).toEqual([40, 30, 20, 10]);
  expect(next).toBeUndefined();
});

test("the pages together are the whole list, even with equal times", async () => {
  const { userId, store } = await userWithProjects([5, 5, 5, 5, 9, 5, 1]);
  const whole = await store.list(userId, largestPage);

  const pages = [];
  let after: string | undefined;
  do {
    const page = await store.list(userId, { limit: 2, after });
    pages.push(page.items);
    after = page.next;
  } while (after);

  expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 1]);
  expect(pages.flat()).toEqual([...whole.items]);
});

test("a full last page has no next cursor", async () => {
  const { userId, store } = await userWithProjects([1, 2]);

  expect((await store.list(userId, { limit: 2 })).next).toBeUndefined();
});

test.each([
  "x",
  "",
  "💥",
  Buffer.from("1.proj_1 or 1=1").toString("base64url"),
  Buffer.from("99999999999999999999.proj_1").toString("base64url"),
  `${Buffer.from("1.proj_1").toString("base64url")}=`,
])("the cursor %p is rejected with its field name", async (after) => {
  const { userId, store } = await userWithProjects([]);

  const error = await store.list(userId, { limit: 2, after }).catch((refusal) => refusal);

  expect(error).toMatchObject({ code: "validation_error", facts: { issues: [{ path: "cursor" }] } });
});

test("assets are listed newest first; totals cover the filtered list, not the page", async () => {
  const { db } = database;
  const project = await addProject(db);
  const add = (createdAt: number, type: "image" | "video", sizeBytes: number) =>
    addAsset(db, project.id, { createdAt, type, file: aFile(`${createdAt}.bin`, { sizeBytes }) });
  await add(1, "image", 5_000_000_000);
  await add(3, "video", 7);
  await add(2, "image", 11);

  const { list } = assetStore(db);

  expect(await list(project.id, {}, { limit: 1 })).toMatchObject({ count: 3, totalSizeBytes: 5_000_000_018 });
  const images = await list(project.id, { type: "image" }, { limit: 1 });
  expect(images).toMatchObject({ count: 2, totalSizeBytes: 5_000_000_011, items: [{ createdAt: 2 }] });
  const more = await list(project.id, { type: "image" }, { limit: 1, after: images.next });
  expect(more).toMatchObject({ count: 2, items: [{ createdAt: 1 }] });
  expect(await list(project.id, { type: "font" }, largestPage)).toEqual({ items: [], count: 0, totalSizeBytes: 0 });
});

test("findMany returns the assets of its own project only", async () => {
  const { db } = database;
  const project = await addProject(db);
  const other = await addProject(db);
  const first = await addAsset(db, project.id);
  const second = await addAsset(db, project.id, { tags: ["a", "a"], description: "d", thumbnailKey: "t.webp" });
  const foreign = await addAsset(db, other.id);

  const found = await assetStore(db).findMany(project.id, [first.id, second.id, foreign.id, "asset_none", first.id]);

  expect(found.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([first, second]);
  expect(await assetStore(db).findMany(project.id, [])).toEqual([]);
});

test("nothing is added to a parent that does not exist", async () => {
  const { db } = database;

  expect(await assetStore(db).add(anAsset("proj_gone"))).toBeUndefined();
  expect(await templateStore(db).add(aTemplate("proj_gone"))).toBeUndefined();
  expect(await codeOf(projectStore(db).add(aProject("user_gone")))).toBe("invalid_token");
});

test("assets and templates are found and removed only within their own project", async () => {
  const { db } = database;
  const project = await addProject(db);
  const other = await addProject(db);
  const asset = await addAsset(db, project.id);
  const template = (await templateStore(db).add(aTemplate(project.id, { tags: ["x"], description: "d" })))!;

  expect(await assetStore(db).change(other.id, asset.id, (found) => found)).toBeUndefined();
  for (const [store, id] of [
    [assetStore(db), asset.id],
    [templateStore(db), template.id],
  ] as const) {
    expect(await store.find(other.id, id)).toBeUndefined();
    expect(await store.remove(other.id, id, () => {})).toBeUndefined();
    expect(await store.remove(project.id, id, () => {})).toMatchObject({ id });
    expect(await store.find(project.id, id)).toBeUndefined();
  }
});

test("the count of templates covers all pages, and items have no content", async () => {
  const { db } = database;
  const project = await addProject(db);
  const exportSettings = { width: 1080, height: 1920, fps: 30 };
  const template = aTemplate(project.id, { content: { textOverlays: [], imageOverlays: [], exportSettings } });
  await templateStore(db).add(template);
  await templateStore(db).add(aTemplate(project.id, { updatedAt: 5 }));

  const page = await templateStore(db).list(project.id, { limit: 1 });

  const { id, name } = template;
  expect(page).toMatchObject({
    count: 2,
    items: [{ id, name, textOverlayCount: 0, imageOverlayCount: 0, hasExportSettings: true }],
  });
  expect(page.items[0]).not.toHaveProperty("content");
  expect(page.next).toBeString();
});

test("API tokens are listed newest first, page by page, and only their owner removes them", async () => {
  const { db } = database;
  const { id: userId } = await addUser(db);
  const { id: stranger } = await addUser(db);
  const tokens = apiTokenStore(db);
  const token = (id: string, createdAt: number) => ({
    id,
    userId,
    name: "CI",
    tokenPrefix: "rw_",
    hash: `hash of ${id}`,
    scopes: ["works:read"] as const,
    createdAt,
    lastUsedAt: null,
    expiresAt: null,
  });
  for (const [id, time] of [
    ["tok_a", 1],
    ["tok_b", 3],
    ["tok_c", 2],
  ] as const)
    await tokens.add(token(id, time));

  const first = await tokens.list(userId, { limit: 2 });
  const second = await tokens.list(userId, { limit: 2, after: first.next });

  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(["tok_b", "tok_c", "tok_a"]);
  await tokens.markUsed("tok_a", 77);
  expect((await tokens.findByHash("hash of tok_a"))?.token).toEqual({ ...token("tok_a", 1), lastUsedAt: 77 });
  expect(await tokens.remove(stranger, "tok_a")).toBe(false);
  expect(await tokens.remove(userId, "tok_a")).toBe(true);
  expect(await tokens.findByHash("hash of tok_a")).toBeUndefined();
});
