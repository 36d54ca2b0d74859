import { and, eq, getTableColumns, gt, isNull, or, sql } from "drizzle-orm";
import type { ApiTokenStore } from "../../domain/accounts/api-tokens.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readRows } from "../database/paging.ts";
import { lockUser, requireRowLeft } from "../database/storage-usage.ts";
import { apiTokens, isActive, users } from "../tables/accounts.ts";
import { userColumns } from "./users.ts";

const { id, userId, hash } = apiTokens;

export function apiTokenStore(db: Database): ApiTokenStore {
  const byHash = db
    .select({ token: getTableColumns(apiTokens), user: userColumns })
    .from(apiTokens)
    .innerJoin(users, and(eq(users.id, userId), isActive))
    .where(eq(hash, sql.placeholder("hash")))
    .prepare("find_api_token");

  return withDatabaseTimeout({
    list: (owner, page) => readRows(db, apiTokens, eq(userId, owner), page),
    add: (token) =>
      db.transaction(async (transaction) => {
        await lockUser(transaction, token.userId);
        const isUsable = or(isNull(apiTokens.expiresAt), gt(apiTokens.expiresAt, token.createdAt));
        await requireRowLeft(transaction, "tokens", apiTokens, and(eq(userId, token.userId), isUsable));
        await transaction.insert(apiTokens).values(token);
      }),
    async findByHash(tokenHash) {
      const [found] = await byHash.execute({ hash: tokenHash });
      if (!found) return undefined;
      const { rendersInto, ...token } = found.token;
      return { user: found.user, token: { ...token, ...(rendersInto !== null && { rendersInto }) } };
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
}
