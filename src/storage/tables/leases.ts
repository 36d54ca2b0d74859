import { sql } from "drizzle-orm";
import { type AnyPgColumn, index, pgTable, text } from "drizzle-orm/pg-core";
import { milliseconds } from "./columns.ts";

/**
 * In columns `leasedUntil` of other tables: the lease is a row of this one. The release before it, which reads these
 * columns alone, does not take such rows over; rows that it leased itself have other times there.
 */
export const leasedByName = Number.MAX_SAFE_INTEGER;

/** So that names with one prefix lie together, whatever the order of the database is. */
export const inByteOrder = (name: AnyPgColumn) => sql`${name} collate "C"`;

/** Locks over all processes, by name. */
export const leases = pgTable(
  "leases",
  {
    name: text().primaryKey(),
    holderId: text().notNull(),
    /** The holder renews it. */
    leasedUntil: milliseconds().notNull(),
  },
  (table) => [index("leases_names_index").on(inByteOrder(table.name))],
);
