import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { PGlite } from "@electric-sql/pglite";
import { embeddedHandle } from "../../../src/storage/database/database.ts";
import { readStorageUsage, readTotal } from "../../../src/storage/database/storage-usage.ts";
import { jsonInit, testService } from "../../support/service.ts";
import { summedStorage } from "../../support/summed-storage.ts";
import { mp4, png } from "../../support/uploads.ts";
import {
  idOf,
  insertGeneration,
  journal,
  migrateTo,
  oldPassword,
  type Row,
  type Rows,
  readTable,
  rowsOfGeneration,
  secretOf,
  tablesIn,
} from "./generations.ts";

const empty = await PGlite.create();
const emptyFolder = await empty.dumpDataDir("none");
await empty.close();
const emptyDatabase = () => PGlite.create({ loadDataDir: emptyFolder });

const files = {
  image: {
    bytes: await png().bytes(),
    extension: "png",
    facts: { kind: "image", container: "png", mimeType: "image/png", extension: "png", width: 4, height: 2 },
  },
  video: {
    bytes: await (await mp4()).bytes(),
    extension: "mp4",
    facts: {
      kind: "video",
      container: "mp4",
      mimeType: "video/mp4",
      extension: "mp4",
      width: 32,
      height: 18,
      durationSeconds: 0.5,
      picture: { codec: "avc", frameRate: 10, hasAlpha: false, matrix: "bt601", fullRange: false, transfer: "sdr" },
      hasSound: false,
    },
  },
};

/** Adds a generation of rows, and checks that each table of the schema has one. */
async function addGeneration(client: PGlite, generation: number) {
  const { rows, stored } = rowsOfGeneration(generation, files);
  const inserted = await insertGeneration(client, rows);
  expect(Object.keys(inserted)).toHaveLength((await tablesIn(client)).length);
  return { inserted, stored };
}

