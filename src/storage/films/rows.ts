import { and, asc, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Film, FilmStep } from "../../domain/films/film.ts";
import { notifyChange } from "../changes/feed.ts";
import type { Database } from "../database/database.ts";
import { withNulls, withoutNulls } from "../database/rows.ts";
import { filmSteps, films } from "../tables/films.ts";
import { projects } from "../tables/projects.ts";

export type FilmRow = typeof films.$inferSelect;
export type StepRow = typeof filmSteps.$inferSelect;

/** A removed project has no owner. */
export const isReachable = sql`exists (select from ${projects} where ${projects.id} = ${films.projectId}
  and ${isNotNull(projects.userId)})`;

/** Notifies subscribers, as a part of the statements that change films. */
export const notified = notifyChange(films.id, "status");

export const unfinished: readonly Film["status"][] = ["queued", "running", "waiting"];

export const isRunning = and(inArray(films.status, [...unfinished]), isReachable);

export const isAttempt = (filmId: string, attempt: number) =>
  and(eq(films.id, filmId), eq(films.attempt, attempt), isRunning);

export async function readFilm(db: Database, where: SQL | undefined): Promise<Film | undefined> {
  const [row] = await db.select().from(films).where(where);
  return row && toFilm(row, (await stepsOf(db, [row.id])).get(row.id) ?? []);
}

export async function stepsOf(
  db: Database,
  filmIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StepRow[]>> {
  if (filmIds.length === 0) return new Map();
  const isOfFilms = inArray(filmSteps.filmId, [...filmIds]);
  const rows = await db.select().from(filmSteps).where(isOfFilms).orderBy(asc(filmSteps.place));
  return Map.groupBy(rows, ({ filmId }) => filmId);
}

export const toRow = ({ maxSpend, ...film }: Omit<Film, "steps">): FilmRow =>
  withNulls(films, { ...film, maxSpend: maxSpend === undefined ? undefined : Number(maxSpend) });

export function toFilm({ maxSpend, ...row }: FilmRow, steps: readonly StepRow[]): Film {
  return {
    ...withoutNulls(row),
    ...(maxSpend !== null && { maxSpend: BigInt(maxSpend) }),
    steps: steps.map(toStep),
  };
}

export const toStepRow = (filmId: string, { force, ...step }: FilmStep, place: number): StepRow =>
  withNulls(filmSteps, { ...step, filmId, place, force: force ? 1 : undefined });

function toStep({ filmId: _, place: __, force, ...row }: StepRow): FilmStep {
  return { ...withoutNulls(row), ...(force !== null && { force: true }) };
}
