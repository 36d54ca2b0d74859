import { and, asc, eq, isNotNull, or, sql } from "drizzle-orm";
import type { BudgetScope } from "../../domain/ledger/budgets.ts";
import { type CallScope, periodOf } from "../../domain/ledger/ledger.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import type { Database } from "../database/database.ts";
import { batches } from "../tables/batches.ts";
import { films, isUnfinished } from "../tables/films.ts";
import { projectBudgets } from "../tables/ledger.ts";
import { readTotals } from "./totals.ts";

type RoomQuery = {
  readonly now: number;
  readonly freed?: CallScope | undefined;
  readonly maxUserSpend?: Micros | undefined;
};

/** Implements `LedgerStore.filmsWithRoom`. Mostly one statement, which finds none in the index of unfinished films. */
export async function filmsWithRoom(db: Database, { now, freed, maxUserSpend }: RoomQuery) {
  const waiting = await waitingFilms(db, freed);
  const rooms = new Map<string, Micros>();
  const found = [];
  for (const film of waiting) {
    const { scope, amount } = film.budgetWait!; // safe because the query asks for it
    const scopeId = { user: film.userId, project: film.projectId, batch: film.batchId ?? "", film: film.id }[scope];
    const key = `${scope}/${scopeId}`;
    const readRoom = async () => roomIn(db, { scope, scopeId }, await limitOf(db, scope, film, maxUserSpend), now);
    const room = rooms.get(key) ?? (await readRoom());
    const rest = room - BigInt(amount);
    rooms.set(key, rest < 0n ? room : rest);
    if (rest >= 0n) found.push({ id: film.id, projectId: film.projectId });
  }
  return found;
}

const waitsFor = (scope: BudgetScope) => sql`${films.budgetWait}->>'scope' = ${scope}`;

function waitingFilms(db: Database, freed: CallScope | undefined) {
  const { id, userId, projectId, batchId, maxSpend, budgetWait, createdAt } = films;
  const isOf = freed && [
    and(waitsFor("user"), eq(userId, freed.userId)),
    ...(freed.projectId === undefined ? [] : [and(waitsFor("project"), eq(projectId, freed.projectId))]),
    ...(freed.batchId === undefined ? [] : [and(waitsFor("batch"), eq(batchId, freed.batchId))]),
    ...(freed.filmId === undefined ? [] : [and(waitsFor("film"), eq(id, freed.filmId))]),
  ];
  return db
    .select({ id, userId, projectId, batchId, maxSpend, budgetWait })
    .from(films)
    .where(
      and(
        isUnfinished,
        eq(films.status, "waiting"),
        eq(films.waitingFor, "budget"),
        isNotNull(budgetWait),
        isOf && or(...isOf),
      ),
    )
    .orderBy(asc(createdAt), asc(id));
}

type Limit = { readonly amount: number | Micros; readonly period?: "month" | "total" };

/** Undefined if the limit no longer exists. */
async function limitOf(
  db: Database,
  scope: BudgetScope,
  { projectId, batchId, maxSpend }: Pick<typeof films.$inferSelect, "projectId" | "batchId" | "maxSpend">,
  maxUserSpend: Micros | undefined,
): Promise<Limit | undefined> {
  if (scope === "user") return maxUserSpend === undefined ? undefined : { amount: maxUserSpend, period: "month" };
  if (scope === "film") return maxSpend === null ? undefined : { amount: maxSpend };
  if (scope === "batch") {
    const [batch] = await db
      .select({ maxSpend: batches.maxSpend })
      .from(batches)
      .where(eq(batches.id, batchId ?? ""));
    return batch?.maxSpend == null ? undefined : { amount: batch.maxSpend };
  }
  const [budget] = await db.select().from(projectBudgets).where(eq(projectBudgets.projectId, projectId));
  return budget && { amount: budget.maxSpend, period: budget.period };
}

/** More than any budget. */
const unlimited: Micros = 10n ** 18n;

async function roomIn(
  db: Database,
  of: { readonly scope: BudgetScope; readonly scopeId: string },
  limit: Limit | undefined,
  now: number,
): Promise<Micros> {
  if (!limit) return unlimited;
  const { amount, period = "total" } = limit;
  const { spent, reserved, unknown } = await readTotals(db, { ...of, period: periodOf(period, now) });
  return BigInt(amount) - spent - reserved - unknown;
}