test("an account of the first schema is whole after the upgrade", async () => {
  const client = await emptyDatabase();
  await migrateTo(client, 1);
  const { inserted, stored } = await addGeneration(client, 0);
  expect(Object.keys(inserted)).toHaveLength(10);

  const service = await testService({}, undefined, undefined, undefined, () => embeddedHandle(client, "upgraded"));
  for (const [key, bytes] of stored) {
    await service.files.store(await service.files.receive(Readable.from([bytes]), bytes.byteLength), key);
  }
  const login = await service.request(
    "/api/auth/login",
    jsonInit("POST", { email: "OLD0@example.com", password: oldPassword }),
  );
  expect(login.status).toBe(200);
  const { accessToken } = await login.json();
  const headers = { authorization: `Bearer ${accessToken}` };
  const get = async (path: string) => {
    const response = await service.request(path, { headers });
    expect([path, response.status]).toEqual([path, 200]);
    return response;
  };
  const json = async (path: string) => (await get(path)).json();
  const hashAt = async (path: string) =>
    createHash("sha256")
      .update(await (await get(path)).bytes())
      .digest("hex");
  // biome-ignore lint/suspicious/noExplicitAny: rows of any table
  const { projects, works, assets, templates, work_media } = inserted as Record<string, any>;
  const project = `/api/projects/${idOf("proj", 0)}`;
  const work = `${project}/works/${idOf("work", 0)}`;

  expect(await json("/api/auth/me")).toMatchObject({ id: idOf("user", 0), name: "Öld" });
  expect(await json(project)).toMatchObject({
    name: "Launch",
    systemPrompt: "s",
    knowledge: "line\nline",
    styleGuide: projects!.style_guide,
    projectType: "saas",
    createdAt: 1_000,
    updatedAt: 2_000,
  });
  expect(await json(work)).toMatchObject({
    name: "Film",
    currentStep: 2,
    mode: "content_remix",
    productName: "Tea",
    videoDuration: 0.3,
    sceneCount: 1,
    analysis: works!.analysis,
    generatedScenes: works!.generated_scenes,
    editorState: works!.editor_state,
    selectedAssetIds: works!.selected_asset_ids,
    assetUsageMode: "reference",
    resolution: { width: 32, height: 18 },
  });
  const [listed] = (await json(`${project}/assets`)).assets;
  expect(listed).toMatchObject({
    id: idOf("asset", 0),
    name: "Logo",
    width: 4,
    tags: ["brand"],
    description: "a logo",
  });
  expect(await hashAt(listed.url)).toBe(String(assets!.sha256));
  expect(await hashAt(listed.thumbnail)).toBe(String(assets!.sha256));
  expect(await hashAt(`${work}/media/scene/0/video`)).toBe(String(work_media!.sha256));
  expect(await json(`${project}/templates/${idOf("tmpl", 0)}`)).toMatchObject({
    name: "Intro",
    description: "first",
    content: templates!.content,
  });
  const [token] = await json("/api/tokens");
  expect(token).toMatchObject({ id: idOf("tok", 0), name: "CI", scopes: ["projects:read"] });
  const sessions = await json("/api/auth/sessions");
  expect(JSON.stringify(sessions)).toContain(idOf("sess", 0));
  const refreshed = await service.request("/api/auth/refresh", jsonInit("POST", { refreshToken: secretOf(0) }));
  expect(refreshed.status).toBe(200);

  const request = {
    projectId: idOf("proj", 0),
    workId: idOf("work", 0),
    clips: [{ sceneIndex: 0, position: 0, end: 0.3 }],
  };
  const exported = await service.request("/api/export", jsonInit("POST", request, headers));
  expect([exported.status, exported.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  await service.close();
});

test("no migration loses a value of an earlier schema, whichever it began with", async () => {
  const client = await emptyDatabase();
  const generations: Rows[] = [];
  for (const [step, { tag }] of journal.entries.entries()) {
    await migrateTo(client, step + 1);
    const { inserted } = await addGeneration(client, step);
    expect([tag, Object.keys(inserted).length]).toEqual([tag, (await tablesIn(client)).length]);
    generations.push(inserted);
  }
  const { db, close } = await embeddedHandle(client, "upgraded");
  for (const table of await tablesIn(client)) {
    const expected: readonly Row[] = generations.flatMap((rows) => (rows[table] ? [rows[table]] : []));
    const found = await readTable(client, table);
    expect([table, found.length]).toEqual([table, expected.length]);
    expect(found).toEqual(expect.arrayContaining(expected.map((row) => expect.objectContaining(row))));
  }
  for (const rows of generations) {
    const userId = rows.users!.id as string;
    const summed = await summedStorage(db, userId);
    expect([summed.assets.files, await readStorageUsage(db, userId)]).toEqual([1, summed]);
    expect((await readTotal(db, userId, "exportJobs")).files).toBe(rows.export_jobs ? 1 : 0);
  }
  await close();
});

test("the totals of an upgrade are those of the rows: shared files once, documents whole, nothing of removed projects", async () => {
  const client = await emptyDatabase();
  await migrateTo(
    client,
    journal.entries.findIndex(({ tag }) => tag.endsWith("storage_totals")),
  );
  const { inserted } = await addGeneration(client, 0);
  await addGeneration(client, 1);
  const row = async (table: string, changes: Row) => {
    const row = JSON.stringify({ ...inserted[table], ...changes });
    await client.query(`insert into "${table}" select * from json_populate_record(null::"${table}", $1::json)`, [row]);
  };
  const link = { inputHash: "h" };
  const { file_key, sha256, size_bytes } = inserted.assets!;
  await row("assets", { id: "asset_2" });
  for (const slot of ["scene/1/image", "scene/2/image"]) {
    await row("work_media", { slot, file_key, sha256, size_bytes, origin: link });
    await row("work_media", { slot: `${slot}/2`, sha256: "only links", origin: link });
  }
  for (const key of ["a", "b"]) {
    await row("idempotency_keys", { ...{ key, file_key }, size_bytes: inserted.export_files!.size_bytes });
  }
  await row("projects", { id: "proj_2", knowledge: "x".repeat(10_000) });
  await row("works", { id: "work_2", project_id: "proj_2", editor_state: { text: "ü".repeat(10_000) } });
  await client.query("update projects set user_id = null where id = $1", [idOf("proj", 1)]);

  const { db, close } = await embeddedHandle(client, "upgraded");

  const summed = await summedStorage(db, idOf("user", 0));
  expect(await readStorageUsage(db, idOf("user", 0))).toEqual(summed);
  expect(summed).toMatchObject({
    assets: { files: 2 },
    workMedia: { files: 2 },
    exports: { files: 2 },
    documents: { files: 2 },
  });
  expect((await readStorageUsage(db, idOf("user", 1))).assets).toEqual({ files: 0, bytes: 0 });
  await client.query("delete from projects");
  for (const user of [0, 1]) {
    expect(await readStorageUsage(db, idOf("user", user))).toEqual(await summedStorage(db, idOf("user", user)));
  }
  await close();
});
