import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { drizzle as drizzleEmbedded } from "drizzle-orm/pglite";
import { drizzle as drizzleServer } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { withDatabaseTimeout } from "./errors.ts";
import { type Lock, takeLock } from "./file-lock.ts";
import type { QueueSource } from "./job-queue.ts";
import { migrateEmbedded, migrateServer } from "./migrate.ts";

/** Either database, or a transaction on it: stores do not know which. */
export type Database = PgDatabase<PgQueryResultHKT>;

/** Hears what is told on a channel, from whichever process, until the database is closed. */
export type Listen = (channel: string, hear: (message: string) => void) => Promise<void>;

export type DatabaseHandle = {
  readonly db: Database;
  readonly listen: Listen;
  readonly queueSource: QueueSource;
  /** For people: where the data is, without any password. */
  readonly description: string;
  /** Throws unavailable when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

type DatabaseLocation = { readonly databaseUrl?: string | undefined; readonly dataDir: string };

/** Opens the database and brings its tables up to date. */
export const openDatabase = ({ databaseUrl, dataDir }: DatabaseLocation): Promise<DatabaseHandle> =>
  databaseUrl ? openServer(databaseUrl) : openEmbedded(dataDir);

async function openEmbedded(dataDir: string): Promise<DatabaseHandle> {
  await mkdir(dataDir, { recursive: true });
  const lock = lockFolder(dataDir);
  const folder = join(dataDir, "postgres");
  try {
    const handle = await embeddedHandle(await openFolder(folder), `embedded PostgreSQL in ${folder}`);
    return { ...handle, close: () => handle.close().finally(lock.release) };
  } catch (cause) {
    lock.release();
    throw new Error(`The embedded database in ${folder} cannot be opened: ${reasonOf(cause)}.`, { cause });
  }
}

function lockFolder(dataDir: string): Lock {
  const lock = tryLock(dataDir);
  if (lock) return lock;
  throw new Error(`Another process is using the data folder ${dataDir}: stop it, or choose another DATA_DIR.`);
}

function tryLock(dataDir: string): Lock | undefined {
  try {
    return takeLock(join(dataDir, "lock"));
  } catch (cause) {
    const advice = "check its owner and its disk, or choose another DATA_DIR";
    throw new Error(`The data folder ${dataDir} cannot be written: ${advice}.`, { cause });
  }
}

/** The system's own errors speak for themselves; of a damaged folder the engine only says that it stopped. */
const openFolder = (folder: string): Promise<PGlite> =>
  PGlite.create(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code) throw error;
    throw new Error(
      "its files are damaged, or the disk is full: make room, put a backup of the folder back, or move it away to begin anew",
    );
  });

/** Also for a database in memory, as tests use it. */
export async function embeddedHandle(client: PGlite, description: string): Promise<DatabaseHandle> {
  const db = drizzleEmbedded(client, { casing: "snake_case" });
  await migrateEmbedded(db);
  const listen: Listen = async (channel, hear) => void (await client.listen(channel, hear));
  return { db, listen, queueSource: { embedded: client }, description, ping: pingOf(db), close: () => client.close() };
}

async function openServer(databaseUrl: string): Promise<DatabaseHandle> {
  const { host, pathname } = new URL(databaseUrl);
  const description = `PostgreSQL at ${host}${pathname}`;
  await migrateServer(databaseUrl).catch((cause) => {
    throw new Error(`The database cannot be used (${description}): ${reasonOf(cause)}.`, { cause });
  });

  const client = postgres(databaseUrl, {
    max: 10,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: "reelwright",
      statement_timeout: 5_000,
      idle_in_transaction_session_timeout: 10_000,
    },
  });
  const db = drizzleServer(client, { casing: "snake_case" });
  const listen: Listen = async (channel, hear) => void (await client.listen(channel, hear));
  const close = () => client.end({ timeout: 2 });
  return { db, listen, queueSource: { databaseUrl }, description, ping: pingOf(db), close };
}

const pingOf = (db: Database) => withDatabaseTimeout({ ping: async () => void (await db.execute(sql`select 1`)) }).ping;

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
};
