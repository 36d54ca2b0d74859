import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { PgliteDatabase } from "drizzle-orm/pglite";
import { migrate as runEmbedded } from "drizzle-orm/pglite/migrator";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as runServer } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";

const migrationsFolder = join(import.meta.dir, "../../../drizzle");

/** Key of the advisory lock; arbitrary, but no other program on the server may use it. */
const migrationLockId = 7_214_551_903;

export const migrateEmbedded = (db: PgliteDatabase): Promise<void> => runEmbedded(db, { migrationsFolder });

/** One process migrates at a time. Uses one connection, because the advisory lock belongs to it and ends with it. */
export async function migrateServer(databaseUrl: string): Promise<void> {
  const client = postgres(databaseUrl, { max: 1, max_lifetime: null, connect_timeout: 5, onnotice: () => {} });
  try {
    const db = drizzle(client);
    await db.execute(sql`select pg_advisory_lock(${migrationLockId})`);
    await runServer(db, { migrationsFolder });
  } finally {
    await client.end({ timeout: 5 });
  }
}
