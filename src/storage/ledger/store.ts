import { and, eq, exists, gte, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { rowsAtOnce } from "../../domain/files/expired.ts";
import type { Budget, BudgetState } from "../../domain/ledger/budgets.ts";
import {
  type BookedCall,
  type CallScope,
  type EndedCall,
  type LedgerStore,
  periodOf,
  type Reservation,
} from "../../domain/ledger/ledger.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import { holderLease } from "../../domain/ledger/paid-calls.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readRows } from "../database/paging.ts";
import { withoutNulls } from "../database/rows.ts";
import { isLeased } from "../leases/store.ts";
import { isActive, users } from "../tables/accounts.ts";
import { projectBudgets, spendDays, upstreamCalls } from "../tables/ledger.ts";
import { projects } from "../tables/projects.ts";
import { readFilmSpend, readFilmSpends, readSpendOf } from "./film-spend.ts";
import { filmsWithRoom } from "./films-with-room.ts";
import { readSpend } from "./report.ts";
import { reserve } from "./reserve.ts";
import { addingToTotals, readTotals } from "./totals.ts";

type CallRow = typeof upstreamCalls.$inferSelect;

const { id, userId, state, job, holderId, outcome, createdAt } = upstreamCalls;

export type LedgerOptions = {
  /** The spending limit of one user in a month. */
  readonly maxUserSpend?: Micros | undefined;
};

export const ledgerStore = (db: Database, { maxUserSpend }: LedgerOptions = {}): LedgerStore =>
  withDatabaseTimeout({
    reserve: (call) => db.transaction((transaction) => reserve(transaction, call, maxUserSpend)),

    async isWanted({ userId: owner, projectId }) {
      if (projectId !== undefined) return (await ownProject(db, owner, projectId)).length > 0;
      return (await db.$count(users, and(eq(users.id, owner), isActive))) > 0;
    },

    async resume({ userId: owner, provider }, { id: jobId, callId }, holder) {
      const isOfJob = callId === undefined ? eq(job, jobId) : eq(id, callId);
      const isSame = and(eq(userId, owner), isOfJob, eq(upstreamCalls.provider, provider), mayHaveCost);
      const [row] = await db.update(upstreamCalls).set({ holderId: holder }).where(isSame).returning({ id });
      return row?.id;
    },

    async end(call) {
      for (let known = call; ; known = { ...call, begun: undefined }) {
        const ended = await endOnce(db, known);
        if (ended !== "changed") return ended;
      }
    },

    async endAbandoned() {
      const rows = await db.select().from(upstreamCalls).where(isAbandoned(db)).limit(rowsAtOnce);
      for (const row of rows) await abandon(db, row);
      return rows.length;
    },

    filmsWithRoom: (now, freed) => filmsWithRoom(db, { now, freed, maxUserSpend }),

    filmSpend: (filmId) => readFilmSpend(db, filmId),
    filmSpends: (filmIds) => readFilmSpends(db, filmIds),
    spendOf: (of, ids) => readSpendOf(db, of, ids),

    async hasCalled(ofId, stepId, since) {
      const isOf = or(eq(upstreamCalls.filmId, ofId), eq(upstreamCalls.batchId, ofId));
      const isOfStep = and(isOf, eq(upstreamCalls.stepId, stepId));
      const isCall = and(isOfStep, gte(createdAt, since), sql`${state} <> 'released'`);
      return (await db.$count(upstreamCalls, isCall)) > 0;
    },

    async list(owner, page) {
      const found = await readRows(db, upstreamCalls, and(eq(userId, owner), isNotNull(outcome)), page);
      return { ...found, items: found.items.map(toUsage) };
    },

    report: (owner, query) => readSpend(db, owner, query),
    summarizeBefore: (time) => db.transaction((transaction) => summarize(transaction, time)),
    findBudget: (projectId, now) => findBudget(db, projectId, now),

    async setBudget(projectId, { limit, period }, now) {
      const values = { maxSpend: Number(limit), period };
      const isActive = and(eq(projects.id, projectId), isNotNull(projects.userId));
      const [project] = await db.select({ id: projects.id }).from(projects).where(isActive);
      if (!project) return undefined;
      await db
        .insert(projectBudgets)
        .values({ projectId, ...values })
        .onConflictDoUpdate({ target: projectBudgets.projectId, set: values });
      return findBudget(db, projectId, now);
    },

    async removeBudget(projectId) {
      const removed = await db.delete(projectBudgets).where(eq(projectBudgets.projectId, projectId)).returning();
      return removed.length > 0;
    },
  });

/** A job that was paid before its process died is not booked again. */
const mayHaveCost = ne(state, "released");

/** True for a call whose process no longer renews its lease. */
function isAbandoned(db: Database): SQL | undefined {
  const holder = sql`${holderLease("")} || ${holderId}`;
  return and(eq(state, "reserved"), sql`not ${isLeased(db, holder)}`);
}

/** The data of a call that are known without reading it, also of one that has just begun. */
type KnownCall = Pick<CallRow, "id" | "userId" | "projectId" | "batchId" | "filmId" | "provider" | "model"> &
  Pick<CallRow, "state" | "estimate" | "createdAt">;

const adding = (
  transaction: Pick<Database, "insert">,
  row: KnownCall,
  delta: Parameters<typeof addingToTotals>[1]["delta"],
) => addingToTotals(transaction, { scope: withoutNulls(row), createdAt: row.createdAt, delta });

