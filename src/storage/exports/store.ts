import { and, type Column, count, desc, eq, gt, inArray, lte, type SQL, sql } from "drizzle-orm";
import {
  type ExportFile,
  type ExportJob,
  type ExportStore,
  hasEnded,
  type JobLease,
} from "../../domain/exports/jobs.ts";
import { isId } from "../../domain/shared/ids.ts";
import { DomainError } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { exportFiles, exportJobs } from "../database/export-tables.ts";
import { readPage } from "../database/paging.ts";
import { withoutNulls } from "../database/rows.ts";
import { historyOf } from "./history.ts";
import { addWebhook, enqueueEndEvent, enqueueRemovedEvents, type Queues, unfinished } from "./outbox.ts";

/** The channel on which every change of an export is told: its id, and what of it changed. */
export const exportChannel = "export_changes";

export type Told = "turn" | "progress";

const told = (about: Told, exportId: Column) => sql`pg_notify(${exportChannel}, ${exportId} || ${` ${about}`}::text)`;

/** More that wait would only wait for hours. */
const mostWaiting = 100;
const patienceSeconds = { least: 1, unknown: 30, most: 3600 };

const { id, userId, status, attempt, revision, createdAt } = exportJobs;
type Row = typeof exportJobs.$inferSelect;
type Changes = Partial<typeof exportJobs.$inferInsert>;

const order = { time: createdAt, id, timeOf: (row: Row) => row.createdAt };
const inTurn = (turn: JobLease) => and(eq(id, turn.exportId), eq(status, "rendering"), eq(attempt, turn.attempt));

export const exportStore = (db: Database, queues: Queues): ExportStore =>
  withDatabaseTimeout({
    async add({ files: _, ...row }, webhook) {
      await queues.ready();
      await db.transaction(async (transaction) => {
        await requireRoom(transaction);
        await transaction.insert(exportJobs).values(row);
        if (webhook) await addWebhook(transaction, row.id, webhook);
        await queues.send("exports", transaction, row.id, row.userId);
      });
    },

    find: async (owner, exportId) => {
      if (!isId("exp", exportId)) return undefined;
      const rows = await db
        .select()
        .from(exportJobs)
        .where(and(eq(userId, owner), eq(id, exportId)));
      return (await withFiles(db, rows))[0];
    },

    async list(owner, page) {
      const mine = eq(userId, owner);
      const found = await readPage(order, page, (past: SQL | undefined) =>
        db.select().from(exportJobs).where(and(mine, past)),
      );
      const [counted] = await db.select({ count: count() }).from(exportJobs).where(mine);
      return { ...found, items: await withFiles(db, found.items), count: counted?.count ?? 0 };
    },

    async begin(exportId, now) {
      const changes = { status: "rendering" as const, startedAt: now, framesRendered: 0 };
      const where = and(eq(id, exportId), inArray(status, [...unfinished]));
      const rows = await change(db, where, { ...changes, attempt: sql`${attempt} + 1` });
      return rows[0] && { ...withoutNulls(rows[0]), files: [] };
    },

    describe: async (turn, facts) => (await change(db, inTurn(turn), facts)).length > 0,

    async progress(turn, { framesDone, framesRendered }) {
      // whoever takes over finds the parts that are done, so it never goes back
      const most = sql`greatest(${exportJobs.framesDone}, ${framesDone})`;
      return (await change(db, inTurn(turn), { framesDone: most, framesRendered }, "progress")).length > 0;
    },

    async end(turn, { status: ended, files = [], failure, progress }, now) {
      await queues.ready();
      return await db.transaction(async (transaction) => {
        const changes: Changes = { status: ended, finishedAt: now, ...(failure && { failure }), ...progress };
        const [row] = await change(transaction, inTurn(turn), changes);
        if (!row) return false;
        const made = files.map(({ key: fileKey, ...file }) => ({ exportId: turn.exportId, fileKey, ...file }));
        if (made.length > 0) await transaction.insert(exportFiles).values(made);
        await enqueueEndEvent(transaction, queues, { ...withoutNulls(row), files });
        return true;
      });
    },

    async cancel(exportId, now) {
      await queues.ready();
      const where = and(eq(id, exportId), inArray(status, [...unfinished]));
      await db.transaction(async (transaction) => {
        const [row] = await change(transaction, where, { status: "cancelled", finishedAt: now });
        if (row) await enqueueEndEvent(transaction, queues, { ...withoutNulls(row), files: [] });
      });
    },

    async remove(owner, exportId, now) {
      if (!isId("exp", exportId)) return undefined;
      await queues.ready();
      return await db.transaction(async (transaction) => {
        const mine = and(eq(userId, owner), eq(id, exportId));
        // locked first, so that a worker which ends it now is in this list, or finds it gone
        const [found] = await transaction.select().from(exportJobs).where(mine).for("update");
        if (!found) return undefined;
        await enqueueRemovedEvents(transaction, queues, [found], now);
        return await removeAll(transaction, [found.id]);
      });
    },

    removeExpired: (now) =>
      db.transaction(async (transaction) => {
        const old = and(lte(exportJobs.expiresAt, now), sql`${exportJobs.finishedAt} is not null`);
        const found = await transaction.select({ id }).from(exportJobs).where(old).for("update");
        return removeAll(
          transaction,
          found.map((row) => row.id),
        );
      }),

    history: (owner, quality) => historyOf(db, owner, quality),
  });

