import { bigint, doublePrecision, index, integer, json, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { Purpose, UpstreamCall } from "../../domain/ai/provider-calls.ts";
import { fileColumns, milliseconds, parent } from "./columns.ts";
import { users } from "./schema.ts";

/** What a model made for nobody's work: kept for as long as its signed address is good. */
export const generatedMedia = pgTable(
  "generated_media",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    ...fileColumns(),
    createdAt: milliseconds().notNull(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.fileKey), index().on(table.expiresAt)],
);

/** What became of requests with an Idempotency-Key: those without a status are being worked on, or wait to be tried again. */
export const idempotencyKeys = pgTable(
  "kept_answers",
  {
    userId: parent(() => users.id),
    key: text().notNull(),
    /** Of everything that makes two requests the same. */
    fingerprint: text().notNull(),
    /** Whoever works on it, for as long as it says so. */
    claimId: text().notNull(),
    leasedUntil: milliseconds().notNull(),
    /** Each as JSON in a text, which jsonb leaves as it is: one statement can then change one of them. */
    steps: jsonb().$type<{ readonly [name: string]: string }>().notNull(),
    status: integer(),
    headers: json().$type<{ readonly [name: string]: string }>(),
    body: text(),
    /** An answer that is a file. */
    fileKey: text(),
    sizeBytes: bigint({ mode: "number" }),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index().on(table.fileKey),
    index().on(table.expiresAt),
  ],
);

/** One row a call of a model outside. */
export const upstreamCalls = pgTable(
  "upstream_calls",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    provider: text().notNull(),
    model: text().notNull(),
    purpose: text().$type<Purpose>().notNull(),
    milliseconds: integer().notNull(),
    outcome: text().$type<UpstreamCall["outcome"]>().notNull(),
    inputTokens: integer(),
    outputTokens: integer(),
    seconds: doublePrecision(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.userId, table.createdAt, table.id)],
);
