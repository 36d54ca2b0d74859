import { isNull, sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import type { AssetSource, AssetType } from "../../domain/assets/assets.ts";
import type { MediaSlot } from "../../domain/files/internal-urls.ts";
import type { LookFiles } from "../../domain/looks/looks.ts";
import type { ProjectType } from "../../domain/projects/default-prompts.ts";
import type { StyleGuide } from "../../domain/projects/projects.ts";
import type { Speech } from "../../domain/speech/speech.ts";
import type { TemplateContent } from "../../domain/templates/templates.ts";
import type { EditorState } from "../../domain/works/editor-state.ts";
import type { MediaOrigin } from "../../domain/works/media.ts";
import type { GeneratedScene } from "../../domain/works/scene-state.ts";
import type { ScenarioScene, Work, WorkMode } from "../../domain/works/works.ts";
import type { SubjectBox } from "../../engine/timeline/focus.ts";
import { users } from "./accounts.ts";
import { fileColumns, firstDigits, milliseconds, parent, promptColumns, versionedColumns } from "./columns.ts";

export const projects = pgTable(
  "projects",
  {
    id: text().primaryKey(),
    /** Null in a removed project, which makes it unreachable: its rows and files are removed in batches. */
    userId: text().references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    ...promptColumns(),
    knowledge: text().notNull(),
    styleGuide: json().$type<StyleGuide>(),
    projectType: text().$type<ProjectType>(),
    ...versionedColumns(),
  },
  (table) => [
    index().on(table.userId, table.updatedAt, table.id),
    index("projects_removed_index").on(table.id).where(isNull(table.userId)),
  ],
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
    speech: json().$type<Speech>(),
    source: json().$type<AssetSource>(),
    subjectBoxes: json().$type<readonly SubjectBox[]>(),
    ...versionedColumns(),
  },
  (table) => [
    index().on(table.projectId, table.createdAt, table.id),
    // counts and sums read only the index
    index().on(table.projectId, table.type, table.sizeBytes),
    index().on(table.fileKey),
    index().on(table.thumbnailKey),
    index("assets_hash_index").on(table.projectId, firstDigits(table.sha256)),
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

/** Looks that a project has uploaded. */
export const looks = pgTable(
  "looks",
  {
    projectId: parent(() => projects.id),
    name: text().notNull(),
    files: json().$type<LookFiles>().notNull(),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.name] })],
);

/** The expression of the index. Only generating statuses begin with it. */
export const isGenerating = (generatedScenes: AnyPgColumn) => sql`${generatedScenes}::text like '%"generating%'`;

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
    editorSavedAt: milliseconds(),
    selectedAssetIds: json().$type<readonly string[]>(),
    assetUsageMode: text().$type<NonNullable<Work["assetUsageMode"]>>(),
    resolution: json().$type<NonNullable<Work["resolution"]>>(),
    ...versionedColumns(),
  },
  (table) => [
    index().on(table.projectId, table.updatedAt, table.id),
    index("works_generating_index").on(table.updatedAt).where(isGenerating(table.generatedScenes)),
  ],
);

/** What a save of a work's editor stored, to restore it. */
export const workVersions = pgTable(
  "work_versions",
  {
    id: text().primaryKey(),
    workId: parent(() => works.id),
    savedAt: milliseconds().notNull(),
    /** Of both documents, to bound their sum. */
    sizeBytes: integer().notNull(),
    scenes: json().$type<readonly ScenarioScene[]>().notNull(),
    editorState: json().$type<EditorState>().notNull(),
  },
  (table) => [index().on(table.workId, table.savedAt, table.id)],
);

export const workMedia = pgTable(
  "work_media",
  {
    workId: parent(() => works.id),
    slot: text().$type<MediaSlot>().notNull(),
    ...fileColumns(),
    createdAt: milliseconds().notNull(),
    origin: json().$type<MediaOrigin>(),
    speech: json().$type<Speech>(),
  },
  (table) => [primaryKey({ columns: [table.workId, table.slot] }), index().on(table.fileKey)],
);
