import { join } from "node:path";
import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as runServer } from "drizzle-orm/node-postgres/migrator";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { PgliteDatabase } from "drizzle-orm/pglite";
import { migrate as runEmbedded } from "drizzle-orm/pglite/migrator";
import { Client } from "pg";
import { z } from "zod";

const migrationsFolder = join(import.meta.dir, "../../../drizzle");

/** Key of the advisory lock; arbitrary, but no other program on the server may use it. */
const migrationLockId = 7_214_551_903;

const journalPath = join(migrationsFolder, "meta/_journal.json");

const Journal = z.object({ entries: z.array(z.object({ tag: z.string(), when: z.number() })) });

/** The applied migrations of a database compared with those of this version. */
type MigrationState = {
  /** The migrations of this version, first to last. */
  readonly tags: readonly string[];
  readonly pending: readonly string[];
  /** True if a newer version has migrated the database. */
  readonly isNewer: boolean;
};

/** Changes nothing. */
export async function migrationState(db: MigratedDatabase): Promise<MigrationState> {
  const { entries } = Journal.parse(await Bun.file(journalPath).json());
  const last = await lastApplied(db);
  return {
    tags: entries.map(({ tag }) => tag),
    // as Drizzle does, which applies everything newer than the last one
    pending: entries.filter(({ when }) => last === undefined || when > last).map(({ tag }) => tag),
    isNewer: last !== undefined && entries.every(({ when }) => when < last),
  };
}

/** Throws a one-line message if migrations are pending, or if the database is newer than this version. */
export async function requireMigrated(db: MigratedDatabase): Promise<void> {
  const { pending, isNewer } = await migrationState(db);
  if (isNewer) throw new Error("A newer version of the service has migrated the database: use that version");
  if (pending.length === 0) return;
  throw new Error(
    `The database is of an older version (${pending.length} migrations are pending): start this version of the service once, or use the older one`,
  );
}

type MigratedDatabase = Pick<PgDatabase<PgQueryResultHKT>, "execute">;

/** Undefined for a database without migrations. */
async function lastApplied(db: MigratedDatabase): Promise<number | undefined> {
  const record = "drizzle.__drizzle_migrations";
  // safe because both drivers return the rows of a query under this name
  const query = async (text: SQL) => ((await db.execute(text)) as unknown as { rows: { value: unknown }[] }).rows;
  const [found] = await query(sql`select to_regclass(${record})::text as value`);
  if (!found?.value) return undefined;
  const [last] = await query(sql`select max(created_at) as value from ${sql.raw(record)}`);
  return last?.value === null ? undefined : Number(last?.value);
}

export const migrateEmbedded = (db: PgliteDatabase): Promise<void> => runEmbedded(db, { migrationsFolder });

/** Lets one process migrate at a time. Uses one connection, which holds the advisory lock. */
export const migrateServer = (databaseUrl: string): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    const db = drizzle(client);
    await db.execute(sql`select pg_advisory_lock(${migrationLockId})`);
    await runServer(db, { migrationsFolder });
  });

export const requireMigratedServer = (databaseUrl: string): Promise<void> =>
  withClient(databaseUrl, (client) => requireMigrated(drizzle(client)));

async function withClient(databaseUrl: string, use: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  // an error event without a listener ends the process; the query in progress reports the error
  client.on("error", () => {});
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.end();
  }
}
