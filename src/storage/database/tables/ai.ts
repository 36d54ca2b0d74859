import { doublePrecision, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { Purpose, UsageRecord } from "../../../domain/ai/provider-calls.ts";
import { users } from "./auth.ts";
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

/** One row per call of an external model. */
export const upstreamCalls = pgTable(
  "upstream_calls",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    provider: text().notNull(),
    model: text().notNull(),
    purpose: text().$type<Purpose>().notNull(),
    /** How long the call took. */
    milliseconds: integer().notNull(),
    outcome: text().$type<UsageRecord["outcome"]>().notNull(),
    inputTokens: integer(),
    outputTokens: integer(),
    /** Duration of the generated video. */
    seconds: doublePrecision(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.userId, table.createdAt, table.id), index().on(table.createdAt)],
);
