import { pgTable, text } from "drizzle-orm/pg-core";
import { milliseconds } from "./columns.ts";

/** Locks over all processes, by name. */
export const leases = pgTable("leases", {
  name: text().primaryKey(),
  holderId: text().notNull(),
  /** The holder renews it. */
  leasedUntil: milliseconds().notNull(),
});
