import { sql } from "drizzle-orm";
import { type AnyPgColumn, index, pgTable, text } from "drizzle-orm/pg-core";
import { milliseconds } from "./columns.ts";

/**
 * The value of `leasedUntil` in other tables whose lease is a row of this one. The previous release, which reads only
 * those columns, does not take such rows over; rows that it leased itself have other times there.
 */
export const leasedByName = Number.MAX_SAFE_INTEGER;

/** Orders names bytewise, so that names with one prefix are adjacent whatever the database's collation. */
export const inByteOrder = (name: AnyPgColumn) => sql`${name} collate "C"`;

/** Locks across all processes, by name. */
export const leases = pgTable(
  "leases",
  {
    name: text().primaryKey(),
    holderId: text().notNull(),
    /** Renewed by the holder. */
    leasedUntil: milliseconds().notNull(),
  },
  (table) => [index("leases_names_index").on(inByteOrder(table.name))],
);
