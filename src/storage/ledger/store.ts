import { and, eq, exists, gte, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
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
import { batches } from "../batches/tables.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readPage } from "../database/paging.ts";
import { withoutNulls } from "../database/rows.ts";
import { filmSteps, films } from "../films/table.ts";
import { isLeased } from "../leases/store.ts";
import { projects } from "../projects/tables.ts";
import { readFilmSpend, readSpendOf } from "./film-spend.ts";
import { readSpend } from "./report.ts";
import { projectBudgets, spendDays, upstreamCalls } from "./table.ts";
import { addingToTotals, readTotals, type Totals, toTotals } from "./totals.ts";

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
      const rows = await db.select().from(upstreamCalls).where(isAbandoned(db)).limit(batchRows);
      for (const row of rows) await abandon(db, row);
      return rows.length;
    },

    filmSpend: (filmId) => readFilmSpend(db, filmId),
    spendOf: (of, ids) => readSpendOf(db, of, ids),

    async hasCalled(ofId, stepId, since) {
      const isOf = or(eq(upstreamCalls.filmId, ofId), eq(upstreamCalls.batchId, ofId));
      const isOfStep = and(isOf, eq(upstreamCalls.stepId, stepId));
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

/** What is known of a call without reading it: that of one that has just begun, too. */
type KnownCall = Pick<CallRow, "id" | "userId" | "projectId" | "batchId" | "filmId" | "provider" | "model"> &
  Pick<CallRow, "state" | "estimate" | "createdAt">;

const adding = (
  transaction: Pick<Database, "insert">,
  row: KnownCall,
  delta: Parameters<typeof addingToTotals>[1]["delta"],
) => addingToTotals(transaction, { scope: withoutNulls(row), createdAt: row.createdAt, delta });

async function reserve(transaction: Database, call: Reservation, maxUserSpend: Micros | undefined): Promise<void> {
  const { estimate = 0n, allowUnpriced = false, filmAttempt: _, checkpoints: __, ...row } = call;
  const known = call.estimate === undefined ? {} : { estimate: Number(estimate) };
  const values = { ...row, ...known, state: "reserved" as const };
  const begun = transaction.$with("begun").as(transaction.insert(upstreamCalls).values(values).returning({ id }));
  const sums = addingToTotals(transaction.with(begun), {
    scope: call,
    createdAt: call.createdAt,
    delta: { reserved: estimate },
  });
  const totals = (await sums).map(toTotals);
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
  call: Reservation,
  maxUserSpend: Micros | undefined,
): Promise<readonly Limit[]> {
  const { projectId, filmId, filmAttempt, createdAt: now } = call;
  const limits: Limit[] = [];
  if (maxUserSpend !== undefined) limits.push({ scope: "user", period: periodOf("month", now), limit: maxUserSpend });
  if (call.batchId !== undefined) {
    const { maxSpend } = batches;
    const [batch] = await transaction.select({ maxSpend }).from(batches).where(eq(batches.id, call.batchId));
    if (batch && batch.maxSpend !== null) {
      limits.push({ scope: "batch", period: "total", limit: BigInt(batch.maxSpend) });
    }
  }
  if (projectId === undefined) return limits;
  const locked = filmId === undefined ? lockProject(transaction, call, projectId) : lockFilm(transaction, call, filmId);
  const { film, budget } = requireFound((await locked)[0]);
  if (film && filmAttempt !== undefined && film.attempt !== filmAttempt) throw inProgressError();
  if (film && film.maxSpend !== null) limits.push({ scope: "film", period: "total", limit: BigInt(film.maxSpend) });
  if (budget) {
    limits.push({ scope: "project", period: periodOf(budget.period, now), limit: BigInt(budget.maxSpend) });
  }
  return limits;
}

const budget = { maxSpend: projectBudgets.maxSpend, period: projectBudgets.period };

/** Shared: a removal either refuses the call here, or finds its lease. */
const lockProject = (transaction: Database, { userId: owner }: Reservation, projectId: string) =>
  transaction
    .select({ budget, film: sql<null>`null` })
    .from(projects)
    .innerJoin(users, and(eq(users.id, projects.userId), isActive))
    .leftJoin(projectBudgets, eq(projectBudgets.projectId, projects.id))
    .where(and(eq(projects.id, projectId), eq(projects.userId, owner)))
    .for("share", { of: projects });

/** The film, too: no other attempt begins before this transaction ends. The step is stored as started. */
function lockFilm(transaction: Database, { userId: owner, stepId = "", checkpoints }: Reservation, filmId: string) {
  const isStep = and(eq(filmSteps.filmId, filmId), eq(filmSteps.id, stepId));
  const start = (reached: NonNullable<typeof checkpoints>) =>
    transaction.update(filmSteps).set({ checkpoints: reached }).where(isStep).returning({ id: filmSteps.id });
  const started = checkpoints ? [transaction.$with("started").as(start(checkpoints))] : [];
  return transaction
    .with(...started)
    .select({ budget, film: { maxSpend: films.maxSpend, attempt: films.attempt } })
    .from(films)
    .innerJoin(projects, and(eq(projects.id, films.projectId), eq(projects.userId, owner)))
    .innerJoin(users, and(eq(users.id, projects.userId), isActive))
    .leftJoin(projectBudgets, eq(projectBudgets.projectId, projects.id))
    .where(eq(films.id, filmId))
    .for("share", { of: [films, projects] });
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

/** As `LedgerStore.end`; "changed" if the call has changed meanwhile. The sums are locked before the call, as where it begins. */
async function endOnce(
  db: Database,
  { id: callId, cost, begun, ...ended }: EndedCall,
): Promise<ModelId | "changed" | undefined> {
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
    return { provider: found.provider, model: found.model };
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return "changed";
    throw error;
  }
}

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
