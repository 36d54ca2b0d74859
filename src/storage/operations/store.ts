import { and, eq, gt, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { type Operation, type OperationStore, operationLease } from "../../domain/operations/operations.ts";
import { databaseNow } from "../database/clock.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { deleteSome } from "../database/rows.ts";
import { lockUser } from "../database/storage-usage.ts";
import { endLeases, isLeased } from "../leases/store.ts";
import { leasedByName } from "../tables/leases.ts";
import { operations } from "../tables/operations.ts";

const { id, userId, status, leasedUntil, expiresAt } = operations;
type OperationRow = typeof operations.$inferSelect;

/** Operations of the previous release have their own leases. */
const isLeasedByColumn = and(gt(leasedUntil, databaseNow), lt(leasedUntil, leasedByName));

export const operationStore = (db: Database): OperationStore => {
  const isHeld = sql<boolean>`${or(isLeasedByColumn, isLeased(db, sql`${operationLease("")}::text || ${id}`))}`;
  const isRunning = and(isNull(status), isHeld);
  return withDatabaseTimeout({
    add: ({ scopes, ...operation }, maxRunning) =>
      db.transaction(async (transaction) => {
        // requests of one user take turns here, so that each sees the others' operations
        await lockUser(transaction, operation.userId);
        const running = await transaction.$count(operations, and(eq(userId, operation.userId), isRunning));
        if (running >= maxRunning) return false;
        await transaction.insert(operations).values({ ...operation, scopes: [...scopes], leasedUntil: leasedByName });
        return true;
      }),

    async end(operationId, response, endedAt) {
      await db
        .update(operations)
        .set({ ...response, endedAt })
        .where(eq(id, operationId));
    },

    async find(user, operationId) {
      const [row] = await db
        .select({ operation: operations, isHeld })
        .from(operations)
        .where(and(eq(userId, user), eq(id, operationId)));
      return row && toOperation(row.operation, row.isHeld);
    },

    async remove(user, operationId) {
      return (await removeOperations(db, and(eq(userId, user), eq(id, operationId)))) > 0;
    },

    removeExpired: (now) => deleteSome(db, operations, lte(expiresAt, now), { order: expiresAt }),
  });
};

/** Also ends their leases, which stops the processes that run them. */
export async function removeOperations(db: Database, where: SQL | undefined): Promise<number> {
  const removed = await db.delete(operations).where(where).returning({ id });
  if (removed.length > 0)
    await endLeases(
      db,
      removed.map(({ id }) => operationLease(id)),
    );
  return removed.length;
}

function toOperation({ status, body, cost, warnings, endedAt, ...row }: OperationRow, isHeld: boolean): Operation {
  const { id, userId, scopes, createdAt } = row;
  const operation = { id, userId, scopes, createdAt };
  if (status === null) return { ...operation, state: isHeld ? "running" : "interrupted" };
  const response = { status, body: body ?? "null", ...(cost !== null && { cost }), ...(warnings && { warnings }) };
  return { ...operation, state: "ended", response, ...(endedAt && { endedAt }) };
}
