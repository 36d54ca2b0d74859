import { index, integer, json, pgTable, text } from "drizzle-orm/pg-core";
import type { Scope } from "../../domain/accounts/scopes.ts";
import type { OperationWarning } from "../../domain/operations/operations.ts";
import { users } from "./accounts.ts";
import { milliseconds, parent } from "./columns.ts";

/** Requests that continue without their connection. A row without a status is running, or was interrupted. */
export const operations = pgTable(
  "operations",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    scopes: text().array().$type<Scope[]>().notNull(),
    /** The process that runs it renews the lease. */
    leasedUntil: milliseconds().notNull(),
    status: integer(),
    body: text(),
    cost: text(),
    warnings: json().$type<readonly OperationWarning[]>(),
    createdAt: milliseconds().notNull(),
    endedAt: milliseconds(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.userId, table.createdAt), index().on(table.expiresAt)],
);
