import { type AnyPgColumn, bigint, integer, json, text } from "drizzle-orm/pg-core";
import type { MediaFacts } from "../../timeline/source.ts";

// documents are json, not jsonb: it keeps the order of keys, every key, and numbers as they were written

export const milliseconds = () => bigint({ mode: "number" });
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

export const fileColumns = () => ({
  fileKey: text().notNull(),
  sizeBytes: bigint({ mode: "number" }).notNull(),
  sha256: text().notNull(),
  filename: text().notNull(),
  facts: json().$type<MediaFacts>().notNull(),
});
