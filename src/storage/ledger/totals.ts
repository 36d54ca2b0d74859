import { and, eq, sql } from "drizzle-orm";
import type { BudgetScope } from "../../domain/ledger/budgets.ts";
import { type CallScope, monthOf } from "../../domain/ledger/ledger.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import type { Database } from "../database/database.ts";
import { spendTotals } from "../tables/ledger.ts";

type TotalKey = { readonly scope: BudgetScope; readonly scopeId: string; readonly period: string };

export type Totals = TotalKey & { readonly spent: Micros; readonly reserved: Micros; readonly unknown: Micros };

/** The amounts that a change adds to each sum. */
type Delta = { readonly spent?: Micros; readonly reserved?: Micros; readonly unknown?: Micros };

/** The sums of a call, in the order in which all transactions lock them. */
function totalsOf({ userId, projectId, batchId, filmId }: CallScope, createdAt: number): readonly TotalKey[] {
  const month = monthOf(createdAt);
  return [
    { scope: "user", scopeId: userId, period: month },
    ...(projectId === undefined
      ? []
      : [
          { scope: "project" as const, scopeId: projectId, period: month },
          { scope: "project" as const, scopeId: projectId, period: "total" },
        ]),
    ...(batchId === undefined ? [] : [{ scope: "batch" as const, scopeId: batchId, period: "total" }]),
    ...(filmId === undefined ? [] : [{ scope: "film" as const, scopeId: filmId, period: "total" }]),
  ];
}

type CallDelta = { readonly scope: CallScope; readonly createdAt: number; readonly delta: Delta };

/** Adds to the sums of calls, which stay locked until the transaction ends, and returns them. */
export async function addAllToTotals(transaction: Database, calls: readonly CallDelta[]): Promise<readonly Totals[]> {
  const values = addedRows(calls);
  return values.length === 0 ? [] : (await upsert(transaction, values)).map(toTotals);
}

/** Like `addAllToTotals`, for one call, as a statement to run with others or alone. */
export const addingToTotals = (transaction: Pick<Database, "insert">, { scope, createdAt, delta }: CallDelta) =>
  upsert(transaction, addedRows([{ scope, createdAt, delta }]));

function addedRows(calls: readonly CallDelta[]): (typeof spendTotals.$inferInsert)[] {
  const added = new Map<string, typeof spendTotals.$inferInsert>();
  for (const { scope, createdAt, delta } of calls) {
    const { spent = 0n, reserved = 0n, unknown = 0n } = delta;
    for (const key of totalsOf(scope, createdAt)) {
      const name = [scopes.indexOf(key.scope), key.scopeId, key.period].join(" ");
      const before = added.get(name) ?? { ...key, userId: scope.userId, spent: 0, reserved: 0, unknown: 0 };
      added.set(name, {
        ...before,
        spent: before.spent + Number(spent),
        reserved: before.reserved + Number(reserved),
        unknown: before.unknown + Number(unknown),
      });
    }
  }
  return [...added].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

const upsert = (transaction: Pick<Database, "insert">, values: (typeof spendTotals.$inferInsert)[]) =>
  transaction
    .insert(spendTotals)
    .values(values)
    .onConflictDoUpdate({
      target: [spendTotals.scope, spendTotals.scopeId, spendTotals.period],
      set: {
        spent: sql`${spendTotals.spent} + excluded.spent`,
        reserved: sql`${spendTotals.reserved} + excluded.reserved`,
        unknown: sql`${spendTotals.unknown} + excluded.unknown`,
      },
    })
    .returning();

/** The order in which transactions lock sums. */
const scopes: readonly BudgetScope[] = ["user", "project", "batch", "film"];

export async function readTotals(db: Database, key: TotalKey): Promise<Totals> {
  const isKey = and(
    eq(spendTotals.scope, key.scope),
    eq(spendTotals.scopeId, key.scopeId),
    eq(spendTotals.period, key.period),
  );
  const [row] = await db.select().from(spendTotals).where(isKey);
  return row ? toTotals(row) : { ...key, spent: 0n, reserved: 0n, unknown: 0n };
}

/** The amount that counts against the budget of a film or a batch. */
export async function readCommitted(db: Database, of: Pick<TotalKey, "scope" | "scopeId">): Promise<Micros> {
  const { spent, reserved, unknown } = await readTotals(db, { ...of, period: "total" });
  return spent + reserved + unknown;
}

export const toTotals = ({
  scope,
  scopeId,
  period,
  spent,
  reserved,
  unknown,
}: Omit<typeof spendTotals.$inferSelect, "userId">): Totals => ({
  ...{ scope, scopeId, period },
  spent: BigInt(spent),
  reserved: BigInt(reserved),
  unknown: BigInt(unknown),
});
