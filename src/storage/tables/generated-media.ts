import { index, pgTable, text } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { fileColumns, milliseconds, parent } from "./columns.ts";

/** Media generated outside any work; a row expires together with the signed link to its file. */
export const generatedMedia = pgTable(
  "generated_media",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    ...fileColumns(),
    createdAt: milliseconds().notNull(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.userId), index().on(table.fileKey), index().on(table.expiresAt)],
);
