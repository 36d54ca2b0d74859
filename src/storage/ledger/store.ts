import { and, eq, gte, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { batchRows } from "../../domain/files/batches.ts";
import { inProgressError } from "../../domain/idempotency/checkpoints.ts";
import type { Budget, BudgetScope, BudgetState } from "../../domain/ledger/budgets.ts";
import type { ModelId } from "../../domain/ledger/call.ts";
import {
  type CallScope,
  type EndedCall,
  type LedgerStore,
  periodOf,
  type Reservation,
} from "../../domain/ledger/ledger.ts";
import { currency, formatAmount, type Micros } from "../../domain/ledger/money.ts";
import { holderLease } from "../../domain/ledger/paid-calls.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import { DomainError } from "../../errors.ts";
import { isActive, users } from "../accounts/tables.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readPage } from "../database/paging.ts";
import { withoutNulls } from "../database/rows.ts";
import { films } from "../films/table.ts";
import { isLeased } from "../leases/store.ts";
import { projects } from "../projects/tables.ts";
import { readFilmSpend } from "./film-spend.ts";
import { readSpend } from "./report.ts";
import { projectBudgets, spendDays, upstreamCalls } from "./table.ts";
import { addToTotals, readTotals, type Totals } from "./totals.ts";

type CallRow = typeof upstreamCalls.$inferSelect;

const { id, userId, state, job, holderId, outcome, createdAt } = upstreamCalls;
const order = { time: createdAt, id, timeOf: (row: CallRow) => row.createdAt };

export type LedgerOptions = {
  /** What one user may spend in a month. */
  readonly maxUserSpend?: Micros | undefined;
};

export const ledgerStore = (db: Database, { maxUserSpend }: LedgerOptions = {}): LedgerStore =>
  withDatabaseTimeout({
    reserve: (call) => db.transaction((transaction) => reserve(transaction, call, maxUserSpend)),

    isWanted: (scope) => isWanted(db, scope),

    async setJob(callId, providerJob) {
      await db.update(upstreamCalls).set({ job: providerJob }).where(eq(id, callId));
    },

    async resume({ userId: owner, provider }, providerJob, holder) {
      const isSame = and(eq(userId, owner), eq(job, providerJob), eq(upstreamCalls.provider, provider), mayHaveCost);
      const [row] = await db.update(upstreamCalls).set({ holderId: holder }).where(isSame).returning({ id });
      return row?.id;
    },

    async end(call) {
      for (;;) {
        const ended = await endOnce(db, call);
        if (ended !== "changed") return ended;
      }
    },

    async endAbandoned() {
      const rows = await db.select().from(upstreamCalls).where(isAbandoned(db)).limit(batchRows);
      for (const row of rows) await abandon(db, row);
      return rows.length;
    },

    filmSpend: (filmId) => readFilmSpend(db, filmId),

    async hasCalled(filmId, stepId, since) {
      const isOfStep = and(eq(upstreamCalls.filmId, filmId), eq(upstreamCalls.stepId, stepId));
      const isCall = and(isOfStep, gte(createdAt, since), sql`${state} <> 'released'`);
      return (await db.$count(upstreamCalls, isCall)) > 0;
    },

    async list(owner, page) {
      const found = await readPage(order, page, (afterCursor: SQL | undefined) =>
        db
          .select()
          .from(upstreamCalls)
          .where(and(eq(userId, owner), isNotNull(outcome), afterCursor)),
      );
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

/** A job that was paid for before its process died is not booked again. */
const mayHaveCost = ne(state, "released");

/** A call whose process no longer renews its lease. */
function isAbandoned(db: Database): SQL | undefined {
  const holder = sql`${holderLease("")} || ${holderId}`;
  return and(eq(state, "reserved"), sql`not ${isLeased(db, holder)}`);
}

const addTo = (
  transaction: Database,
  row: Pick<CallRow, "userId" | "projectId" | "filmId" | "createdAt">,
  delta: Parameters<typeof addToTotals>[3],
) => addToTotals(transaction, withoutNulls(row), row.createdAt, delta);

async function reserve(transaction: Database, call: Reservation, maxUserSpend: Micros | undefined): Promise<void> {
  const { estimate = 0n, allowUnpriced = false, filmAttempt: _, ...row } = call;
  const totals = await addToTotals(transaction, call, call.createdAt, { reserved: estimate });
  const known = call.estimate === undefined ? {} : { estimate: Number(estimate) };
  await transaction.insert(upstreamCalls).values({ ...row, ...known, state: "reserved" });
  const limits = await limitsOf(transaction, call, maxUserSpend);
  if (limits.length > 0 && call.estimate === undefined && !allowUnpriced) {
    throw new DomainError("price_unknown", { model: call.model });
  }
  for (const limit of limits) requireRoom(limit, totals, estimate);
}

async function isWanted(db: Database, { userId: owner, projectId }: CallScope): Promise<boolean> {
  if (projectId !== undefined) return (await ownProject(db, owner, projectId)).length > 0;
  return (await db.$count(users, and(eq(users.id, owner), isActive))) > 0;
}

/** Nothing if it is removed, or the account. */
const ownProject = (db: Database, owner: string, projectId: string) =>
  db
    .select({ id: projects.id })
    .from(projects)
    .innerJoin(users, and(eq(users.id, projects.userId), isActive))
    .where(and(eq(projects.id, projectId), eq(projects.userId, owner)));

type Limit = { readonly scope: BudgetScope; readonly period: string; readonly limit: Micros };

async function limitsOf(
  transaction: Database,
  { userId: owner, projectId, filmId, filmAttempt, createdAt: now }: Reservation,
  maxUserSpend: Micros | undefined,
): Promise<readonly Limit[]> {
  const limits: Limit[] = [];
  if (maxUserSpend !== undefined) limits.push({ scope: "user", period: periodOf("month", now), limit: maxUserSpend });
  if (filmId !== undefined) {
    const { maxSpend, attempt } = films;
    // shared: no other attempt begins before this transaction ends
    const [film] = await transaction.select({ maxSpend, attempt }).from(films).where(eq(films.id, filmId)).for("share");
    if (filmAttempt !== undefined && film?.attempt !== filmAttempt) throw inProgressError();
    if (film && film.maxSpend !== null) limits.push({ scope: "film", period: "total", limit: BigInt(film.maxSpend) });
  }
  if (projectId === undefined) return limits;
  // shared: a removal either refuses the call here, or finds its lease
  requireFound((await ownProject(transaction, owner, projectId).for("share", { of: projects }))[0]);
  const [budget] = await transaction.select().from(projectBudgets).where(eq(projectBudgets.projectId, projectId));
  if (budget) {
    limits.push({ scope: "project", period: periodOf(budget.period, now), limit: BigInt(budget.maxSpend) });
  }
  return limits;
}

/** Throws budget_exceeded if the sums, which hold the estimate already, pass the limit. */
function requireRoom({ scope, period, limit }: Limit, totals: readonly Totals[], estimate: Micros): void {
  const sums = totals.find((each) => each.scope === scope && each.period === period);
  if (!sums) return;
  const { spent, unknown, reserved } = sums;
  if (spent + unknown + reserved <= limit) return;
  throw new DomainError("budget_exceeded", {
    budget: {
      scope,
      limit: formatAmount(limit),
      spent: formatAmount(spent + unknown),
      reserved: formatAmount(reserved - estimate),
      estimate: formatAmount(estimate),
      currency,
    },
  });
}

/** Does nothing if the call has changed meanwhile, or its process lives after all. */
async function abandon(db: Database, row: CallRow): Promise<void> {
  const estimate = BigInt(row.estimate ?? 0);
  const moved = db.transaction(async (transaction) => {
    await addTo(transaction, row, { reserved: -estimate, unknown: estimate });
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

/** As `LedgerStore.end`; "changed" if the call has changed meanwhile. The sums are locked before the call, as where it begins. */
async function endOnce(
  db: Database,
  { id: callId, cost, ...ended }: EndedCall,
): Promise<ModelId | "changed" | undefined> {
  const [found] = await db.select().from(upstreamCalls).where(eq(id, callId));
  if (!found || !["reserved", "unknown"].includes(found.state)) return undefined;
  const estimate = BigInt(found.estimate ?? 0);
  const freed = found.state === "reserved" ? { reserved: -estimate } : { unknown: -estimate };
  const booked = ended.state === "unknown" ? { unknown: (freed.unknown ?? 0n) + estimate } : {};
  try {
    await db.transaction(async (transaction) => {
      await addTo(transaction, found, { ...freed, ...booked, spent: cost });
      const changed = await transaction
        .update(upstreamCalls)
        .set({ ...ended, cost: Number(cost) })
        .where(isUnchanged(found))
        .returning({ id });
      if (changed.length === 0) throw new ChangedMeanwhile();
    });
    return { provider: found.provider, model: found.model };
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return "changed";
    throw error;
  }
}

const isUnchanged = (found: CallRow) =>
  and(
    eq(id, found.id),
    eq(state, found.state),
    sql`${upstreamCalls.filmId} is not distinct from ${found.filmId}`,
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
    .limit(batchRows)
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
