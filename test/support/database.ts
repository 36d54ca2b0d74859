import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { Client } from "pg";
import { dependencies } from "../../package.json";
import { type DatabaseHandle, embeddedHandle, openDatabase } from "../../src/storage/database/database.ts";
import { indexOfGroups, jobQueues } from "../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../src/storage/queue/rules.ts";
import { databasePool } from "./database-pool.ts";

export type FreshDatabase = Omit<DatabaseHandle, "description">;

const migrationsFolder = join(import.meta.dir, "../../drizzle");

export const serverUrl = process.env.TEST_DATABASE_URL;

/** An empty database with all tables: embedded, or on the server that TEST_DATABASE_URL names. */
export const freshDatabase = (): Promise<FreshDatabase> => (serverUrl ? onServer(serverUrl) : inMemory());

let template: Promise<Blob> | undefined;

/** A database in memory needs neither a large cache of its files nor a log that survives a power cut. */
const startParams = [
  ...PGlite.defaultStartParams,
  ...[
    "shared_buffers=8MB",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "min_wal_size=2MB",
    "max_wal_size=2MB",
  ].flatMap((setting) => ["-c", setting]),
];

const takeDatabase = databasePool(async () => {
  template ??= databaseTemplate();
  return await PGlite.create({ loadDataDir: await template, startParams });
});

/** A database of its own for every test, whose content is that of the template. */
export const inMemory = async (): Promise<FreshDatabase> => embeddedHandle(await takeDatabase(), "in memory");

/** Puts a database with all tables into a data folder, for services whose first start is not what a test is about. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  template ??= databaseTemplate();
  await new Bun.Archive(await template).extract(join(dataDir, "postgres"));
}

/**
 * An archive of a database with all tables. Stored in the system's temporary folder for all processes and runs:
 * creating a database takes 5 s, loading the archive 0.5 s.
 */
export async function databaseTemplate(): Promise<Blob> {
  const path = join(tmpdir(), `reelwright-test-database-${await templateVersion()}.tar`);
  const stored = Bun.file(path);
  if (await stored.exists()) return new Blob([await stored.bytes()]);

  const dump = await dumpTemplate();
  // renamed into place, so that no other process reads half of it
  const partial = `${path}.${crypto.randomUUID()}`;
  await Bun.write(partial, dump);
  await rename(partial, path);
  return dump;
}

/** A hash of everything that decides the template's content. */
async function templateVersion(): Promise<string> {
  const migrations = [...new Bun.Glob("*.sql").scanSync({ cwd: migrationsFolder, absolute: true })].sort();
  const texts = await Promise.all(migrations.map((file) => Bun.file(file).text()));
  const versions = [dependencies["@electric-sql/pglite"], dependencies["pg-boss"]];
  return Bun.hash(
    JSON.stringify([versions, queueRules, indexOfGroups, texts, startParams, `${dumpTemplate}`]),
  ).toString(16);
}

async function dumpTemplate(): Promise<Blob> {
  const client = await PGlite.create({ initDbStartParams: ["--wal-segsize=1"], startParams });
  const { queueConnection } = await embeddedHandle(client, "template");
  const queues = jobQueues(queueConnection, queueRules);
  await queues.ready();
  await queues.stop();
  // who loads the archive reads all of it, and runs what the log has since the last checkpoint
  for (const database of ["template0", "template1"]) {
    await client.exec(`update pg_database set datistemplate = false where datname = '${database}'`);
    await client.exec(`drop database ${database}`);
  }
  await client.exec("checkpoint");
  const dump = await client.dumpDataDir("none");
  await client.close();
  return dump;
}

async function onServer(url: string): Promise<FreshDatabase> {
  const { databaseUrl, drop } = await preparedServerDatabase(url);
  const handle = await openDatabase({ databaseUrl, dataDir: "unused" });
  return { ...handle, close: () => handle.close().then(drop) };
}

/** The SQLSTATE of a database name that exists. */
const duplicateDatabase = "42P04";

let serverTemplate: Promise<string> | undefined;

/** A database of its own with all tables on the server at `url`. */
export async function preparedServerDatabase(url: string) {
  serverTemplate ??= serverDatabaseTemplate(url);
  return await emptyServerDatabase(url, await serverTemplate);
}

/** The name of a database with all tables on the server, which others copy; created once for all processes and runs. */
export async function serverDatabaseTemplate(url: string): Promise<string> {
  const name = `reelwright_test_template_${await templateVersion()}`;
  const [found] = await administer(url, `SELECT 1 FROM pg_database WHERE datname = '${name}'`);
  if (found) return name;

  const { name: partial, databaseUrl, drop } = await emptyServerDatabase(url);
  const handle = await openDatabase({ databaseUrl, dataDir: "unused" });
  const queues = jobQueues(handle.queueConnection, queueRules);
  await queues.ready();
  await queues.stop();
  await handle.close();
  // another process may have created the template in the meantime: then its copy is used, and this one dropped
  await administer(url, `ALTER DATABASE ${partial} RENAME TO ${name}`).catch((error: { code?: string }) => {
    if (error.code !== duplicateDatabase) throw error;
    return drop();
  });
  return name;
}

/** A database of its own on the server at `url`: a copy of `source`, by default one without tables. */
export async function emptyServerDatabase(url: string, source = "template1") {
  const name = `reelwright_test_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
  await administer(url, `CREATE DATABASE ${name} TEMPLATE ${source}`);
  const databaseUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  return { name, databaseUrl, drop: async () => void (await administer(url, `DROP DATABASE ${name} WITH (FORCE)`)) };
}

async function administer(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
