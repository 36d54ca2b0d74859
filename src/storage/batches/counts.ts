import { sql } from "drizzle-orm";
import type { BatchStatus, BatchWait } from "../../domain/batches/batch.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { batches, isUnfinished } from "./tables.ts";

type BatchCount = { readonly status: BatchStatus; readonly waitingFor: BatchWait | null; readonly count: number };

const timeoutMs = 1_000;

/** As `filmCounts`, of batches. */
export const batchCounts = (db: Database): (() => Promise<readonly BatchCount[]>) =>
  withDatabaseTimeout({ read: () => readCounts(db) }, timeoutMs).read;

const readCounts = (db: Database): Promise<readonly BatchCount[]> =>
  db
    .select({ status: batches.status, waitingFor: batches.waitingFor, count: sql<number>`count(*)::int` })
    .from(batches)
    .where(isUnfinished)
    .groupBy(batches.status, batches.waitingFor);
