import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { eq, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { createTarDecoder } from "modern-tar";
import { secretBox } from "../../../src/security/secret-box.ts";
import { idChanger } from "../../../src/storage/archive/import.ts";
import { parseEntryName } from "../../../src/storage/archive/manifest.ts";
import { TruncatedArchive } from "../../../src/storage/archive/read.ts";
import { parseLine } from "../../../src/storage/archive/rows.ts";
import { archivedTables, tablesNotArchived } from "../../../src/storage/archive/tables.ts";
import { users } from "../../../src/storage/tables/accounts.ts";
import { batches, batchItems } from "../../../src/storage/tables/batches.ts";
import { exportWebhooks } from "../../../src/storage/tables/exports.ts";
import { filmKeys, filmSteps, films } from "../../../src/storage/tables/films.ts";
import { upstreamCalls } from "../../../src/storage/tables/ledger.ts";
import { assets, projects, works } from "../../../src/storage/tables/projects.ts";
import { archiveOf, filesOf, importInto, rewritten, rowsOf, smallBatches } from "../../support/archives.ts";
import { jsonClient } from "../../support/json-client.ts";
import { storesOnDisk, type TestService, testService } from "../../support/service.ts";
import { archivedAccount, clear, messageOf } from "./archived-account.ts";

const { source, ann, user, account, archive, inBatches } = await archivedAccount();
const target = await testService();
afterAll(() => target.close());

test("every table is archived, or listed with the reason why not", async () => {
  const folder = join(import.meta.dir, "../../../src/storage");
  const modules = await Promise.all(
    [...new Bun.Glob("tables/*.ts").scanSync(folder)].map((file) => import(join(folder, file))),
  );
  const tables = modules.flatMap((module) => Object.values(module).filter((value) => is(value, PgTable)));
  const names = tables.map((table) => getTableConfig(table).name).sort();
  expect([...archivedTables.keys(), ...Object.keys(tablesNotArchived)].sort()).toEqual(names);
});

test("an import that is cut off in the middle leaves no row without its file, and continues", async () => {
  await clear(target);
  const half = inBatches.slice(0, inBatches.length / 2);
  expect(await importInto(target, half).catch((error) => error)).toBeInstanceOf(TruncatedArchive);
  expect(await target.db.$count(users)).toBe(1);
  expect(Object.values(await filesOf(target))).not.toContain(undefined);
  await importInto(target, inBatches);
  expect(await rowsOf(target)).toEqual(await rowsOf(source));
  expect(await filesOf(target)).toEqual(await filesOf(source));

  const again = await importInto(target, inBatches);
  expect([again.added, again.filesAdded]).toEqual([0, 0]);
});

test("a flipped byte of a file is refused with the name of the file", async () => {
  await clear(target);
  const { fileKey } = (await source.db.select({ fileKey: assets.fileKey }).from(assets))[0]!;
  const sha256 = (await source.files.sha256Of(fileKey))!;
  // a header has 512 bytes
  const start = Buffer.from(archive).indexOf(`${sha256}.file`) - "000001/".length + 512;
  const damaged = archive.slice();
  damaged[start + 20]! ^= 1;
  expect(await messageOf(importInto(target, damaged))).toStartWith(`The file ${fileKey} (`);
  expect(await messageOf(importInto(target, damaged))).toContain("do not match their hash");
  expect(await target.files.sha256Of(fileKey)).toBeUndefined();

  // also where the file is there already
  await importInto(target, archive);
  expect(await messageOf(importInto(target, damaged))).toStartWith(`The file ${fileKey} (`);
});

test("an archive of a version without a column that may be null is imported", async () => {
  await clear(target);
  let left = 0;
  const withoutNulls = (line: string) => {
    const { table, row } = JSON.parse(line);
    const known = Object.entries(row).filter(([name, value]) => value !== null || table === "users" || name === "id");
    left += Object.keys(row).length - known.length;
    return JSON.stringify({ table, row: Object.fromEntries(known) });
  };
  const older = await rewritten(archive, (text, kind) =>
    kind === "rows" ? `${text.trimEnd().split("\n").map(withoutNulls).join("\n")}\n` : text,
  );
  expect(left).toBeGreaterThan(50);
  await importInto(target, older);
  expect(await rowsOf(target)).toEqual(await rowsOf(source));
  expect((await importInto(target, archive)).added).toBe(0);
});

test("the entries of an archive are named by the hashes of their bytes", async () => {
  for await (const { header, body } of new Blob([archive.slice()]).stream().pipeThrough(createTarDecoder())) {
    const hash = new Bun.CryptoHasher("sha256").update(await new Response(body).bytes()).digest("hex");
    expect(parseEntryName(header.name)?.sha256).toBe(hash);
  }
});

test("bytes that are no archive are refused", async () => {
  expect(await messageOf(importInto(target, Buffer.from("text ".repeat(1000))))).toContain("is not an archive");
});

test("a row that is there with other values is refused, or stays with --keep-existing", async () => {
  await clear(target);
  await importInto(target, archive);
  await target.db.update(works).set({ name: "Renamed" });

  const message = await messageOf(importInto(target, archive));
  expect(message).toStartWith(`works ${account.workId} is there with other values`);
  expect((await importInto(target, archive, { keepsExisting: true })).kept).toBe(1);
  expect(await target.db.select({ name: works.name }).from(works)).toEqual([{ name: "Renamed" }]);
});

test("an account whose address belongs to another one is refused", async () => {
  await clear(target);
  const row = { id: "user_1", email: ann.user.email, name: "Ann", passwordHash: "-", createdAt: 1, updatedAt: 1 };
  await target.db.insert(users).values(row);
  expect(await messageOf(importInto(target, archive))).toStartWith(
    `The address ${ann.user.email} belongs to another account here`,
  );
  expect(await target.db.$count(users)).toBe(1);
  expect(await target.db.$count(projects)).toBe(0);
});

test("a project gets new ids in another account, the same ones each time", async () => {
  await clear(target);
  const bob = await target.register("Bob");
  const { projectId, workId, exportId } = account;
  const project = { id: projectId, name: "Launch" };
  const { bytes } = await archiveOf(source, { kind: "project", project, user }, smallBatches);
  const changeIds = idChanger(ann.user.id, bob.user.id);

  await importInto(target, bytes, { changeIds });
  expect((await importInto(target, bytes, { changeIds })).added).toBe(0);

  const api = jsonClient(bob);
  const [listed] = (await api("GET", "/api/projects")).body;
  expect(listed.id).toBe(changeIds(projectId));
  expect(listed.id).not.toBe(projectId);
  expect(JSON.stringify(await rowsOf(target))).not.toContain(projectId);
  const work = await api("GET", changeIds(`/api/projects/${projectId}/works/${workId}`));
  const { status } = await bob.request(work.body.generatedScenes[0].videoUrl);
  expect(status).toBe(200);
  expect((await bob.request(changeIds(`/api/exports/${exportId}/file`))).status).toBe(200);
  // in the account of the archive it stays apart
  expect((await importInto(source, bytes)).added).toBe(0);
});

test("secrets of webhooks are sealed anew, also of rows that were imported before", async () => {
  await clear(target);
  const theirs = secretBox("a secret of 32 bytes that only tests know");
  const ours = secretBox("another secret of 32 bytes, of the target");
  const reseal = (sealed: string) => ours.seal(theirs.open(sealed)!);
  const secretIn = async ({ db }: TestService) => (await db.select().from(exportWebhooks))[0]!.secret!;

  expect((await importInto(target, archive)).sealedSecrets).toBe(1);
  expect(ours.open(await secretIn(target))).toBeUndefined();
  for (let times = 0; times < 2; times += 1) {
    expect((await importInto(target, archive, { reseal })).added).toBe(0);
    expect(ours.open(await secretIn(target))).toBe("a secret that signs events");
  }
});

test("a delivery that waits in the queue can be sent again where it is imported", async () => {
  await clear(target);
  await importInto(target, archive);
  await target.db.update(exportWebhooks).set({ state: "pending" });
  const { bytes } = await archiveOf(target);
  await clear(target);
  await importInto(target, bytes);
  expect(await target.db.select({ state: exportWebhooks.state }).from(exportWebhooks)).toEqual([{ state: "failed" }]);
});

test("unfinished films and batches arrive as cancelled, without keys and webhooks, with what was spent", async () => {
  await clear(target);
  await importInto(target, archive);
  const { db } = target;
  const { filmId, batchId } = account;
  const webhook = { url: "https://example.com/hook", secret: "sealed-secret" };
  await db
    .update(films)
    .set({ status: "waiting", waitingFor: "key", waitingReason: "Send it.", webhook, endedAt: null });
  await db.insert(filmKeys).values({ filmId, category: "image", sealed: "sealed-key" });
  const running = { status: "running", attempts: [{ state: "running", startedAt: 11 }] } as const;
  await db.update(filmSteps).set({ ...running, checkpoints: { job: { state: "done", result: "job-of-provider" } } });
  await db.update(batches).set({ status: "running", endedAt: null });
  await db.update(batchItems).set({ status: "running" });
  await db.update(upstreamCalls).set({ state: "reserved", cost: 0 }).where(eq(upstreamCalls.filmId, filmId));
  const scope = { kind: "project", project: { id: account.projectId, name: "Launch" }, user } as const;
  const { bytes } = await archiveOf(target, scope);
  for (const secret of ["sealed-key", "sealed-secret", "job-of-provider"]) {
    expect(Buffer.from(bytes).includes(secret)).toBe(false);
  }

  await clear(target);
  const bob = await target.register("Bob");
  const changeIds = idChanger(ann.user.id, bob.user.id);
  await importInto(target, bytes, { changeIds });
  expect((await importInto(target, bytes, { changeIds })).added).toBe(0);

  const api = jsonClient(bob);
  const base = changeIds(`/api/projects/${account.projectId}`);
  const { body: film } = await api("GET", `${base}/films/${changeIds(filmId)}`);
  expect(film).toMatchObject({ status: "cancelled", workId: changeIds(account.workId), endedAt: 20 });
  expect(film).not.toHaveProperty("waitingFor");
  expect(film.steps).toMatchObject([{ status: "unknown", attempts: [{ state: "unknown" }] }]);
  const { body: batch } = await api("GET", `${base}/batches/${changeIds(batchId)}`);
  expect(batch).toMatchObject({ status: "cancelled", counts: { cancelled: 1 } });
  expect(await target.db.$count(filmKeys)).toBe(0);

  const { body: spend } = await api("GET", changeIds(`/api/spend?groupBy=film&projectId=${account.projectId}`));
  expect(spend).toMatchObject({ total: "0.05", reserved: "0.00", unknown: "0.06" });
  const { body: budget } = await api("PUT", `${base}/budget`, { limit: "20.00", period: "total" });
  // what is unknown counts as spent
  expect(budget).toMatchObject({ spent: "0.11", reserved: "0.00" });
});

test("rows of a newer version are refused", () => {
  const line = `{"table":"users","row":{"id":"${ann.user.id}","nickname":"A"}}`;
  expect(() => parseLine(line)).toThrow("The archive holds a row of users that this version cannot store");
});

test.if(storesOnDisk)("rows whose files are lost or damaged are left out and named; removed rows are not", async () => {
  await clear(target);
  await importInto(target, archive);
  const [asset] = await target.db.select().from(assets);
  const path = join(target.dataDir, "files", asset!.fileKey);
  const original = await Bun.file(path).bytes();
  await Bun.write(path, "damaged");
  const damaged = await archiveOf(target);
  expect(damaged.problems).toEqual([`assets ${asset!.id}: its file ${asset!.fileKey} is damaged`]);

  await rm(path);
  const lost = await archiveOf(target);
  expect(lost.problems).toEqual([`assets ${asset!.id}: its file ${asset!.fileKey} is missing`]);
  await Bun.write(path, original);
  await rm(join(target.dataDir, "files", asset!.thumbnailKey!));
  const withoutThumbnail = await archiveOf(target);
  expect(withoutThumbnail.problems).toHaveLength(1);

  await clear(target);
  await importInto(target, lost.bytes);
  expect(await target.db.$count(assets)).toBe(0);
  expect(await target.db.$count(works)).toBe(1);
  await importInto(target, withoutThumbnail.bytes);
  const isAsset = eq(assets.id, asset!.id);
  expect((await target.db.select().from(assets).where(isAsset))[0]!.thumbnailKey).toBeNull();
});
