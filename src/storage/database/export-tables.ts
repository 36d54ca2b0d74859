import { bigint, index, integer, json, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { Scope } from "../../domain/auth/scopes.ts";
import type { ExportFailure, ExportStatus } from "../../domain/exports/jobs.ts";
import type { ExportRequest } from "../../domain/exports/schema.ts";
import type { Warning } from "../../domain/exports/warnings.ts";
import type { WebhookOutcome, WebhookState } from "../../domain/exports/webhooks/webhooks.ts";
import { milliseconds, parent } from "./columns.ts";
import { projects, users } from "./schema.ts";

/** Exports, running and past. pg-boss hands out the running ones; what is told of them is here. */
export const exportJobs = pgTable(
  "export_jobs",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    projectId: parent(() => projects.id),
    /** May name a work that is gone. */
    workId: text().notNull(),
    name: text().notNull(),
    scopes: json().$type<readonly Scope[]>().notNull(),
    request: json().$type<ExportRequest>().notNull(),
    status: text().$type<ExportStatus>().notNull(),
    frames: integer().notNull(),
    framesDone: integer().notNull(),
    framesRendered: integer().notNull(),
    warnings: json().$type<readonly Warning[]>().notNull(),
    failure: json().$type<ExportFailure>(),
    /** How often a worker began: only the last one may say more. */
    attempt: integer().notNull(),
    revision: integer().notNull(),
    createdAt: milliseconds().notNull(),
    startedAt: milliseconds(),
    finishedAt: milliseconds(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [
    index().on(table.userId, table.createdAt, table.id),
    index().on(table.projectId),
    index().on(table.status),
    index().on(table.expiresAt),
  ],
);

export const exportFiles = pgTable(
  "export_files",
  {
    exportId: parent(() => exportJobs.id),
    /** The aspect ratio where several were asked for, else empty. */
    target: text().notNull(),
    fileKey: text().notNull(),
    sizeBytes: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.exportId, table.target] }), index().on(table.fileKey)],
);

/** Whom to tell of the end of an export, and how far that is. */
export const exportWebhooks = pgTable("export_webhooks", {
  exportId: text()
    .primaryKey()
    .references(() => exportJobs.id, { onDelete: "cascade" }),
  url: text().notNull(),
  /** Sealed. */
  secret: text(),
  state: text().$type<WebhookState>().notNull(),
  /** Goes up by one when the event is sent anew. */
  round: integer().notNull(),
  /** The three are there once the export has ended. */
  eventId: text(),
  eventType: text(),
  body: text(),
});

export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    exportId: parent(() => exportWebhooks.exportId),
    at: milliseconds().notNull(),
    milliseconds: integer().notNull(),
    outcome: text().$type<WebhookOutcome>().notNull(),
    status: integer(),
    reason: text(),
    retryAfterSeconds: integer(),
  },
  (table) => [index().on(table.exportId, table.id)],
);
