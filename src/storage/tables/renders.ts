import { index, integer, json, pgTable, text } from "drizzle-orm/pg-core";
import type { Scope } from "../../domain/accounts/scopes.ts";
import type { Render } from "../../domain/renders/renders.ts";
import { users } from "./accounts.ts";
import { milliseconds, parent } from "./columns.ts";
import { projects } from "./projects.ts";

/** Renders that clients of other services ordered. The queue only triggers the import. */
export const renders = pgTable(
  "renders",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    projectId: parent(() => projects.id),
    api: text().$type<Render["api"]>().notNull(),
    scopes: json().$type<readonly Scope[]>().notNull(),
    /** Null once the work is imported. */
    edit: json().$type<NonNullable<Render["edit"]>>(),
    repeated: json().$type<Render["repeated"]>().notNull(),
    webhookUrl: text(),
    workId: text(),
    /** Set before the export exists. No foreign key. */
    exportId: text().notNull(),
    state: text().$type<Render["state"]>().notNull(),
    error: text(),
    /** Attempts that may have died. */
    attempt: integer().notNull(),
    createdAt: milliseconds().notNull(),
    endedAt: milliseconds(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [
    index().on(table.userId, table.state),
    index().on(table.projectId),
    index().on(table.exportId),
    index().on(table.expiresAt),
  ],
);
