import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";
import { type DatabaseHandle, embeddedHandle, openDatabase } from "../../src/storage/database/database.ts";
import { jobQueues } from "../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../src/storage/queue/rules.ts";

export type FreshDatabase = Omit<DatabaseHandle, "description">;

export const serverUrl = process.env.TEST_DATABASE_URL;

/** An empty database with all tables: embedded, or on the server that TEST_DATABASE_URL names. */
export const freshDatabase = (): Promise<FreshDatabase> => (serverUrl ? onServer(serverUrl) : inMemory());

let template: Promise<Blob> | undefined;

/** Migrates once per test process; each database starts as a copy of the result. */
async function inMemory(): Promise<FreshDatabase> {
  template ??= dumpTemplate();
  return embeddedHandle(await PGlite.create({ loadDataDir: await template }), "in memory");
}

async function dumpTemplate(): Promise<Blob> {
  const client = await PGlite.create();
  const { queueConnection } = await embeddedHandle(client, "template");
  const queues = jobQueues(queueConnection, queueRules);
  await queues.ready();
  await queues.stop();
  const dump = await client.dumpDataDir("none");
  await client.close();
  return dump;
}

async function onServer(url: string): Promise<FreshDatabase> {
  const { databaseUrl, drop } = await emptyServerDatabase(url);
  const handle = await openDatabase({ databaseUrl, dataDir: "unused" });
  return { ...handle, close: () => handle.close().then(drop) };
}

/** A database without tables on the server at `url`. */
export async function emptyServerDatabase(url: string) {
  const name = `reelwright_test_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
  await administer(url, `CREATE DATABASE ${name}`);
  const databaseUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  return { databaseUrl, drop: () => administer(url, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  await client.unsafe(statement);
  await client.end();
}
