import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import type { Scope } from "../../domain/accounts/scopes.ts";
import type { VideoCaptions } from "../../domain/captions/video.ts";
import type { ExportFailure, ExportFile, ExportStatus } from "../../domain/exports/lifecycle/jobs.ts";
import type { CompleteRequest, RowRequest } from "../../domain/exports/request/fill-from-editor.ts";
import type { Warning } from "../../domain/exports/request/warnings.ts";
import type { WebhookOutcome, WebhookState } from "../../domain/exports/webhooks/webhooks.ts";
import type { GateReport } from "../../domain/gate/report.ts";
import type { Production } from "../../domain/provenance/statement.ts";
import type { Quality } from "../../engine/ports.ts";
import { users } from "./accounts.ts";
import { milliseconds, parent } from "./columns.ts";
import { projects } from "./projects.ts";

type Columns = { readonly [Name in "options" | "status" | "framesRendered"]: AnyPgColumn };

const isDone = ({ status }: Columns) => sql`${status} = 'done'`;
const isRendered = (columns: Columns) => sql`${isDone(columns)} and ${columns.framesRendered} > 0`;
const qualityOf = ({ options }: Columns) => sql`coalesce(${options} ->> 'quality', 'standard')`;

/** Unfinished and finished exports. pg-boss queues the unfinished ones; their status and progress are stored here. */
export const exportJobs = pgTable(
  "export_jobs",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    projectId: parent(() => projects.id),
    /** No foreign key: the work may have been deleted. */
    workId: text().notNull(),
    name: text().notNull(),
    scopes: json().$type<readonly Scope[]>().notNull(),
    request: json().$type<CompleteRequest | RowRequest>().notNull(),
    /** The request's own can have megabytes. Null in rows of earlier versions. */
    options: json().$type<NonNullable<CompleteRequest["options"]>>(),
    batchId: text(),
    status: text().$type<ExportStatus>().notNull(),
    frames: integer().notNull(),
    framesDone: integer().notNull(),
    framesRendered: integer().notNull(),
    warnings: json().$type<readonly Warning[]>().notNull(),
    /** Recorded when the timeline is known. */
    captions: json().$type<VideoCaptions>(),
    production: json().$type<Production>(),
    gateReport: json().$type<GateReport>(),
    failure: json().$type<ExportFailure>(),
    /** Incremented by each worker that starts the export; updates from earlier attempts are ignored. */
    attempt: integer().notNull(),
    /** Attempts that ended properly; the process of any other one died. */
    endedAttempts: integer().notNull().default(0),
    /** The worker that failed; another one retries once. */
    failedHolder: text(),
    failedAt: milliseconds(),
    revision: integer().notNull(),
    createdAt: milliseconds().notNull(),
    startedAt: milliseconds(),
    finishedAt: milliseconds(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [
    index().on(table.userId, table.createdAt, table.id),
    index().on(table.projectId),
    index().on(table.status, table.userId),
    index().on(table.expiresAt),
    index("export_jobs_rendered_index").on(qualityOf(table), table.finishedAt).where(isRendered(table)),
    index("export_jobs_done_index").on(table.userId, qualityOf(table), table.finishedAt).where(isDone(table)),
  ],
);

/** True for finished exports with rendered frames; matches the indexes. */
export const hasVideos = isDone(exportJobs);
export const hasRendered = isRendered(exportJobs);

/** The expression of the indexes. */
export const isOfQuality = (quality: Quality) => sql`${qualityOf(exportJobs)} = ${quality}`;

export const exportFiles = pgTable(
  "export_files",
  {
    exportId: parent(() => exportJobs.id),
    /** The aspect ratio if the request lists targets, otherwise empty; `poster` before it names the video's poster. */
    target: text().$type<ExportFile["target"]>().notNull(),
    fileKey: text().notNull(),
    sizeBytes: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.exportId, table.target] }), index().on(table.fileKey)],
);

/** Missing parts of an export that several processes render: each row is a run of adjacent segments for one process. */
export const exportRuns = pgTable(
  "export_runs",
  {
    exportId: parent(() => exportJobs.id),
    attempt: integer().notNull(),
    /** The order in which they are claimed. */
    number: integer().notNull(),
    firstSegment: integer().notNull(),
    lastSegment: integer().notNull(),
    content: text().notNull(),
    isFinished: boolean().notNull(),
    /** The lease name of the process that renders it or has rendered it. */
    holderId: text(),
    /** Used by the previous release, whose holders renew it. */
    leasedUntil: milliseconds(),
  },
  (table) => [primaryKey({ columns: [table.exportId, table.number] })],
);

export const exportWebhooks = pgTable("export_webhooks", {
  exportId: text()
    .primaryKey()
    .references(() => exportJobs.id, { onDelete: "cascade" }),
  url: text().notNull(),
  /** Encrypted. */
  secret: text(),
  state: text().$type<WebhookState>().notNull(),
  /** 0 until the export ends, 1 for the first delivery; each replay increments it and ends the previous delivery. */
  round: integer().notNull(),
  /** `eventId`, `eventType` and `body` are set when the export ends. */
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
