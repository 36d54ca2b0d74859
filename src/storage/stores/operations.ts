import { and, eq, gt, isNull, lte, sql } from "drizzle-orm";
import type { Operation, OperationStore } from "../../domain/operations/operations.ts";
import { databaseNow, databaseNowPlus } from "../database/clock.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { deleteBatch } from "../database/rows.ts";
import { lockUser } from "../database/storage-usage.ts";
import { operations } from "../database/tables/operations.ts";

const { id, userId, status, leasedUntil, expiresAt } = operations;
type OperationRow = typeof operations.$inferSelect;

const isLeased = gt(leasedUntil, databaseNow);
const isRunning = and(isNull(status), isLeased);

export const operationStore = (db: Database): OperationStore =>
  withDatabaseTimeout({
    add: ({ scopes, ...operation }, { leaseMs, maxRunning }) =>
      db.transaction(async (transaction) => {
        // one user's requests take turns here, so that each sees the operations of the others
        await lockUser(transaction, operation.userId);
        const running = await transaction.$count(operations, and(eq(userId, operation.userId), isRunning));
        if (running >= maxRunning) return false;
        await transaction
          .insert(operations)
          .values({ ...operation, scopes: [...scopes], leasedUntil: databaseNowPlus(leaseMs) });
        return true;
      }),

    async renew(operationId, leaseMs) {
      const lease = { leasedUntil: databaseNowPlus(leaseMs) };
      const renewed = await db.update(operations).set(lease).where(eq(id, operationId)).returning({ id });
      return renewed.length > 0;
    },

    async end(operationId, response, endedAt) {
      await db
        .update(operations)
        .set({ ...response, endedAt })
        .where(eq(id, operationId));
    },

    async find(user, operationId) {
      const [row] = await db
        .select({ operation: operations, isLeased: sql<boolean>`${isLeased}` })
        .from(operations)
        .where(and(eq(userId, user), eq(id, operationId)));
      return row && toOperation(row.operation, row.isLeased);
    },

    async remove(user, operationId) {
      const removed = await db
        .delete(operations)
        .where(and(eq(userId, user), eq(id, operationId)))
        .returning({ id });
      return removed.length > 0;
    },

    async interruptAll() {
      await db.update(operations).set({ leasedUntil: 0 }).where(isNull(status));
    },

    removeExpired: (now) => deleteBatch(db, operations, lte(expiresAt, now), { order: expiresAt }),
  });

function toOperation({ status, body, endedAt, ...row }: OperationRow, isLeased: boolean): Operation {
  const { id, userId, scopes, createdAt } = row;
  const operation = { id, userId, scopes, createdAt };
  if (status === null) return { ...operation, state: isLeased ? "running" : "interrupted" };
  return { ...operation, state: "ended", response: { status, body: body ?? "null" }, ...(endedAt && { endedAt }) };
}
