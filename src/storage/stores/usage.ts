import { and, eq, lte, type SQL } from "drizzle-orm";
import type { UsageStore } from "../../domain/ai/provider-calls.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readPage } from "../database/paging.ts";
import { deleteBatch, withoutNulls } from "../database/rows.ts";
import { upstreamCalls } from "../database/tables/ai.ts";

const { id, userId, createdAt } = upstreamCalls;
const order = { time: createdAt, id, timeOf: (row: typeof upstreamCalls.$inferSelect) => row.createdAt };

export const usageStore = (db: Database): UsageStore =>
  withDatabaseTimeout({
    async add(call) {
      await db.insert(upstreamCalls).values(call);
    },
    async list(owner, page) {
      const found = await readPage(order, page, (afterCursor: SQL | undefined) =>
        db
          .select()
          .from(upstreamCalls)
          .where(and(eq(userId, owner), afterCursor)),
      );
      return { ...found, items: found.items.map(withoutNulls) };
    },
    removeBefore: (time) => deleteBatch(db, upstreamCalls, lte(createdAt, time), { order: createdAt }),
  });
