import { sql } from "drizzle-orm";
import type { FilmStatus, Wait } from "../../domain/films/film.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { films, isUnfinished } from "./table.ts";

type FilmCount = { readonly status: FilmStatus; readonly waitingFor: Wait | null; readonly count: number };

const timeoutMs = 1_000;

/** Counts the films that have not ended by a partial index. Rejects within a second if the database does not answer. */
export const filmCounts = (db: Database): (() => Promise<readonly FilmCount[]>) =>
  withDatabaseTimeout({ read: () => readCounts(db) }, timeoutMs).read;

const readCounts = (db: Database): Promise<readonly FilmCount[]> =>
  db
    .select({ status: films.status, waitingFor: films.waitingFor, count: sql<number>`count(*)::int` })
    .from(films)
    .where(isUnfinished)
    .groupBy(films.status, films.waitingFor);
