import { expect, test } from "bun:test";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { drizzle as drizzleServer } from "drizzle-orm/node-postgres";
import { migrate as migrateServer } from "drizzle-orm/node-postgres/migrator";
import { drizzle as drizzleEmbedded } from "drizzle-orm/pglite";
import { migrate as migrateEmbedded } from "drizzle-orm/pglite/migrator";
import { Client } from "pg";
import { type Database, embeddedHandle, openDatabase } from "../../../src/storage/database/database.ts";
import { tokenFamilies } from "../../../src/storage/tables/accounts.ts";
import { idempotencyKeys } from "../../../src/storage/tables/idempotency.ts";
import { emptyServerDatabase, serverUrl } from "../../support/database.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const allMigrations = join(import.meta.dir, "../../../drizzle");

/** Runs `use` with a folder of the migrations before the one with this number. */
async function withMigrationsBefore(number: number, use: (migrationsFolder: string) => Promise<void>): Promise<void> {
  const folder = await temporaryFolder();
  try {
    await cp(allMigrations, folder, { recursive: true });
    const path = join(folder, "meta/_journal.json");
    const journal = (await Bun.file(path).json()) as { entries: { idx: number }[] };
    const entries = journal.entries.filter(({ idx }) => idx < number);
    expect(entries).toHaveLength(number);
    await Bun.write(path, JSON.stringify({ ...journal, entries }));
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const row = {
  userId: "user_1",
  key: "a key",
  fingerprint: "a fingerprint",
  claimId: "a claim",
  leasedUntil: 1_000,
  checkpoints: { image: '{"state":"done","result":1}' },
  status: 200,
  headers: { "content-type": "application/json" },
  body: '{"b":1,"a":2}',
  fileKey: "user/export.mp4",
  sizeBytes: 5_000_000_000,
  expiresAt: 2_000,
};

async function addKeptAnswer(db: Database): Promise<void> {
  await db.execute(sql`
    insert into users (id, email, name, password_hash, created_at, updated_at)
    values (${row.userId}, 'ann@example.com', 'Ann', 'hash', 1, 1)`);
  await db.execute(sql`
    insert into kept_answers (user_id, key, fingerprint, claim_id, leased_until, steps,
      status, headers, body, file_key, size_bytes, expires_at)
    values (${row.userId}, ${row.key}, ${row.fingerprint}, ${row.claimId}, ${row.leasedUntil}, ${JSON.stringify(row.checkpoints)}::jsonb,
      ${row.status}, ${JSON.stringify(row.headers)}::json, ${row.body}, ${row.fileKey}, ${row.sizeBytes}, ${row.expiresAt})`);
}

/** A login that was refreshed. */
async function addSession(db: Database): Promise<void> {
  await db.execute(sql`insert into token_families (id, user_id, expires_at) values ('a session', ${row.userId}, 900)`);
  await db.execute(sql`
    insert into refresh_tokens (hash, family_id, expires_at, created_at)
    values ('first', 'a session', 500, 100), ('second', 'a session', 900, 400)`);
}

async function expectMigrated(db: Database): Promise<void> {
  expect(await db.select().from(idempotencyKeys)).toEqual([row]);
  const indexes = await db.select({ name: sql<string>`indexname` }).from(sql`pg_indexes where schemaname = 'public'`);
  expect(indexes.filter(({ name }) => name.includes("kept"))).toEqual([]);
  const session = { id: "a session", userId: row.userId, userAgent: null, revokedAt: null, expiresAt: 900 };
  expect(await db.select().from(tokenFamilies)).toEqual([{ ...session, createdAt: 100, lastUsedAt: 400 }]);
}

test("the migrations keep the rows of kept_answers, and sessions get the times of their tokens", () =>
  withMigrationsBefore(5, async (migrationsFolder) => {
    const client = await PGlite.create();
    const old = drizzleEmbedded(client);
    await migrateEmbedded(old, { migrationsFolder });
    await addKeptAnswer(old);
    await addSession(old);

    const { db, close } = await embeddedHandle(client, "in memory");

    await expectMigrated(db);
    await close();
  }));

test.if(!!serverUrl)("the migrations keep the same on a server", () =>
  withMigrationsBefore(5, async (migrationsFolder) => {
    const { databaseUrl, drop } = await emptyServerDatabase(serverUrl!);
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const old = drizzleServer(client);
    await migrateServer(old, { migrationsFolder });
    await addKeptAnswer(old);
    await addSession(old);
    await client.end();

    const { db, close } = await openDatabase({ databaseUrl, dataDir: "unused" });

    await expectMigrated(db);
    await close();
    await drop();
  }),
);
