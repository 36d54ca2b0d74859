import { sql } from "drizzle-orm";
import { bigint, index, integer, json, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { Scope } from "../../domain/accounts/scopes.ts";
import type { Film, FilmCategory, FilmOrder, FilmStep } from "../../domain/films/film.ts";
import type { Json } from "../../domain/idempotency/checkpoints.ts";
import { users } from "./accounts.ts";
import { milliseconds, parent, versionedColumns } from "./columns.ts";
import { projects } from "./projects.ts";

/** With the words of the partial index: a query with parameters would not use it. */
export const isUnfinished = sql`status in ('queued', 'running', 'waiting')`;

/** Orders of films. Their state is here and in their steps; the queue only says that one is to be looked at. */
export const films = pgTable(
  "films",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    projectId: parent(() => projects.id),
    /** No foreign key: the work may be deleted. */
    workId: text().notNull(),
    /** The batch that has ordered it. No foreign key: a removed batch removes its films itself. */
    batchId: text(),
    name: text().notNull(),
    scopes: json().$type<readonly Scope[]>().notNull(),
    order: json().$type<FilmOrder>().notNull(),
    /** In millionths of a dollar. */
    maxSpend: bigint({ mode: "number" }),
    status: text().$type<Film["status"]>().notNull(),
    waitingFor: text().$type<NonNullable<Film["waitingFor"]>>(),
    waitingReason: text(),
    waitingAt: text().$type<NonNullable<Film["waitingAt"]>>(),
    /** Of a film that waits for a budget since it has this. Archives leave it out. */
    budgetWait: json().$type<NonNullable<Film["budgetWait"]>>(),
    approved: json().$type<Film["approved"]>().notNull(),
    exportId: text(),
    warnings: json().$type<Film["warnings"]>().notNull(),
    /** Its secret is encrypted. Archives leave it out. */
    webhook: json().$type<NonNullable<Film["webhook"]>>(),
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
    index("films_unfinished_index").on(table.status, table.waitingFor).where(isUnfinished),
  ],
);

export const filmSteps = pgTable(
  "film_steps",
  {
    filmId: parent(() => films.id),
    id: text().notNull(),
    /** In the plan. */
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

/** What the films of a project have made last from an input. Files are found by their contents. */
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

/** Encrypted, and erased when the film ends. Archives leave them out. */
export const filmKeys = pgTable(
  "film_keys",
  {
    filmId: parent(() => films.id),
    category: text().$type<FilmCategory>().notNull(),
    sealed: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.filmId, table.category] })],
);
