import { sql } from "drizzle-orm";
import type { StatusCount } from "../../domain/telemetry/counts.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { films, isUnfinished } from "./table.ts";

const timeoutMs = 1_000;

/** Counts the films that have not ended by a partial index. Rejects within a second if the database does not answer. */
export const filmCounts = (db: Database): (() => Promise<readonly StatusCount[]>) =>
  withDatabaseTimeout({ read: () => readCounts(db) }, timeoutMs).read;

const readCounts = (db: Database): Promise<readonly StatusCount[]> =>
  db
    .select({ status: films.status, waitingFor: films.waitingFor, count: sql<number>`count(*)::int` })
    .from(films)
    .where(isUnfinished)
    .groupBy(films.status, films.waitingFor);
