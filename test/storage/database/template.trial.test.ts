import { afterAll, beforeAll, expect, test } from "bun:test";
import { exists, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { openDatabase } from "../../../src/storage/database/database.ts";
import { markTemplate } from "../../../src/storage/database/template.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { sweepOrphanedFiles } from "../../../src/storage/files/orphans.ts";
import { databaseTemplate } from "../../support/database.ts";

let folder = "";
let template = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reelwright-template-"));
  template = join(folder, "template");
  const client = await PGlite.create({ dataDir: template, loadDataDir: await databaseTemplate() });
  await markTemplate(client);
  await client.close();
});

afterAll(() => rm(folder, { recursive: true }));

const countUsers = sql`select count(*)::int as users from users`;

/** The identity under which the files of the data folder are claimed. */
async function claimOf(dataDir: string): Promise<string> {
  const { db, close } = await openDatabase({ dataDir, template });
  try {
    await db.execute(countUsers);
    await sweepOrphanedFiles(db, await diskFiles(dataDir));
    return await Bun.file(join(dataDir, "files-of-database")).text();
  } finally {
    await close();
  }
}

test("each copy of a template has an identity of its own, and keeps it", async () => {
  const first = await claimOf(join(folder, "first"));
  expect(first).toMatch(/^\d+\/\d+\/[\da-f-]{36}$/);
  expect(await claimOf(join(folder, "second"))).not.toBe(first);
  await rm(join(folder, "first", "files-of-database"));
  expect(await claimOf(join(folder, "first"))).toBe(first);
});

test("a copy that was interrupted is made anew", async () => {
  const dataDir = join(folder, "interrupted");
  await mkdir(join(dataDir, "postgres.partial"), { recursive: true });
  await writeFile(join(dataDir, "postgres.partial", "PG_VERSION"), "half");
  const { db, close } = await openDatabase({ dataDir, template });
  await db.execute(countUsers);
  await close();
  expect(await exists(join(dataDir, "postgres.partial"))).toBe(false);
});

test("a database that exists is never replaced", async () => {
  const dataDir = join(folder, "kept");
  const first = await openDatabase({ dataDir, template });
  await first.db.execute(sql`create table kept ()`);
  await first.close();
  const second = await openDatabase({ dataDir, template });
  await second.db.execute(sql`select from kept`);
  await second.close();
});

test("a template that is missing stops the start with its path", async () => {
  const missing = join(folder, "missing");
  expect(openDatabase({ dataDir: join(folder, "none"), template: missing })).rejects.toThrow(missing);
});
