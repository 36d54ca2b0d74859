import { and, eq, type SQL } from "drizzle-orm";
import type { ApiToken, ApiTokenStore } from "../../domain/auth/api-tokens.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readPage } from "../database/paging.ts";
import { apiTokens } from "../database/tables/auth.ts";

const { id, userId, hash, createdAt } = apiTokens;
const order = { time: createdAt, id, timeOf: (token: ApiToken) => token.createdAt };

export const apiTokenStore = (db: Database): ApiTokenStore =>
  withDatabaseTimeout({
    list(owner, page) {
      const select = (afterCursor: SQL | undefined) =>
        db
          .select()
          .from(apiTokens)
          .where(and(eq(userId, owner), afterCursor));
      return readPage(order, page, select);
    },
    async add(token) {
      await db.insert(apiTokens).values(token);
    },
    async findByHash(tokenHash) {
      const [found] = await db.select().from(apiTokens).where(eq(hash, tokenHash));
      return found;
    },
    async markUsed(tokenId, usedAt) {
      await db.update(apiTokens).set({ lastUsedAt: usedAt }).where(eq(id, tokenId));
    },
    async remove(owner, tokenId) {
      const removed = await db
        .delete(apiTokens)
        .where(and(eq(userId, owner), eq(id, tokenId)))
        .returning({ id });
      return removed.length > 0;
    },
  });
