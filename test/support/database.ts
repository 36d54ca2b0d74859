import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/node-postgres";
import { Client } from "pg";
import { dependencies } from "../../package.json";
import {
  type Database,
  type DatabaseHandle,
  embeddedHandle,
  openDatabase,
} from "../../src/storage/database/database.ts";
import { indexOfGroups, jobQueues } from "../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../src/storage/queue/rules.ts";
import { closingBy, databasePool } from "./database-pool.ts";

export type OpenedDatabase = Omit<DatabaseHandle, "description">;

export type FreshDatabase = OpenedDatabase & {
  /** For statements about many rows: a connection without the limits of time that those of the service have. */
  readonly seeding: Database;
};

const migrationsFolder = join(import.meta.dir, "../../drizzle");

export const serverUrl = process.env.TEST_DATABASE_URL;

/** An empty database with all tables: embedded, or on the server that TEST_DATABASE_URL names. */
export const freshDatabase = (): Promise<FreshDatabase> => (serverUrl ? onServer() : inMemory());

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

const takeEmbedded = databasePool(async () => {
  template ??= databaseTemplate();
  const client = await PGlite.create({ loadDataDir: await template, startParams });
  return {
    client,
    async query(text, parameters) {
      if (!parameters) return (await client.exec(text)).at(-1)!.rows as Record<string, string>[];
      return (await client.query<Record<string, string>>(text, parameters)).rows;
    },
    async disconnect() {
      const { rows } = await client.query<{ channel: string }>("select pg_listening_channels() as channel");
      for (const { channel } of rows) await client.unlisten(channel);
    },
    remove: () => client.close(),
  };
});

/** A database in memory with all tables, of which nothing is prepared. */
export async function embeddedClient(): Promise<PGlite> {
  const { database, giveBack } = await takeEmbedded();
  return closingBy(database.client, giveBack);
}

/** A database of its own for every test, whose content is that of the template. */
export async function inMemory(): Promise<FreshDatabase> {
  const handle = await embeddedHandle(await embeddedClient(), "in memory");
  // its connection has no limits
  return { ...handle, seeding: handle.db };
}

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

const takeOnServer = databasePool(async () => {
  const { databaseUrl, drop } = await preparedServerDatabase(serverUrl!); // safe because the tests have a server
  const client = new Client({ connectionString: databaseUrl });
  // a server that ends closes it
  client.on("error", () => {});
  await client.connect();
  return {
    databaseUrl,
    seeding: drizzle(client, { casing: "snake_case" }),
    query: async (text, parameters) => (await client.query(text, parameters)).rows,
    disconnect: () => client.query(endOthers),
    remove: () => client.end().then(drop),
  };
});

/** Waits until they have ended. */
const endOthers = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;

async function onServer(): Promise<FreshDatabase> {
  const { database, giveBack } = await takeOnServer();
  const handle = await openDatabase({ databaseUrl: database.databaseUrl, dataDir: "unused" });
  return { ...handle, seeding: database.seeding, close: () => handle.close().then(giveBack) };
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
  await dropAbandoned(url);
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

const prefix = "reelwright_test_";
const maxTestMs = 10 * 60_000;

/** Drops the databases that processes had when they ended: old ones, to which nobody is connected. */
async function dropAbandoned(url: string): Promise<void> {
  const oldest = Bun.randomUUIDv7("hex", Date.now() - maxTestMs).replaceAll("-", "");
  const found = await administer(
    url,
    `SELECT datname AS name FROM pg_database d WHERE datname ~ '^${prefix}[0-9a-f]{32}$' AND datname < '${prefix}${oldest}'
      AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE datid = d.oid)`,
  );
  // another process may drop it too
  for (const { name } of found) await administer(url, `DROP DATABASE IF EXISTS ${name}`).catch(() => {});
}

/** A database of its own on the server at `url`: a copy of `source`, by default one without tables. */
export async function emptyServerDatabase(url: string, source = "template1") {
  const name = `${prefix}${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
  await administer(url, `CREATE DATABASE ${name} TEMPLATE ${source}`);
  const databaseUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  return { name, databaseUrl, drop: async () => void (await administer(url, `DROP DATABASE ${name} WITH (FORCE)`)) };
}

async function administer(url: string, statement: string): Promise<readonly { readonly name?: string }[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
