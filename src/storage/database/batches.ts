import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { batchRows } from "../../domain/shared/batches.ts";
import type { Database } from "./database.ts";

/** Deletes rows that meet the condition, up to `batchRows`, and returns their number. `order` has an index. */
export async function deleteBatch(db: Database, table: PgTable, condition: SQL, order?: PgColumn): Promise<number> {
  const by = order && sql`order by ${order}`;
  const batch = sql`array(select ctid from ${table} where ${condition} ${by} limit ${batchRows})`;
  const deleted = await db.execute(sql`delete from ${table} where ctid = any(${batch}) returning 1`);
  // safe because both drivers return the rows of a query under this name
  return (deleted as unknown as { rows: unknown[] }).rows.length;
}
