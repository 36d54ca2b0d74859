import { and, eq, sql } from "drizzle-orm";
import { inProgressError } from "../../domain/idempotency/checkpoints.ts";
import type { BudgetScope } from "../../domain/ledger/budgets.ts";
import { periodOf, type Reservation } from "../../domain/ledger/ledger.ts";
import { currency, formatAmount, type Micros } from "../../domain/ledger/money.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import { DomainError } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import { withMissingEntries } from "../database/json-entries.ts";
import { isActive, users } from "../tables/accounts.ts";
import { batches } from "../tables/batches.ts";
import { filmSteps, films } from "../tables/films.ts";
import { projectBudgets, upstreamCalls } from "../tables/ledger.ts";
import { projects } from "../tables/projects.ts";
import { addingToTotals, type Totals, toTotals } from "./totals.ts";

type Limit = { readonly scope: BudgetScope; readonly period: string; readonly limit: Micros };

/** Implements `LedgerStore.reserve` in one statement, whose transaction is rolled back if a budget has no room. */
export async function reserve(
  transaction: Database,
  call: Reservation,
  maxUserSpend: Micros | undefined,
): Promise<void> {
  const { estimate, createdAt: now, filmAttempt, allowUnpriced = false } = call;
  const { sums, maxSpend, period, filmMaxSpend, batchMaxSpend, attempt } = requireFound(await begin(transaction, call));
  if (filmAttempt !== undefined && attempt !== null && attempt !== filmAttempt) throw inProgressError();
  const limitOf = (scope: BudgetScope, limit: number | Micros | null | undefined, of = "total"): readonly Limit[] =>
    limit === null || limit === undefined ? [] : [{ scope, period: of, limit: BigInt(limit) }];
  const limits = [
    ...limitOf("user", maxUserSpend, periodOf("month", now)),
    ...limitOf("batch", batchMaxSpend),
    ...limitOf("film", filmMaxSpend),
    ...limitOf("project", maxSpend, period ? periodOf(period, now) : undefined),
  ];
  if (limits.length > 0 && estimate === undefined && !allowUnpriced) {
    throw new DomainError("price_unknown", { model: call.model });
  }
  for (const limit of limits) requireRoom(limit, sums.map(toTotals), estimate ?? 0n);
}

/**
 * Stores the call, its estimate in the sums, and its step as started. Undefined if the project does not exist. Locks
 * the sums first, as everywhere; then the project, shared, so that a removal either refuses the call here or finds its
 * lease; the film, so that no other attempt begins before the transaction ends; and its batch, whose budget may be
 * lowered meanwhile.
 */
async function begin(transaction: Database, call: Reservation) {
  const { userId, projectId, filmId, batchId, stepId = "" } = call;
  const { filmAttempt: _, allowUnpriced: __, checkpoints, estimate = 0n, ...row } = call;
  const known = call.estimate === undefined ? {} : { estimate: Number(estimate) };
  const values = { ...row, ...known, state: "reserved" as const };
  const insert = transaction.insert(upstreamCalls).values(values).returning({ id: upstreamCalls.id });
  const delta = { reserved: estimate };
  const added = transaction
    .$with("added")
    .as(addingToTotals(transaction, { scope: call, createdAt: call.createdAt, delta }));
  const { scope, scopeId, period: ofSum, spent, reserved, unknown } = added;
  const sum = sql`json_build_object('scope', ${scope}, 'scopeId', ${scopeId}, 'period', ${ofSum}, 'spent', ${spent},
    'reserved', ${reserved}, 'unknown', ${unknown})`;
  // a row that exists once all sums are locked
  const allSums = sql<Parameters<typeof toTotals>[0][]>`json_agg(${sum})`.as("sums");
  const locked = transaction.$with("locked").as(transaction.select({ sums: allSums }).from(added));
  const isStep = and(eq(filmSteps.filmId, filmId ?? ""), eq(filmSteps.id, stepId));
  const start = (reached: NonNullable<typeof checkpoints>) =>
    transaction
      .update(filmSteps)
      .set({ checkpoints: withMissingEntries(filmSteps.checkpoints, reached) })
      .where(isStep)
      .returning({ id: filmSteps.id });
  const selecting = transaction.with(
    transaction.$with("begun").as(insert),
    added,
    locked,
    ...(checkpoints ? [transaction.$with("started").as(start(checkpoints))] : []),
  );
  const nothing = sql<null>`null`;
  const none = { maxSpend: nothing, period: nothing, filmMaxSpend: nothing, batchMaxSpend: nothing, attempt: nothing };
  if (projectId === undefined) return (await selecting.select({ sums: locked.sums, ...none }).from(locked))[0];
  const isOfFilm = filmId !== undefined;
  const isOfBatch = batchId !== undefined;
  const owned = selecting
    .select({
      ...{ sums: locked.sums, ...none, maxSpend: projectBudgets.maxSpend, period: projectBudgets.period },
      ...(isOfFilm && { filmMaxSpend: films.maxSpend, attempt: films.attempt }),
      ...(isOfBatch && { batchMaxSpend: batches.maxSpend }),
    })
    .from(locked)
    .innerJoin(projects, and(eq(projects.id, projectId), eq(projects.userId, userId)))
    .innerJoin(users, and(eq(users.id, projects.userId), isActive))
    .leftJoin(projectBudgets, eq(projectBudgets.projectId, projects.id))
    .$dynamic();
  if (isOfFilm) owned.innerJoin(films, eq(films.id, filmId));
  if (isOfBatch) owned.innerJoin(batches, eq(batches.id, batchId));
  const held = [projects, ...(isOfFilm ? [films] : []), ...(isOfBatch ? [batches] : [])];
  return (await owned.for("share", { of: held }))[0];
}

/** Throws budget_exceeded if the sums, which include the estimate, exceed the limit. */
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
