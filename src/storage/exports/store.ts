import { and, eq, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { ExportStore } from "../../domain/exports/lifecycle/jobs.ts";
import { rowsAtOnce } from "../../domain/files/expired.ts";
import { isId } from "../../domain/shared/ids.ts";
import { notifyChange } from "../changes/feed.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { jsonBytes, readSizedPage } from "../database/paging.ts";
import { lockUser, readTotal } from "../database/storage-usage.ts";
import { addDeliveries, hasNoDelivery } from "../destinations/deliveries.ts";
import { exportFiles, exportJobs } from "../tables/exports.ts";
import { admitExport, type ExportLimits } from "./admission.ts";
import { readHistory } from "./history.ts";
import {
  deleteJobs,
  holdsLease,
  isOfUser,
  isUnfinished,
  type StateRow,
  stateColumns,
  toExportJob,
  toExportState,
  updateJobs,
  withFiles,
} from "./job-rows.ts";
import type { Queues, WebhookOutbox } from "./outbox.ts";

const { id, name, request, options, warnings, failure, attempt, framesDone, revision } = exportJobs;
const { status, endedAttempts, failedHolder, createdAt, finishedAt, expiresAt } = exportJobs;

const list = {
  table: exportJobs,
  time: createdAt,
  id,
  timeOf: (row: StateRow) => row.createdAt,
  bytes: jsonBytes(name, options, warnings, failure),
};

/** Transactions that enqueue call `ready` first: the embedded database has a single connection. */
export const exportStore = (
  db: Database,
  queues: Queues,
  outbox: WebhookOutbox,
  limits: ExportLimits = {},
): ExportStore =>
  withDatabaseTimeout({
    async add({ files: _, ...row }, webhook, deliveries = []) {
      await queues.ready();
      await db.transaction(async (transaction) => {
        // waits for the end of an earlier attempt whose client got an outage error
        await lockUser(transaction, row.userId);
        if ((await transaction.$count(exportJobs, eq(id, row.id))) > 0) return;
        const isOfBatch = row.batchId !== undefined;
        const unfinished = await admitExport(transaction, row.userId, limits, isOfBatch);
        await transaction.insert(exportJobs).values({ ...row, options: row.request.options });
        if (webhook) await outbox.register(transaction, row.id, webhook);
        await addDeliveries(transaction, deliveries);
        const queue = isOfBatch ? "batchExports" : "exports";
        await queues.send(queue, transaction, row.id, { group: row.userId, unfinished });
      });
    },

    async find(owner, exportId) {
      if (!isId("exp", exportId)) return undefined;
      const rows = await db.select().from(exportJobs).where(isOwn(owner, exportId));
      const [job] = await withFiles(db, rows, toExportJob);
      return job;
    },

    async findState(owner, exportId) {
      if (!isId("exp", exportId)) return undefined;
      const rows = await db.select(stateColumns).from(exportJobs).where(isOwn(owner, exportId));
      const [state] = await withFiles(db, rows, toExportState);
      return state;
    },

    async list(owner, pageRequest) {
      const where = isOfUser(owner);
      const page = await readSizedPage(db, { ...list, where }, pageRequest, (isOnPage) =>
        db.select(stateColumns).from(exportJobs).where(and(where, isOnPage)),
      );
      const { files: count } = await readTotal(db, owner, "exportJobs");
      return { ...page, items: await withFiles(db, page.items, toExportState), count };
    },

    async acquire(exportId, now) {
      const [row] = await db
        .update(exportJobs)
        .set({
          status: "rendering",
          startedAt: now,
          framesRendered: 0,
          attempt: sql`${attempt} + 1`,
          revision: sql`${revision} + 1`,
        })
        .where(isUnfinished(exportId))
        .returning({ ...stateColumns, acquired: request, notified: notifyChange(id, "status") });
      if (!row) return undefined;
      const { acquired, notified: _, ...state } = row;
      return { ...toExportState(state), request: acquired };
    },

    recordLayout: async (lease, layout) => (await updateJobs(db, holdsLease(lease), layout, "progress")).length > 0,

    // returns nothing of the job: progress is reported often
    async reportProgress(lease, progress) {
      const { framesRendered } = progress;
      // never decreases: a later attempt finds the cached segments of this one
      const most = sql`greatest(${framesDone}, ${progress.framesDone})`;
      const rows = await db
        .update(exportJobs)
        .set({ framesDone: most, framesRendered, revision: sql`${revision} + 1` })
        .where(holdsLease(lease))
        .returning({ notified: notifyChange(id, "progress") });
      return rows.length > 0;
    },

    // also for an attempt followed by another one: its process could not reach the database
    async endAttempt({ exportId }, failed) {
      await db
        .update(exportJobs)
        .set({
          endedAttempts: sql`${endedAttempts} + 1`,
          ...(failed && { failedHolder: failed.holder, failedAt: failed.at }),
        })
        .where(isUnfinished(exportId));
    },

    async end(lease, { status, files = [], failure, progress }, now) {
      await outbox.ready();
      const ended = await db.transaction(async (transaction) => {
        const changes = { status, ...endingAt(now), ...(failure && { failure }), ...progress };
        const [row] = await updateJobs(transaction, holdsLease(lease), changes);
        if (!row) return [];
        const fileRows = files.map(({ key, ...file }) => ({ exportId: row.id, fileKey: key, ...file }));
        if (fileRows.length > 0) await transaction.insert(exportFiles).values(fileRows);
        return await outbox.enqueueEnd(transaction, toExportState(row, files));
      });
      outbox.reportEnds(ended);
      return ended.length > 0;
    },

    // an export that failed on a worker has used its one retry on another
    async recordHang(exportId, now) {
      const first = await db
        .update(exportJobs)
        .set({ failedHolder: "hung", failedAt: now })
        .where(and(isUnfinished(exportId), isNull(failedHolder)))
        .returning({ id });
      if (first.length > 0) return;
      await endUnfinished(db, outbox, exportId, { status: "error", failure: { code: "internal" }, ...endingAt(now) });
    },

    cancel: (exportId, now) => endUnfinished(db, outbox, exportId, { status: "cancelled", ...endingAt(now) }),

    async remove(owner, exportId, now) {
      if (!isId("exp", exportId)) return undefined;
      await outbox.ready();
      const removed = await db.transaction(async (transaction) => {
        // locks the row: a worker that ends it concurrently has finished before, or finds it removed
        const [row] = await transaction.select().from(exportJobs).where(isOwn(owner, exportId)).for("update");
        if (!row) return undefined;
        const ended = await outbox.enqueueCancelled(transaction, [row], now);
        return { ended, fileKeys: await deleteJobs(transaction, [row.id]) };
      });
      outbox.reportEnds(removed?.ended ?? []);
      return removed?.fileKeys;
    },

    async listExpired(now) {
      const rows = await db
        .select({ id, status })
        .from(exportJobs)
        .where(and(lte(expiresAt, now), isNotNull(finishedAt), hasNoDelivery(id)))
        .orderBy(expiresAt)
        .limit(rowsAtOnce);
      return await withFiles(db, rows, (row, files = []) => ({ id: row.id, fileKeys: files.map(({ key }) => key) }));
    },

    removeExpired: async (ids) => void (await deleteJobs(db, ids)),

    history: (owner, quality) => readHistory(db, owner, quality),
  });

const isOwn = (owner: string, exportId: string) => and(isOfUser(owner), eq(id, exportId));

type Changes = Parameters<typeof updateJobs>[2];

/** Ends unfinished exports, whether or not a worker holds a lease. */
async function endUnfinished(db: Database, outbox: WebhookOutbox, exportId: string, changes: Changes): Promise<void> {
  await outbox.ready();
  const ended = await db.transaction(async (transaction) => {
    const [row] = await updateJobs(transaction, isUnfinished(exportId), changes);
    return row ? await outbox.enqueueEnd(transaction, toExportState(row)) : [];
  });
  outbox.reportEnds(ended);
}

/** The time that an export is kept after its end is as long as planned at its request. */
const endingAt = (now: number) => ({
  finishedAt: now,
  expiresAt: sql`${now}::bigint + ${expiresAt} - ${createdAt}`,
});
