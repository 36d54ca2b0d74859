import {
  type AnyPgColumn,
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { AssetType } from "../domain/assets.ts";
import type { EditorState } from "../domain/editor-state.ts";
import type { ExportFailure, ExportStatus } from "../domain/export-jobs.ts";
import type { ExportRequest } from "../domain/export-schema.ts";
import type { Warning } from "../domain/export-warnings.ts";
import type { StyleGuide } from "../domain/projects.ts";
import type { ProjectType } from "../domain/prompts.ts";
import type { Purpose, UpstreamCall } from "../domain/provider-calls.ts";
import type { Scope } from "../domain/scopes.ts";
import type { TemplateContent } from "../domain/templates.ts";
import type { WebhookOutcome, WebhookState } from "../domain/webhooks.ts";
import type { GeneratedScene, MediaSlot, ScenarioScene, Work, WorkMode } from "../domain/works.ts";
import type { MediaFacts } from "../timeline/source.ts";

// documents are json, not jsonb: it keeps the order of keys, every key, and numbers as they were written

const milliseconds = () => bigint({ mode: "number" });
const parent = (column: () => AnyPgColumn) => text().notNull().references(column, { onDelete: "cascade" });

const versionedColumns = () => ({
  revision: integer().notNull(),
  createdAt: milliseconds().notNull(),
  updatedAt: milliseconds().notNull(),
});

const promptColumns = () => ({
  systemPrompt: text().notNull(),
  analyzerPrompt: text().notNull(),
  imageSystemPrompt: text().notNull(),
  videoSystemPrompt: text().notNull(),
});

const fileColumns = () => ({
  fileKey: text().notNull(),
  sizeBytes: bigint({ mode: "number" }).notNull(),
  sha256: text().notNull(),
  filename: text().notNull(),
  facts: json().$type<MediaFacts>().notNull(),
});

export const users = pgTable("users", {
  id: text().primaryKey(),
  /** Trimmed and lower case, so that plain equality compares as people do. */
  email: text().notNull().unique(),
  name: text().notNull(),
  passwordHash: text().notNull(),
  createdAt: milliseconds().notNull(),
  updatedAt: milliseconds().notNull(),
});

/** The refresh tokens that follow from one login. Revoked here, so that a token added later is revoked too. */
export const tokenFamilies = pgTable(
  "token_families",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    revokedAt: milliseconds(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.userId), index().on(table.expiresAt)],
);

export const refreshTokens = pgTable(
  "refresh_tokens",
  {
    hash: text().primaryKey(),
    familyId: parent(() => tokenFamilies.id),
    usedAt: milliseconds(),
    expiresAt: milliseconds().notNull(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.familyId), index().on(table.expiresAt)],
);

export const apiTokens = pgTable(
  "api_tokens",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    name: text().notNull(),
    tokenPrefix: text().notNull(),
    hash: text().notNull().unique(),
    scopes: json().$type<readonly Scope[]>().notNull(),
    lastUsedAt: milliseconds(),
    expiresAt: milliseconds(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.userId, table.createdAt, table.id)],
);

export const projects = pgTable(
  "projects",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    name: text().notNull(),
    ...promptColumns(),
    knowledge: text().notNull(),
    styleGuide: json().$type<StyleGuide>(),
    projectType: text().$type<ProjectType>(),
    ...versionedColumns(),
  },
  (table) => [index().on(table.userId, table.updatedAt, table.id)],
);

export const assets = pgTable(
  "assets",
  {
    id: text().primaryKey(),
    projectId: parent(() => projects.id),
    name: text().notNull(),
    type: text().$type<AssetType>().notNull(),
    ...fileColumns(),
    tags: json().$type<readonly string[]>(),
    description: text(),
    thumbnailKey: text(),
    ...versionedColumns(),
  },
  (table) => [
    index().on(table.projectId, table.createdAt, table.id),
    index().on(table.fileKey),
    index().on(table.thumbnailKey),
  ],
);

export const templates = pgTable(
  "templates",
  {
    id: text().primaryKey(),
    projectId: parent(() => projects.id),
    name: text().notNull(),
    description: text(),
    thumbnail: text(),
    content: json().$type<TemplateContent>().notNull(),
    tags: json().$type<readonly string[]>(),
    ...versionedColumns(),
  },
  (table) => [index().on(table.projectId, table.updatedAt, table.id)],
);

export const works = pgTable(
  "works",
  {
    id: text().primaryKey(),
    projectId: parent(() => projects.id),
    name: text().notNull(),
    ...promptColumns(),
    currentStep: integer().notNull(),
    hasReferenceVideo: boolean().notNull(),
    mode: text().$type<WorkMode>().notNull(),
    productName: text().notNull(),
    productDescription: text().notNull(),
    targetAudience: text().notNull(),
    language: text().notNull(),
    videoDuration: doublePrecision(),
    sceneCount: integer(),
    analysis: json().$type<NonNullable<Work["analysis"]>>(),
    scenes: json().$type<readonly ScenarioScene[]>().notNull(),
    generatedScenes: json().$type<readonly GeneratedScene[]>().notNull(),
    editorState: json().$type<EditorState>(),
    selectedAssetIds: json().$type<readonly string[]>(),
    assetUsageMode: text().$type<NonNullable<Work["assetUsageMode"]>>(),
    resolution: json().$type<NonNullable<Work["resolution"]>>(),
    ...versionedColumns(),
  },
  (table) => [index().on(table.projectId, table.updatedAt, table.id)],
);

export const workMedia = pgTable(
  "work_media",
  {
    workId: parent(() => works.id),
    slot: text().$type<MediaSlot>().notNull(),
    ...fileColumns(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workId, table.slot] }), index().on(table.fileKey)],
);

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
export const keptAnswers = pgTable(
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
  },
  (table) => [index().on(table.exportId, table.id)],
);

/** The shape that rate-limiter-flexible asks for. */
export const rateLimits = pgTable(
  "rate_limits",
  {
    key: text().primaryKey(),
    points: integer().notNull(),
    expire: timestamp({ withTimezone: true }),
  },
  (table) => [index().on(table.expire)],
);
