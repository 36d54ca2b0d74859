import { and, eq } from "drizzle-orm";
import type { ApiTokenStore } from "../domain/tokens.ts";
import { guarded } from "./availability.ts";
import type { Database } from "./database.ts";
import { limitOf, newestFirst, pageOf, pastCursor } from "./paging.ts";
import { apiTokens } from "./schema.ts";

const { id, userId, hash, createdAt } = apiTokens;
const order = { time: createdAt, id };

export const apiTokenStore = (db: Database): ApiTokenStore =>
  guarded({
    async list(owner, page) {
      const wanted = and(eq(userId, owner), pastCursor(order, page));
      const rows = await db
        .select()
        .from(apiTokens)
        .where(wanted)
        .orderBy(...newestFirst(order))
        .limit(limitOf(page));
      return pageOf(rows, page, (token) => ({ time: token.createdAt, id: token.id }));
    },
    async add(token) {
      await db.insert(apiTokens).values(token);
    },
    async findByHash(wanted) {
      const [found] = await db.select().from(apiTokens).where(eq(hash, wanted));
      return found;
    },
    async touch(tokenId, usedAt) {
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
