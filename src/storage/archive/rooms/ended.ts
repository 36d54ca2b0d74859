import { inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

type Orders = Readonly<
  Record<"status" | "waitingFor" | "waitingReason" | "waitingAt" | "endedAt" | "updatedAt", PgColumn>
>;

/** Columns that archive unfinished orders as cancelled, because only one service may continue them. */
export function asEnded(orders: Orders, unfinishedStatuses: readonly string[]): Readonly<Record<string, SQL>> {
  const unfinished = inArray(orders.status, [...unfinishedStatuses]);
  const ifEnded = (column: PgColumn) => sql`case when ${unfinished} then null else ${column} end`;
  return {
    status: sql`case when ${unfinished} then 'cancelled' else ${orders.status} end`,
    waiting_for: ifEnded(orders.waitingFor),
    waiting_reason: ifEnded(orders.waitingReason),
    waiting_at: ifEnded(orders.waitingAt),
    ended_at: sql`coalesce(${orders.endedAt}, ${orders.updatedAt})`,
  };
}
