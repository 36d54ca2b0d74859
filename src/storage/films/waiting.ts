import { and, eq, getTableColumns, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import { rowsAtOnce } from "../../domain/files/expired.ts";
import { type HeldFilms, polledFor, resumed } from "../../domain/films/film.ts";
import { DomainError } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import { filmKeys, films, isUnfinished } from "../tables/films.ts";
import type { FilmOutbox } from "./outbox.ts";
import { type FilmRow, notified, stepsOf, toFilm } from "./rows.ts";

export const filmIdsWithKeys = sql`(select distinct film_id from film_keys)`;

/** A polling film is written at each poll, so the attempt of its step records since when it waits. */
const waitsSince = (before: number) =>
  or(
    lt(films.updatedAt, before),
    and(
      inArray(films.waitingFor, [...polledFor]),
      sql`exists (select 1 from film_steps where film_steps.film_id = ${films.id} and film_steps.status = 'waiting'
        and (film_steps.attempts->-1->>'startedAt')::bigint < ${before})`,
    ),
  );

/**
 * Changes up to `rowsAtOnce` films that have waited since before this time, and erases their keys. Returns their
 * number.
 */
export const changeWaiting = (
  db: Database,
  outbox: FilmOutbox,
  before: number,
  changes: Partial<FilmRow>,
  condition?: SQL,
): Promise<number> =>
  db.transaction(async (transaction) => {
    const hasWaited = and(eq(films.status, "waiting"), waitsSince(before), condition);
    const waited = transaction.select({ id: films.id }).from(films).where(hasWaited).limit(rowsAtOnce);
    const changed = await transaction
      .update(films)
      .set({ ...changes, revision: sql`${films.revision} + 1` })
      // checked again, because another transaction may have changed films meanwhile
      .where(and(inArray(films.id, waited), hasWaited))
      .returning({ ...getTableColumns(films), notified });
    const ids = changed.map(({ id }) => id);
    if (ids.length > 0) await transaction.delete(filmKeys).where(inArray(filmKeys.filmId, ids));
    for (const { notified: _, ...row } of changed.filter(({ webhook }) => webhook !== null)) {
      const film = toFilm(row, (await stepsOf(transaction, [row.id])).get(row.id) ?? []);
      await outbox.enqueueChange(transaction, resumed(film), film);
    }
    return ids.length;
  });

/** True for films whose budget may have had too little room a moment ago. */
export const isUnderBudget = (of: HeldFilms) =>
  "before" in of
    ? and(eq(films.waitingFor, "budget"), isUnfinished, lt(films.updatedAt, of.before))
    : and(
        eq(films.projectId, of.projectId),
        isUnfinished,
        or(eq(films.waitingFor, "budget"), eq(films.status, "running")),
      );

export const endedWait: Partial<FilmRow> = {
  ...{ status: "error", waitingFor: null, waitingReason: null, waitingAt: null },
  failure: { code: "waited_too_long", message: new DomainError("waited_too_long", {}).message },
};

export const keysErased = {
  waitingFor: "key",
  waitingAt: null,
  waitingReason: "The keys were erased because the film has waited for 7 days. Send them again to go on.",
} as const;
