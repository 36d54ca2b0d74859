import { bigint, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { StorageUsage } from "../../domain/files/storage.ts";

// Triggers maintain both tables: the function `storage_of` returns the bytes that a row of another table counts.

/** Counted kinds: stored bytes of users, and the rows of their exports, which have no bytes. */
type CountedKind = keyof StorageUsage | "exportJobs";

/** Sums of users and of each of their projects. */
export const storageTotals = pgTable(
  "storage_totals",
  {
    /** A user or a project. */
    ownerId: text().notNull(),
    kind: text().$type<CountedKind>().notNull(),
    files: bigint({ mode: "number" }).notNull(),
    bytes: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.kind] })],
);

/** Files with the same bytes: links count only if there are too few originals. */
export const sharedFiles = pgTable(
  "shared_files",
  {
    ownerId: text().notNull(),
    kind: text().$type<keyof StorageUsage>().notNull(),
    /** The hash of a file, or the size of a video. */
    key: text().notNull(),
    bytes: bigint({ mode: "number" }).notNull(),
    originals: integer().notNull(),
    links: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.kind, table.key] })],
);
