import { sql } from "drizzle-orm";

// Leases use the database's clock: clocks of two machines may differ by more than a lease lasts.

/** Milliseconds since the Unix epoch. */
export const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export const databaseNowPlus = (milliseconds: number) => sql<number>`${databaseNow} + ${milliseconds}::bigint`;
