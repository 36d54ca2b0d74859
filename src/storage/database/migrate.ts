import { join } from "node:path";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as runServer } from "drizzle-orm/node-postgres/migrator";
import type { PgliteDatabase } from "drizzle-orm/pglite";
import { migrate as runEmbedded } from "drizzle-orm/pglite/migrator";
import { Client } from "pg";

const migrationsFolder = join(import.meta.dir, "../../../drizzle");

/** Key of the advisory lock; arbitrary, but no other program on the server may use it. */
const migrationLockId = 7_214_551_903;

export const migrateEmbedded = (db: PgliteDatabase): Promise<void> => runEmbedded(db, { migrationsFolder });

/** One process migrates at a time. Uses one connection, because the advisory lock belongs to it and ends with it. */
export async function migrateServer(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  // an error event without a listener ends the process; the query in progress reports the error
  client.on("error", () => {});
  try {
    await client.connect();
    const db = drizzle(client);
    await db.execute(sql`select pg_advisory_lock(${migrationLockId})`);
    await runServer(db, { migrationsFolder });
  } finally {
    await client.end();
  }
}
