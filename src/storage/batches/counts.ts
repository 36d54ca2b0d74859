import { sql } from "drizzle-orm";
import type { StatusCount } from "../../domain/telemetry/counts.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { batches, isUnfinished } from "./tables.ts";

const timeoutMs = 1_000;

/** As `filmCounts`, of batches. */
export const batchCounts = (db: Database): (() => Promise<readonly StatusCount[]>) =>
  withDatabaseTimeout({ read: () => readCounts(db) }, timeoutMs).read;

const readCounts = (db: Database): Promise<readonly StatusCount[]> =>
  db
    .select({ status: batches.status, waitingFor: batches.waitingFor, count: sql<number>`count(*)::int` })
    .from(batches)
    .where(isUnfinished)
    .groupBy(batches.status, batches.waitingFor);
