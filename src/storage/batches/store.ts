import { and, asc, eq, gte, inArray, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { type Batch, type BatchItem, type BatchStore, hasEnded, type ItemCounts } from "../../domain/batches/batch.ts";
import type { BaseRequests } from "../../domain/exports/request/fill-from-editor.ts";
import { isId } from "../../domain/shared/ids.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { withEntries } from "../database/json-entries.ts";
import { readRows } from "../database/paging.ts";
import { withoutNulls } from "../database/rows.ts";
import type { UserLimits } from "../database/storage-usage.ts";
import type { Queues } from "../exports/outbox.ts";
import { readCommitted } from "../ledger/totals.ts";
import {
  batchBases,
  batchCounts,
  batches,
  batchItems,
  batchKeys,
  batchRows,
  batchTranslations,
  translations,
} from "../tables/batches.ts";
import { films } from "../tables/films.ts";
import { projects } from "../tables/projects.ts";
import { addBatch, putKeys } from "./add.ts";
import { itemStore, notified } from "./items.ts";
import type { BatchOutbox } from "./outbox.ts";
import { removeBatch } from "./remove.ts";
import { isBatch, toBatch, toRow } from "./rows.ts";

/** A removed project has no owner. */
const isReachable = sql`exists (select from ${projects} where ${projects.id} = ${batches.projectId}
  and ${isNotNull(projects.userId)})`;

/** True for a batch that can continue: one that waits for its owner does not; films wake their batch. */
const canContinue = and(
  inArray(batches.status, ["validating", "ready", "waiting", "running"]),
  sql`${batches.waitingAt} is null`,
);

/** True for a batch with films whose texts are not translated. */
const hasUntranslated = sql`exists (select from ${batchItems} where ${batchItems.batchId} = ${batches.id}
  and ${batchItems.status} = 'waiting' and ${batchItems.identity} is null)`;

export const batchStore = (db: Database, queues: Queues, outbox: BatchOutbox, limits: UserLimits = {}): BatchStore =>
  withDatabaseTimeout({
    add: (batch, bases, rows, keys) => addBatch(db, queues, limits, batch, { bases, rows, keys }),

    find: async (projectId, batchId) =>
      isId("batch", batchId) ? await readBatch(db, isBatch({ id: batchId, projectId })) : undefined,

    async list(projectId, page) {
      const found = await readRows(db, batches, eq(batches.projectId, projectId), page);
      return { ...found, items: found.items.map(toBatch) };
    },

    async bases(batchId) {
      const { language, request, texts } = batchBases;
      const found = await db
        .select({ language, request, texts })
        .from(batchBases)
        .where(eq(batchBases.batchId, batchId));
      return found.map(withoutNulls);
    },

    rows: (batchId, from, limit) =>
      db
        .select({ row: batchRows.row, key: batchRows.key, cells: batchRows.cells })
        .from(batchRows)
        .where(and(eq(batchRows.batchId, batchId), gte(batchRows.row, from)))
        .orderBy(asc(batchRows.row))
        .limit(limit),

    async acquire(batchId) {
      const [row] = await db
        .update(batches)
        .set({
          ...{ waitingFor: null, waitingReason: null, waitingAt: null, updatedAt: Date.now() },
          // a batch that waited during its validation keeps waiting
          status: sql`case when ${batches.status} <> 'waiting' then ${batches.status}
            when ${batches.checked} < ${batches.rows} or ${hasUntranslated} then 'validating' else 'running' end`,
          attempt: sql`${batches.attempt} + 1`,
          revision: sql`${batches.revision} + 1`,
        })
        .where(and(eq(batches.id, batchId), canContinue, isReachable))
        .returning();
      return row && toBatch(row);
    },

    load: ({ id, attempt }) =>
      readBatch(db, and(eq(batches.id, id), eq(batches.attempt, attempt), canContinue, isReachable)),

    async change({ id, projectId, attempt }, edit, { wake = false, countsSpend = false, keys = {} } = {}) {
      if (!isId("batch", id)) return undefined;
      await queues.ready();
      return await db.transaction(async (transaction) => {
        const [row] = await transaction.select().from(batches).where(isBatch({ id, projectId })).for("update");
        if (!row || (attempt !== undefined && row.attempt !== attempt)) return undefined;
        const found = toBatch(row);
        // after the lock, because a reservation also locks the batch
        const committed = countsSpend ? await readCommitted(transaction, { scope: "batch", scopeId: id }) : 0n;
        const next = { ...edit(found, committed), revision: found.revision + 1, updatedAt: Date.now() };
        await transaction.update(batches).set(toRow(next)).where(eq(batches.id, id)).returning({ notified });
        if (hasEnded(next)) await transaction.delete(batchKeys).where(eq(batchKeys.batchId, id));
        else await putKeys(transaction, id, keys);
        await outbox.enqueueChange(transaction, found, next, async () => (await readCounts(transaction, [id])).get(id));
        if (wake && !hasEnded(next)) await queues.send("batches", transaction, id, { group: row.userId });
        return next;
      });
    },

    async saveCheckpoints({ id, attempt }, changed) {
      const isCurrent = and(eq(batches.id, id), eq(batches.attempt, attempt));
      const checkpoints = withEntries(batches.checkpoints, changed);
      const saved = await db.update(batches).set({ checkpoints }).where(isCurrent).returning({ id: batches.id });
      return saved.length > 0;
    },

    async keys(batchId) {
      const rows = await db.select().from(batchKeys).where(eq(batchKeys.batchId, batchId));
      return Object.fromEntries(rows.map(({ category, sealed }) => [category, sealed]));
    },

    async expireKeys(before) {
      const hasWaited = and(eq(batches.status, "waiting"), lt(batches.updatedAt, before));
      const waiting = db.select({ id: batches.id }).from(batches).where(hasWaited);
      const erased = await db.delete(batchKeys).where(inArray(batchKeys.batchId, waiting)).returning();
      return erased.length;
    },

    ...translationStore(db),
    ...itemStore(db, outbox),

    counts: (batchIds) => readCounts(db, batchIds),

    async filmIds(batchId) {
      const rows = await db.select({ id: films.id }).from(films).where(eq(films.batchId, batchId));
      return rows.map(({ id }) => id);
    },

    async filmWaits(filmIds) {
      if (filmIds.length === 0) return [];
      const { id, waitingFor, waitingReason } = films;
      const isWaiting = and(inArray(id, [...filmIds]), eq(films.status, "waiting"));
      const rows = await db.select({ filmId: id, waitingFor, waitingReason }).from(films).where(isWaiting);
      return rows.map(withoutNulls);
    },

    remove: (batch) => db.transaction((transaction) => removeBatch(transaction, batch)),
  });

/** Base requests for exports, which store only the values of their rows. */
export const baseRequests = (db: Database): BaseRequests =>
  withDatabaseTimeout({
    async find(batchId: string, language: string) {
      const isWanted = and(eq(batchBases.batchId, batchId), eq(batchBases.language, language));
      const [row] = await db.select({ request: batchBases.request }).from(batchBases).where(isWanted);
      return row && "clips" in row.request ? row.request : undefined;
    },
  });

async function readBatch(db: Database, where: SQL | undefined): Promise<Batch | undefined> {
  const [row] = await db.select().from(batches).where(where);
  return row && toBatch(row);
}

const noItems: ItemCounts & { frames: number } = {
  ...{ invalid: 0, waiting: 0, running: 0, done: 0, unchanged: 0, error: 0, cancelled: 0, frames: 0 },
};

export async function readCounts(db: Database, batchIds: readonly string[]) {
  if (batchIds.length === 0) return new Map<string, ReturnType<typeof countsOf>>();
  const { batchId, status, films, frames } = batchCounts;
  const rows = await db
    .select({ batchId, status, count: films, frames })
    .from(batchCounts)
    .where(inArray(batchId, [...batchIds]));
  const byBatch = Map.groupBy(rows, ({ batchId }) => batchId);
  return new Map([...byBatch].map(([batchId, counted]) => [batchId, countsOf(counted)]));
}

type CountedStatus = { readonly status: BatchItem["status"]; readonly count: number; readonly frames: number };

const countsOf = (rows: readonly CountedStatus[]): ItemCounts & { readonly frames: number } => ({
  ...noItems,
  ...Object.fromEntries(rows.map(({ status, count }) => [status, count])),
  frames: rows.find(({ status }) => status === "waiting")?.frames ?? 0,
});

type TranslationStore = Pick<BatchStore, "findTranslations" | "addTranslations" | "listTranslations" | "untranslated">;

const translationStore = (db: Database): TranslationStore => ({
  async findTranslations(projectId, hashes) {
    if (hashes.length === 0) return new Map();
    const isWanted = and(eq(translations.projectId, projectId), inArray(translations.hash, [...new Set(hashes)]));
    const { hash, translation } = translations;
    const rows = await db.select({ hash, translation }).from(translations).where(isWanted);
    return new Map(rows.map((row) => [row.hash, row.translation]));
  },

  addTranslations: ({ id: batchId, projectId }, added) =>
    db.transaction(async (transaction) => {
      const rows = added.map((row) => ({ projectId, ...row }));
      if (rows.length === 0) return;
      await transaction.insert(translations).values(rows).onConflictDoNothing();
      await transaction
        .insert(batchTranslations)
        .values(rows.map(({ hash }) => ({ batchId, hash })))
        .onConflictDoNothing();
    }),

  async listTranslations(batchId, limit) {
    const { hash, language, text, translation, projectId } = translations;
    return await db
      .select({ hash, language, text, translation })
      .from(batchTranslations)
      .innerJoin(batches, eq(batches.id, batchTranslations.batchId))
      .innerJoin(translations, and(eq(projectId, batches.projectId), eq(hash, batchTranslations.hash)))
      .where(eq(batchTranslations.batchId, batchId))
      .orderBy(asc(batchTranslations.place))
      .limit(limit);
  },

  async untranslated(batchId, from, to) {
    const { row, language, status, identity } = batchItems;
    const isOf = and(eq(batchItems.batchId, batchId), eq(status, "waiting"), isNull(identity));
    return await db
      .selectDistinct({ row, language })
      .from(batchItems)
      .where(and(isOf, gte(row, from), lte(row, to)));
  },
});
