import { and, eq, gt, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { RefreshToken, RefreshTokenStore } from "../../domain/auth/sessions.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { refreshTokens, tokenFamilies } from "../database/schema.ts";

const { hash, familyId, usedAt, expiresAt, createdAt } = refreshTokens;

const columns = { hash, familyId, userId: tokenFamilies.userId, expiresAt, createdAt };

const ofLiveFamily = and(eq(familyId, tokenFamilies.id), isNull(tokenFamilies.revokedAt));
const usable = (wanted: string, now: number) => and(eq(hash, wanted), gt(expiresAt, now), ofLiveFamily);

export const refreshTokenStore = (db: Database): RefreshTokenStore =>
  withDatabaseTimeout({
    add: (token) => db.transaction((transaction) => addToFamily(transaction, token)),

    async use(wanted, now) {
      const token = await claim(db, wanted, now);
      return token ? { token, use: "first" } : findUsed(db, wanted, now);
    },

    async revokeFamily(family, now) {
      await db.update(tokenFamilies).set({ revokedAt: now }).where(eq(tokenFamilies.id, family));
    },

    async revokeByHash(wanted, now) {
      const family = db.select({ familyId }).from(refreshTokens).where(eq(hash, wanted));
      await db.update(tokenFamilies).set({ revokedAt: now }).where(inArray(tokenFamilies.id, family));
    },

    async removeExpired(now) {
      await db.delete(refreshTokens).where(lte(expiresAt, now));
      await db.delete(tokenFamilies).where(lte(tokenFamilies.expiresAt, now));
    },
  });

async function addToFamily(transaction: Database, token: RefreshToken): Promise<void> {
  const { userId, ...row } = token;
  await transaction
    .insert(tokenFamilies)
    .values({ id: row.familyId, userId, expiresAt: row.expiresAt })
    .onConflictDoUpdate({
      target: tokenFamilies.id,
      set: { expiresAt: sql`greatest(${tokenFamilies.expiresAt}, excluded.expires_at)` },
    });
  await transaction.insert(refreshTokens).values(row);
}

/** The condition and the mark are one statement: of many racers one matches the row. */
async function claim(db: Database, wanted: string, now: number): Promise<RefreshToken | undefined> {
  const [claimed] = await db
    .update(refreshTokens)
    .set({ usedAt: now })
    .from(tokenFamilies)
    .where(and(usable(wanted, now), isNull(usedAt)))
    .returning(columns);
  return claimed;
}

async function findUsed(db: Database, wanted: string, now: number) {
  const [found] = await db
    .select({ ...columns, firstUsedAt: usedAt })
    .from(refreshTokens)
    .innerJoin(tokenFamilies, ofLiveFamily)
    .where(and(usable(wanted, now), isNotNull(usedAt)));
  if (!found?.firstUsedAt) return undefined;
  const { firstUsedAt, ...token } = found;
  return { token, use: { firstUsedAt } };
}