/** Changes rows, and tells who follows them. */
async function change(
  db: Database,
  where: SQL | undefined,
  changes: Changes | Record<string, unknown>,
  about: Told = "turn",
): Promise<Row[]> {
  const rows = await db
    .update(exportJobs)
    .set({ ...changes, revision: sql`${revision} + 1` })
    .where(where)
    .returning({ row: exportJobs, told: told(about, id) });
  return rows.map(({ row }) => row);
}

async function withFiles(db: Database, rows: readonly Row[]): Promise<readonly ExportJob[]> {
  const ended = rows.filter(hasEnded).map((row) => row.id);
  const found = ended.length > 0 ? await filesOf(db, ended) : [];
  return rows.map((row) => ({
    ...withoutNulls(row),
    files: found.filter(({ exportId }) => exportId === row.id).map(toFile),
  }));
}

const filesOf = (db: Database, exportIds: readonly string[]) =>
  db
    .select()
    .from(exportFiles)
    .where(inArray(exportFiles.exportId, [...exportIds]))
    .orderBy(exportFiles.target);

const toFile = ({ target, fileKey, sizeBytes }: typeof exportFiles.$inferSelect): ExportFile => ({
  ...{ target, key: fileKey, sizeBytes },
});

async function removeAll(transaction: Database, exportIds: readonly string[]): Promise<readonly string[]> {
  if (exportIds.length === 0) return [];
  const files = await filesOf(transaction, exportIds);
  await transaction
    .delete(exportJobs)
    .where(inArray(id, [...exportIds]))
    .returning({ told: told("turn", id) });
  return files.map(({ fileKey }) => fileKey);
}

/** In milliseconds a rendered frame, over the last exports that rendered any. */
async function paceOf(db: Database): Promise<number | undefined> {
  const { finishedAt, startedAt, framesRendered } = exportJobs;
  const rendered = and(eq(status, "done"), gt(framesRendered, 0));
  const lately = await db
    .select({ took: sql<number>`${finishedAt} - ${startedAt}`.mapWith(Number), frames: framesRendered })
    .from(exportJobs)
    .where(rendered)
    .orderBy(desc(finishedAt))
    .limit(20);
  const frames = lately.reduce((sum, row) => sum + row.frames, 0);
  return frames > 0 ? lately.reduce((sum, row) => sum + row.took, 0) / frames : undefined;
}

async function requireRoom(transaction: Database): Promise<void> {
  const [waiting] = await transaction.select({ count: count() }).from(exportJobs).where(eq(status, "queued"));
  if ((waiting?.count ?? 0) < mostWaiting) return;
  throw new DomainError("busy", { retryAfterSeconds: await nextEndIn(transaction) });
}

/** Seconds until the running export that is nearest to its end has ended, and one that waits begins. */
async function nextEndIn(transaction: Database): Promise<number> {
  const { frames, framesDone } = exportJobs;
  const [next] = await transaction
    .select({ left: sql<number>`min(${frames} - ${framesDone})`.mapWith(Number) })
    .from(exportJobs)
    .where(and(eq(status, "rendering"), gt(frames, 0)));
  const pace = await paceOf(transaction);
  if (!next?.left || pace === undefined) return patienceSeconds.unknown;
  return Math.min(patienceSeconds.most, Math.max(patienceSeconds.least, Math.ceil((next.left * pace) / 1000)));
}
