import { eq, inArray, type SQL, sql } from "drizzle-orm";
import type { FilmSpend } from "../../domain/films/view.ts";
import type { Database } from "../database/database.ts";
import { upstreamCalls } from "./table.ts";

/** What the steps of a film have cost, by their ids. */
export const readFilmSpend = (db: Database, filmId: string): Promise<FilmSpend> =>
  readSums(db, upstreamCalls.stepId, eq(upstreamCalls.filmId, filmId));

/** What films or batches have cost, by their ids. */
export async function readSpendOf(db: Database, of: "film" | "batch", ids: readonly string[]): Promise<FilmSpend> {
  if (ids.length === 0) return new Map();
  const column = of === "film" ? upstreamCalls.filmId : upstreamCalls.batchId;
  return await readSums(db, column, inArray(column, [...ids]));
}

type IdColumn = typeof upstreamCalls.stepId | typeof upstreamCalls.filmId | typeof upstreamCalls.batchId;

async function readSums(db: Database, by: IdColumn, where: SQL): Promise<FilmSpend> {
  const { cost, estimate, state } = upstreamCalls;
  const sum = (wanted: string) => sql<string>`coalesce(sum(${estimate}) filter (where ${state} = ${wanted}), 0)::text`;
  const rows = await db
    .select({ id: by, spent: sql<string>`sum(${cost})::text`, reserved: sum("reserved"), unknown: sum("unknown") })
    .from(upstreamCalls)
    .where(where)
    .groupBy(by);
  return new Map(
    rows.map(({ id, spent, reserved, unknown }) => [
      id ?? "",
      { spent: BigInt(spent), reserved: BigInt(reserved), unknown: BigInt(unknown) },
    ]),
  );
}
