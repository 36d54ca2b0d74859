import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, bigint, integer, json, text } from "drizzle-orm/pg-core";
import type { MediaFacts } from "../../engine/timeline/source.ts";

// Documents are json, not jsonb: json preserves the order of keys, duplicate keys and the notation of numbers.

/** Milliseconds since the Unix epoch. */
export const milliseconds = () => bigint({ mode: "number" });

/** A foreign key; deleting the parent row deletes the rows that reference it. */
export const parent = (column: () => AnyPgColumn) => text().notNull().references(column, { onDelete: "cascade" });

export const versionedColumns = () => ({
  revision: integer().notNull(),
  createdAt: milliseconds().notNull(),
  updatedAt: milliseconds().notNull(),
});

export const promptColumns = () => ({
  systemPrompt: text().notNull(),
  analyzerPrompt: text().notNull(),
  imageSystemPrompt: text().notNull(),
  videoSystemPrompt: text().notNull(),
});

/** The number of SHA-256 digits in the names of a timeline's files. */
export const digitsInName = 12;

/** The expression of an index: a query with a parameter would not use it. */
export const firstDigits = (hash: AnyPgColumn): SQL => sql`left(${hash}, ${sql.raw(`${digitsInName}`)})`;

export const fileColumns = () => ({
  fileKey: text().notNull(),
  sizeBytes: bigint({ mode: "number" }).notNull(),
  sha256: text().notNull(),
  filename: text().notNull(),
  facts: json().$type<MediaFacts>().notNull(),
});
