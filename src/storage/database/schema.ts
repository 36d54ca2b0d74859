import {
  boolean,
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { AssetType } from "../../domain/assets/assets.ts";
import type { Scope } from "../../domain/auth/scopes.ts";
import type { ProjectType } from "../../domain/projects/default-prompts.ts";
import type { StyleGuide } from "../../domain/projects/projects.ts";
import type { TemplateContent } from "../../domain/templates/templates.ts";
import type { EditorState } from "../../domain/works/editor-state.ts";
import type { GeneratedScene, MediaSlot, ScenarioScene, Work, WorkMode } from "../../domain/works/works.ts";
import { fileColumns, milliseconds, parent, promptColumns, versionedColumns } from "./columns.ts";

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
