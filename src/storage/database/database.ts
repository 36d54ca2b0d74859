import { constants, existsSync } from "node:fs";
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { drizzle as drizzleEmbedded } from "drizzle-orm/pglite";
import { ifMissing } from "../../platform/files.ts";
import type { TraceQuery } from "../../platform/tracing.ts";
import { withDatabaseTimeout } from "./errors.ts";
import { type Lock, takeLock } from "./file-lock.ts";
import type { Listen } from "./listener.ts";
import { migrateEmbedded, migrateServer, requireMigrated, requireMigratedServer } from "./migrate.ts";
import { withStatements } from "./pglite-statements.ts";
import { defaultPoolSize, type ServerConnection, type ServerTimings, serverTimings } from "./probe.ts";
import { type QueueDatabase, serverDatabase } from "./server.ts";
import { copyTemplate, identifyCopy } from "./template.ts";

/** The embedded database, a server, or a transaction on either; stores do not distinguish them. */
export type Database = PgDatabase<PgQueryResultHKT>;

/** pg-boss has its tables in the same database. */
export type QueueConnection = { readonly embedded: EmbeddedConnection } | { readonly server: QueueDatabase };

type EmbeddedConnection = Pick<PGlite, "query" | "exec" | "listen">;

export type DatabaseHandle = {
  readonly db: Database;
  readonly listen: Listen;
  readonly queueConnection: QueueConnection;
  /** The location of the data for the log and error messages; contains no password. */
  readonly description: string;
  /** Throws `unavailable` if the database does not respond. */
  ping(): Promise<void>;
  /** Undefined for the embedded database. */
  readonly connections?: () => ConnectionUse;
  close(): Promise<void>;
};

/** The pool of a server: requests wait while all connections are in use. */
type ConnectionUse = {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
  readonly limit: number;
};

type DatabaseLocation = {
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  /** The folder of an initialized embedded database, which a first start copies. */
  readonly template?: string | undefined;
  /** The most connections to a server, in addition to the one for notifications. */
  readonly poolSize?: number | undefined;
  /** Tests shorten them. */
  readonly timings?: ServerTimings;
  /** The reaction to pending migrations: run them, or reject with a one-line message and change nothing. */
  readonly ifPending?: "migrate" | "reject";
  /** Runs each query except those of the queues. */
  readonly trace?: TraceQuery | undefined;
};

/** Opens the database and runs the pending migrations. */
export const openDatabase = ({
  databaseUrl,
  dataDir,
  template,
  poolSize = defaultPoolSize,
  timings = serverTimings,
  ...options
}: DatabaseLocation): Promise<DatabaseHandle> =>
  databaseUrl ? openServer({ databaseUrl, poolSize, timings }, options) : openEmbedded({ dataDir, template }, options);

type OpenOptions = Pick<DatabaseLocation, "ifPending" | "trace">;

type EmbeddedLocation = Pick<DatabaseLocation, "dataDir" | "template">;

async function openEmbedded({ dataDir, template }: EmbeddedLocation, options: OpenOptions): Promise<DatabaseHandle> {
  const folder = embeddedFolder(dataDir);
  if (options.ifPending === "reject" && !existsSync(folder)) {
    throw new Error(`There is no embedded database in ${dataDir}.`);
  }
  await mkdir(dataDir, { recursive: true });
  const lock = lockDataDir(dataDir);
  try {
    if (template) await copyTemplate(template, folder);
    await requireWritable(folder);
    const client = await openPglite(folder);
    const handle = await embeddedHandle(client, `embedded PostgreSQL in ${folder}`, options);
    await identifyCopy(client);
    return { ...handle, close: () => handle.close().finally(lock.release) };
  } catch (cause) {
    lock.release();
    throw new Error(`The embedded database in ${folder} cannot be opened: ${reasonOf(cause)}.`, { cause });
  }
}

export const embeddedFolder = (dataDir: string): string => join(dataDir, "postgres");

function lockDataDir(dataDir: string): Lock {
  const lock = tryLock(dataDir);
  if (lock) return lock;
  throw new Error(`Another process is using the data folder ${dataDir}: stop it, or choose another DATA_DIR.`);
}

/** Undefined while another process uses the folder. */
export function tryLock(dataDir: string): Lock | undefined {
  try {
    return takeLock(join(dataDir, "lock"));
  } catch (cause) {
    throw new Error(`The data folder ${dataDir} cannot be written${codeOf(cause)}: ${writeAdvice}.`, { cause });
  }
}

const writeAdvice = "check its owner, its disk and whether it is mounted read-only, or choose another DATA_DIR";

/** The code of a system error, in parentheses. The lock has codes of SQLite. */
const codeOf = (cause: unknown): string => {
  const { code = "" } = cause as NodeJS.ErrnoException;
  return /^E[A-Z]+$/.test(code) ? ` (${code})` : "";
};

/** Tries to write, because PGlite does not say why it cannot. */
async function requireWritable(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const probe = join(folder, "write-check");
  try {
    await writeFile(probe, "");
    await rm(probe);
    await access(join(folder, "PG_VERSION"), constants.W_OK).catch(ifMissing(undefined));
  } catch (cause) {
    throw new Error(`it cannot be written${codeOf(cause)}: ${writeAdvice}`);
  }
}

/** System errors have a code and a clear message; for damaged files PGlite only reports an abort. */
export const openPglite = (folder: string): Promise<PGlite> =>
  PGlite.create(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code) throw error;
    throw new Error(
      "its files are damaged, or the disk is full: free some space, restore a backup of the folder, or move it away to start empty",
    );
  });

/** Migrates an open PGlite and wraps it; tests pass one that lives in memory. */
export async function embeddedHandle(
  client: PGlite,
  description: string,
  { ifPending, trace }: OpenOptions = {},
): Promise<DatabaseHandle> {
  if (ifPending === "reject") await requireMigrated(drizzleEmbedded(client));
  else await migrateEmbedded(drizzleEmbedded(client));
  const statements = withStatements(client, trace);
  // safe because Drizzle calls no other methods
  const db = drizzleEmbedded(statements as PGlite, { casing: "snake_case" });
  const listen: Listen = async (channel, onMessage) => void (await client.listen(channel, onMessage));
  return {
    db,
    listen,
    queueConnection: { embedded: queueConnection(client, statements) },
    description,
    ping: pingOf(db),
    close: () => client.close(),
  };
}

/** pg-boss sends long queries at each poll and each job, so it shares the prepared statements. */
const queueConnection = (client: PGlite, { query }: Pick<PGlite, "query">): EmbeddedConnection => ({
  query,
  exec: (text) => client.exec(text),
  listen: (channel, onMessage) => client.listen(channel, onMessage),
});

/** Describes the server without user and password. */
export function describeServer(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host}${pathname}`;
}

async function openServer(connection: ServerConnection, { ifPending, trace }: OpenOptions): Promise<DatabaseHandle> {
  const description = describeServer(connection.databaseUrl);
  const prepare = ifPending === "reject" ? requireMigratedServer : migrateServer;
  await prepare(connection.databaseUrl).catch((cause) => {
    throw new Error(`The database cannot be used (${description}): ${reasonOf(cause)}.`, { cause });
  });
  const { queueConnection: server, ...database } = serverDatabase(connection, trace);
  return { ...database, queueConnection: { server }, description, ping: pingOf(database.db) };
}

const pingOf = (db: Database) => withDatabaseTimeout({ ping: async () => void (await db.execute(sql`select 1`)) }).ping;

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
};
