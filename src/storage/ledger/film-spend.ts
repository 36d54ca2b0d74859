import { and, eq, inArray, sql } from "drizzle-orm";
import type { FilmSpend } from "../../domain/films/view.ts";
import type { Database } from "../database/database.ts";
import { spendTotals, upstreamCalls } from "../tables/ledger.ts";
import { toTotals } from "./totals.ts";

const { cost, estimate, state } = upstreamCalls;
const sumWhile = (wanted: string) =>
  sql<string>`coalesce(sum(${estimate}) filter (where ${state} = ${wanted}), 0)`.mapWith(BigInt);
const sums = {
  spent: sql<string>`sum(${cost})`.mapWith(BigInt),
  reserved: sumWhile("reserved"),
  unknown: sumWhile("unknown"),
};

/** The cost of film steps, by film id and step id. */
export async function readFilmSpends(
  db: Database,
  filmIds: readonly string[],
): Promise<ReadonlyMap<string, FilmSpend>> {
  if (filmIds.length === 0) return new Map();
  const { filmId, stepId } = upstreamCalls;
  const isOfFilms = inArray(filmId, [...filmIds]);
  const rows = await db
    .select({ filmId, stepId, ...sums })
    .from(upstreamCalls)
    .where(isOfFilms)
    .groupBy(filmId, stepId);
  const byFilm = Map.groupBy(rows, (row) => row.filmId ?? "");
  const byStep = (ofFilm: typeof rows) =>
    new Map(ofFilm.map(({ stepId, filmId: _, ...spend }) => [stepId ?? "", spend]));
  return new Map([...byFilm].map(([id, ofFilm]) => [id, byStep(ofFilm)]));
}

/** The cost of a film's steps, by step id. */
export const readFilmSpend = async (db: Database, filmId: string): Promise<FilmSpend> =>
  (await readFilmSpends(db, [filmId])).get(filmId) ?? new Map();

/** Reads the maintained sums, because a table of films can have a million calls. */
export async function readSpendOf(db: Database, of: "film" | "batch", ids: readonly string[]): Promise<FilmSpend> {
  if (ids.length === 0) return new Map();
  const { scope, scopeId } = spendTotals;
  const rows = await db
    .select()
    .from(spendTotals)
    .where(and(eq(scope, of), inArray(scopeId, [...ids])));
  return new Map(rows.map((row) => [row.scopeId, toTotals(row)]));
}