/** Undefined if the project or the account is removed. */
const ownProject = (db: Database, owner: string, projectId: string) =>
  db
    .select({ id: projects.id })
    .from(projects)
    .innerJoin(users, and(eq(users.id, projects.userId), isActive))
    .where(and(eq(projects.id, projectId), eq(projects.userId, owner)));

/** Does nothing if the call has changed meanwhile, or its process is alive after all. */
async function abandon(db: Database, row: CallRow): Promise<void> {
  const estimate = BigInt(row.estimate ?? 0);
  const moved = db.transaction(async (transaction) => {
    await adding(transaction, row, { reserved: -estimate, unknown: estimate });
    const changed = await transaction
      .update(upstreamCalls)
      .set({ state: "unknown" })
      .where(and(isUnchanged(row), isAbandoned(db)))
      .returning({ id });
    if (changed.length === 0) throw new ChangedMeanwhile();
  });
  await moved.catch((error) => {
    if (!(error instanceof ChangedMeanwhile)) throw error;
  });
}

class ChangedMeanwhile extends Error {}

/** Implements `LedgerStore.end`; "changed" if the call has changed. Locks the sums before the call, as at its start. */
async function endOnce(
  db: Database,
  { id: callId, cost, begun, ...ended }: EndedCall,
): Promise<BookedCall | "changed" | undefined> {
  const [found] = begun ? [knownOf(begun)] : await db.select().from(upstreamCalls).where(eq(id, callId));
  if (!found || !["reserved", "unknown"].includes(found.state)) return undefined;
  const estimate = BigInt(found.estimate ?? 0);
  const freed = found.state === "reserved" ? { reserved: -estimate } : { unknown: -estimate };
  const booked = ended.state === "unknown" ? { unknown: (freed.unknown ?? 0n) + estimate } : {};
  try {
    await db.transaction(async (transaction) => {
      const sums = adding(transaction, found, { ...freed, ...booked, spent: cost });
      const added = transaction.$with("added").as(sums);
      const isAdded = exists(transaction.select({ scope: added.scope }).from(added));
      const changed = await transaction
        .with(added)
        .update(upstreamCalls)
        .set({ ...ended, cost: Number(cost) })
        .where(and(isUnchanged(found), isAdded))
        .returning({ id });
      if (changed.length === 0) throw new ChangedMeanwhile();
    });
    const { provider, model } = found;
    return { provider, model, scope: scopeOf(found), freed: ended.state === "unknown" ? 0n : estimate - cost };
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return "changed";
    throw error;
  }
}

const scopeOf = ({ userId: owner, projectId, batchId, filmId }: KnownCall): CallScope => ({
  userId: owner,
  ...withoutNulls({ projectId, batchId, filmId }),
});

const knownOf = ({ estimate, projectId, batchId, filmId, ...call }: Reservation): KnownCall => ({
  ...{ ...call, projectId: projectId ?? null, batchId: batchId ?? null, filmId: filmId ?? null, state: "reserved" },
  estimate: estimate === undefined ? null : Number(estimate),
});

const isUnchanged = (found: KnownCall) =>
  and(
    eq(id, found.id),
    eq(state, found.state),
    sql`${upstreamCalls.filmId} is not distinct from ${found.filmId}`,
    sql`${upstreamCalls.batchId} is not distinct from ${found.batchId}`,
    sql`${upstreamCalls.projectId} is not distinct from ${found.projectId}`,
  );

function toUsage(row: CallRow) {
  const { id, userId, provider, model, purpose, inputTokens, outputTokens, seconds, createdAt } = row;
  const { milliseconds, outcome } = row;
  const amounts = withoutNulls({ inputTokens, outputTokens, seconds });
  // safe because the query leaves out calls that have not ended
  return {
    id,
    userId,
    provider,
    model,
    purpose,
    ...amounts,
    milliseconds: milliseconds!,
    outcome: outcome!,
    createdAt,
  };
}

const dayMs = 86_400_000;

async function summarize(transaction: Database, time: number): Promise<number> {
  const isOld = and(lt(createdAt, time), or(isNull(holderId), sql`${state} <> 'reserved'`));
  const old = await transaction
    .select({ id })
    .from(upstreamCalls)
    .where(isOld)
    .orderBy(createdAt)
    .limit(rowsAtOnce)
    .for("update");
  if (old.length === 0) return 0;
  const isListed = sql`${id} = any(${sql.param(old.map((row) => row.id))}::text[])`;
  const { projectId, provider, model, cost, estimate } = upstreamCalls;
  const day = sql`(${createdAt} / ${dayMs}::bigint) * ${dayMs}::bigint`;
  await transaction.execute(sql`
    insert into ${spendDays} (user_id, day, project_id, provider, model, cost, unknown, calls)
    select ${userId}, ${day}, ${projectId}, ${provider}, ${model}, sum(${cost}),
      sum(case when ${state} = 'unknown' then coalesce(${estimate}, 0) else 0 end),
      count(*) filter (where ${state} = 'settled')
    from ${upstreamCalls} where ${isListed} and ${state} <> 'released'
    group by 1, 2, 3, 4, 5`);
  await transaction.delete(upstreamCalls).where(isListed);
  return old.length;
}

async function findBudget(db: Database, projectId: string, now: number): Promise<BudgetState | undefined> {
  const [row] = await db.select().from(projectBudgets).where(eq(projectBudgets.projectId, projectId));
  if (!row) return undefined;
  const budget: Budget = { limit: BigInt(row.maxSpend), period: row.period };
  const key = { scope: "project" as const, scopeId: projectId, period: periodOf(row.period, now) };
  const { spent, unknown, reserved } = await readTotals(db, key);
  return { ...budget, spent: spent + unknown, reserved };
}
