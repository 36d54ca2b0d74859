import { sql } from "drizzle-orm";
import { bigint, index, integer, json, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { Scope } from "../../domain/accounts/scopes.ts";
import type { Film, FilmCategory, FilmOrder, FilmStep } from "../../domain/films/film.ts";
import type { Json } from "../../domain/idempotency/checkpoints.ts";
import { users } from "./accounts.ts";
import { milliseconds, parent, versionedColumns } from "./columns.ts";
import { projects } from "./projects.ts";

/** Uses the text of the partial index: a query with parameters would not use the index. */
export const isUnfinished = sql`status in ('queued', 'running', 'waiting')`;

/** Orders of films. Their state is here and in their steps; the queue only triggers a poll. */
export const films = pgTable(
  "films",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    projectId: parent(() => projects.id),
    /** No foreign key: the work may be deleted. */
    workId: text().notNull(),
    /** The batch that ordered it. No foreign key: a removed batch removes its films itself. */
    batchId: text(),
    name: text().notNull(),
    scopes: json().$type<readonly Scope[]>().notNull(),
    order: json().$type<FilmOrder>().notNull(),
    /** Millionths of a dollar. */
    maxSpend: bigint({ mode: "number" }),
    status: text().$type<Film["status"]>().notNull(),
    waitingFor: text().$type<NonNullable<Film["waitingFor"]>>(),
    waitingReason: text(),
    waitingAt: text().$type<NonNullable<Film["waitingAt"]>>(),
    /** The budget that the film waits for, with the time. Archives leave it out. */
    budgetWait: json().$type<NonNullable<Film["budgetWait"]>>(),
    approved: json().$type<Film["approved"]>().notNull(),
    exportId: text(),
    warnings: json().$type<Film["warnings"]>().notNull(),
    /** Its secret is encrypted. Archives leave it out. */
    webhook: json().$type<NonNullable<Film["webhook"]>>(),
    /** Where its videos are sent; credentials in it are encrypted. Archives leave it out. */
    destinations: json().$type<NonNullable<Film["destinations"]>>(),
    failure: json().$type<NonNullable<Film["failure"]>>(),
    attempt: integer().notNull(),
    /** Null without tracing. */
    traceparent: text(),
    ...versionedColumns(),
    endedAt: milliseconds(),
  },
  (table) => [
    index().on(table.projectId, table.createdAt, table.id),
    index().on(table.userId),
    index().on(table.batchId),
    index().on(table.workId),
    index("films_unfinished_index").on(table.status, table.waitingFor).where(isUnfinished),
    index("films_sent_index").on(table.projectId).where(sql`destinations is not null`),
  ],
);

export const filmSteps = pgTable(
  "film_steps",
  {
    filmId: parent(() => films.id),
    id: text().notNull(),
    /** The index in the plan. */
    place: integer().notNull(),
    kind: text().$type<FilmStep["kind"]>().notNull(),
    scene: integer(),
    status: text().$type<FilmStep["status"]>().notNull(),
    dependsOn: json().$type<readonly string[]>().notNull(),
    attempts: json().$type<FilmStep["attempts"]>().notNull(),
    checkpoints: json().$type<FilmStep["checkpoints"]>().notNull(),
    wish: json().$type<NonNullable<FilmStep["wish"]>>(),
    assetId: text(),
    force: integer(),
  },
  (table) => [primaryKey({ columns: [table.filmId, table.id] })],
);

/** The latest results of a project's films by input. Files are found by their content. */
export const filmResults = pgTable(
  "film_results",
  {
    projectId: parent(() => projects.id),
    hash: text().notNull(),
    /** Null once the film is removed. */
    filmId: text().references(() => films.id, { onDelete: "set null" }),
    output: json().$type<Json>(),
    sha256: text(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.hash] }), index().on(table.filmId)],
);

/** Encrypted keys, erased when the film ends. Archives leave them out. */
export const filmKeys = pgTable(
  "film_keys",
  {
    filmId: parent(() => films.id),
    category: text().$type<FilmCategory>().notNull(),
    sealed: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.filmId, table.category] })],
);
