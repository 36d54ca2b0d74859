import { inArray, sql } from "drizzle-orm";
import type { FilmSpend } from "../../domain/films/view.ts";
import type { Database } from "../database/database.ts";
import { upstreamCalls } from "./table.ts";

const { cost, estimate, state } = upstreamCalls;
const sumWhile = (wanted: string) =>
  sql<string>`coalesce(sum(${estimate}) filter (where ${state} = ${wanted}), 0)`.mapWith(BigInt);
const sums = {
  spent: sql<string>`sum(${cost})`.mapWith(BigInt),
  reserved: sumWhile("reserved"),
  unknown: sumWhile("unknown"),
};

/** What the steps of films have cost, by the ids of the films, then those of the steps. */
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

/** What the steps of a film have cost, by their ids. */
export const readFilmSpend = async (db: Database, filmId: string): Promise<FilmSpend> =>
  (await readFilmSpends(db, [filmId])).get(filmId) ?? new Map();

export async function readSpendOf(db: Database, of: "film" | "batch", ids: readonly string[]): Promise<FilmSpend> {
  if (ids.length === 0) return new Map();
  const id = of === "film" ? upstreamCalls.filmId : upstreamCalls.batchId;
  const isWanted = inArray(id, [...ids]);
  const rows = await db
    .select({ id, ...sums })
    .from(upstreamCalls)
    .where(isWanted)
    .groupBy(id);
  return new Map(rows.map(({ id, ...spend }) => [id ?? "", spend]));
}
