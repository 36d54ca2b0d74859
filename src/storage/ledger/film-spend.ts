import { eq, sql } from "drizzle-orm";
import type { FilmSpend } from "../../domain/films/view.ts";
import type { Database } from "../database/database.ts";
import { upstreamCalls } from "./table.ts";

/** What the steps of a film have cost, by their ids. */
export async function readFilmSpend(db: Database, filmId: string): Promise<FilmSpend> {
  const { cost, estimate, state, stepId } = upstreamCalls;
  const sum = (wanted: string) => sql<string>`coalesce(sum(${estimate}) filter (where ${state} = ${wanted}), 0)::text`;
  const rows = await db
    .select({ stepId, spent: sql<string>`sum(${cost})::text`, reserved: sum("reserved"), unknown: sum("unknown") })
    .from(upstreamCalls)
    .where(eq(upstreamCalls.filmId, filmId))
    .groupBy(stepId);
  return new Map(
    rows.map(({ stepId: step, spent, reserved, unknown }) => [
      step ?? "",
      { spent: BigInt(spent), reserved: BigInt(reserved), unknown: BigInt(unknown) },
    ]),
  );
}
