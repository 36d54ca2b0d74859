import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  unique,
} from "drizzle-orm/pg-core";
import type { Scope } from "../../domain/accounts/scopes.ts";
import type { Batch, BatchBase, BatchItem, FilmBase } from "../../domain/batches/batch.ts";
import type { Cells } from "../../domain/batches/rows.ts";
import type { CompleteRequest } from "../../domain/exports/request/fill-from-editor.ts";
import type { FilmCategory } from "../../domain/films/film.ts";
import { users } from "./accounts.ts";
import { milliseconds, parent, versionedColumns } from "./columns.ts";
import { projects } from "./projects.ts";

/** Uses the text of the partial index: a query with parameters would not use the index. */
export const isUnfinished = sql`status in ('validating', 'ready', 'waiting', 'running')`;

/** Tables of films. Their state is here and in their films; the queue only triggers a poll. */
export const batches = pgTable(
  "batches",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    projectId: parent(() => projects.id),
    /** No foreign key: the work may be deleted. Null for films from briefs, which have works of their own. */
    workId: text(),
    name: text().notNull(),
    scopes: json().$type<readonly Scope[]>().notNull(),
    order: json().$type<Batch["order"]>().notNull(),
    rows: integer().notNull(),
    /** Bytes of the rows and bases, which count as a document. */
    tableBytes: bigint({ mode: "number" }).notNull(),
    checked: integer().notNull(),
    recheck: json().$type<NonNullable<Batch["recheck"]>>(),
    seconds: doublePrecision().notNull(),
    /** Millionths of a dollar. */
    maxSpend: bigint({ mode: "number" }),
    /** The estimated cost of models, in millionths, as text. */
    estimate: json().$type<NonNullable<Batch["estimate"]>>(),
    /** Checkpoints of model calls for the whole table. */
    checkpoints: json().$type<Batch["checkpoints"]>().notNull().default({}),
    status: text().$type<Batch["status"]>().notNull(),
    waitingFor: text().$type<NonNullable<Batch["waitingFor"]>>(),
    waitingReason: text(),
    waitingAt: text().$type<NonNullable<Batch["waitingAt"]>>(),
    approved: json().$type<Batch["approved"]>().notNull(),
    /** Its secret is encrypted. Archives leave it out. */
    webhook: json().$type<NonNullable<Batch["webhook"]>>(),
    /** Where the videos of its films are sent; credentials in it are encrypted. Archives leave it out. */
    destinations: json().$type<NonNullable<Batch["destinations"]>>(),
    attempt: integer().notNull(),
    /** Null without tracing. */
    traceparent: text(),
    ...versionedColumns(),
    endedAt: milliseconds(),
  },
  (table) => [
    index().on(table.projectId, table.createdAt, table.id),
    index().on(table.userId),
    index("batches_unfinished_index").on(table.status, table.waitingFor).where(isUnfinished),
    index("batches_sent_index").on(table.projectId).where(sql`destinations is not null`),
  ],
);

/** The requests of a batch that all rows share, by language. */
export const batchBases = pgTable(
  "batch_bases",
  {
    batchId: parent(() => batches.id),
    language: text().notNull(),
    /** The request of an export, or the order of a film. */
    request: json().$type<CompleteRequest | FilmBase>().notNull(),
    /** A template's texts in another language, by their keys. */
    texts: json().$type<NonNullable<BatchBase["texts"]>>(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.language] })],
);

export const batchRows = pgTable(
  "batch_rows",
  {
    batchId: parent(() => batches.id),
    row: integer().notNull(),
    key: text().notNull(),
    cells: json().$type<Cells>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.row] })],
);

export const batchItems = pgTable(
  "batch_items",
  {
    id: text().primaryKey(),
    batchId: parent(() => batches.id),
    projectId: text().notNull(),
    place: integer().notNull(),
    row: integer().notNull(),
    key: text().notNull(),
    language: text().notNull(),
    target: text().$type<BatchItem["target"]>().notNull(),
    fileName: text().notNull(),
    status: text().$type<BatchItem["status"]>().notNull(),
    identity: text(),
    values: json().$type<BatchItem["values"]>().notNull(),
    textLength: integer().notNull(),
    frames: integer().notNull(),
    isPreview: boolean().notNull(),
    /** No foreign key: the owner may remove it. */
    exportId: text(),
    /** No foreign key, for the same reason. */
    filmId: text(),
    sha256: text(),
    sizeBytes: bigint({ mode: "number" }),
    warnings: json().$type<BatchItem["warnings"]>().notNull(),
    errors: json().$type<BatchItem["errors"]>().notNull(),
    failure: json().$type<NonNullable<BatchItem["failure"]>>(),
    approval: text().$type<BatchItem["approval"]>().notNull(),
    note: text(),
  },
  (table) => [
    unique().on(table.batchId, table.place),
    index().on(table.batchId, table.status, table.place),
    index("batch_items_made_index")
      .on(table.projectId, table.identity)
      .where(sql`${table.status} in ('done', 'unchanged')`),
    index().on(table.exportId),
    index().on(table.filmId),
  ],
);

/**
 * Counts of films by status. A trigger updates them with each statement that changes films, also for imports and older
 * versions: counting the films for a page of full tables would take a hundred milliseconds.
 */
export const batchCounts = pgTable(
  "batch_counts",
  {
    batchId: text().notNull(),
    status: text().$type<BatchItem["status"]>().notNull(),
    films: integer().notNull(),
    frames: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.status] })],
);

/** Translations by models for batches of a project, by the hash of text, language and model. */
export const translations = pgTable(
  "translations",
  {
    projectId: parent(() => projects.id),
    hash: text().notNull(),
    language: text().notNull(),
    text: text().notNull(),
    translation: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.hash] })],
);

/** The translations that a batch shows, in the order of their first use. */
export const batchTranslations = pgTable(
  "batch_translations",
  {
    batchId: parent(() => batches.id),
    hash: text().notNull(),
    place: bigint({ mode: "number" }).notNull().generatedAlwaysAsIdentity(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.hash] })],
);

/** Encrypted keys, erased when the batch ends. Archives leave them out. */
export const batchKeys = pgTable(
  "batch_keys",
  {
    batchId: parent(() => batches.id),
    category: text().$type<FilmCategory>().notNull(),
    sealed: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.category] })],
);
