import { and, desc, eq, gt, gte, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { SessionDetails } from "../../domain/accounts/active-sessions.ts";
import type { RefreshToken, RefreshTokenStore } from "../../domain/accounts/sessions.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { deleteSome } from "../database/rows.ts";
import { rowLimits } from "../database/storage-usage.ts";
import { isActive, refreshTokens, sessionCookies, tokenFamilies, users } from "../tables/accounts.ts";

const { hash, familyId, usedAt, expiresAt, createdAt } = refreshTokens;

const columns = { hash, familyId, userId: tokenFamilies.userId, expiresAt, createdAt };

const ofActiveUser = sql`exists (select from ${users} where ${users.id} = ${tokenFamilies.userId} and ${isActive})`;
const inActiveFamily = and(eq(familyId, tokenFamilies.id), isNull(tokenFamilies.revokedAt), ofActiveUser);
const isUsable = (tokenHash: string, now: number) => and(eq(hash, tokenHash), gt(expiresAt, now), inActiveFamily);

export const refreshTokenStore = (db: Database): RefreshTokenStore =>
  withDatabaseTimeout({
    open: (session, token, verifiedHash) =>
      db.transaction(async (transaction) => {
        const isOpen = await openSession(transaction, session, verifiedHash);
        if (isOpen) await addToken(transaction, token);
        return isOpen;
      }),

    openForCookie: (session, cookieHash, verifiedHash) =>
      db.transaction(async (transaction) => {
        const isOpen = await openSession(transaction, session, verifiedHash);
        if (isOpen) await transaction.insert(sessionCookies).values({ hash: cookieHash, familyId: session.id });
        return isOpen;
      }),

    add: (token, familyExpiresAt, { since, most }) =>
      db.transaction(async (transaction) => {
        const isActive = and(eq(tokenFamilies.id, token.familyId), isNull(tokenFamilies.revokedAt));
        const [family] = await transaction
          .update(tokenFamilies)
          .set({
            expiresAt: sql`greatest(${tokenFamilies.expiresAt}, ${familyExpiresAt})`,
            lastUsedAt: token.createdAt,
          })
          .where(isActive)
          .returning({ id: tokenFamilies.id });
        if (!family) return false;
        // the update has locked the family, so no other token is added meanwhile
        const ofUse = and(eq(familyId, family.id), gte(createdAt, since));
        if ((await transaction.$count(refreshTokens, ofUse)) >= most) return false;
        await addToken(transaction, token);
        return true;
      }),

    async markUsed(tokenHash, now) {
      const token = await markFirstUse(db, tokenHash, now);
      return token ? { token, use: "first" } : findUsed(db, tokenHash, now);
    },

    async revokeFamily(family, now) {
      await db.update(tokenFamilies).set({ revokedAt: now }).where(eq(tokenFamilies.id, family));
    },

    async revokeByHash(tokenHash, now) {
      const family = db.select({ familyId }).from(refreshTokens).where(eq(hash, tokenHash));
      await db.update(tokenFamilies).set({ revokedAt: now }).where(inArray(tokenFamilies.id, family));
    },

    async removeExpired(now) {
      const families = lte(tokenFamilies.expiresAt, now);
      return Math.max(
        await deleteSome(db, refreshTokens, sql`${expiresAt} <= ${now} and ${usedAt} is not null`, {
          order: expiresAt,
        }),
        await deleteSome(db, tokenFamilies, families, { order: tokenFamilies.expiresAt }),
      );
    },
  });

async function openSession(transaction: Database, session: SessionDetails, verifiedHash: string): Promise<boolean> {
  // locked, so that a password change ends this session or prevents it
  const isVerified = and(eq(users.id, session.userId), eq(users.passwordHash, verifiedHash));
  const [user] = await transaction.select({ id: users.id }).from(users).where(isVerified).for("share");
  if (!user) return false;
  await transaction.insert(tokenFamilies).values(session);
  await endOldest(transaction, session.userId, session.createdAt);
  return true;
}

/** Ends the oldest sessions beyond the number that a user may have. */
async function endOldest(transaction: Database, userId: string, now: number): Promise<void> {
  const { id, createdAt, revokedAt, expiresAt } = tokenFamilies;
  const oldest = transaction
    .select({ id })
    .from(tokenFamilies)
    .where(and(eq(tokenFamilies.userId, userId), isNull(revokedAt), gt(expiresAt, now)))
    .orderBy(desc(createdAt), desc(id))
    .offset(rowLimits.sessions);
  await transaction.delete(tokenFamilies).where(inArray(id, oldest));
}

async function addToken(transaction: Database, { userId: _, ...row }: RefreshToken): Promise<void> {
  await transaction.insert(refreshTokens).values(row);
}

/** Checks and marks in one statement, so that only one of several concurrent calls matches the row. */
async function markFirstUse(db: Database, tokenHash: string, now: number): Promise<RefreshToken | undefined> {
  const [marked] = await db
    .update(refreshTokens)
    .set({ usedAt: now })
    .from(tokenFamilies)
    .where(and(isUsable(tokenHash, now), isNull(usedAt)))
    .returning(columns);
  return marked;
}

async function findUsed(db: Database, tokenHash: string, now: number) {
  const [found] = await db
    .select({ ...columns, firstUsedAt: usedAt })
    .from(refreshTokens)
    .innerJoin(tokenFamilies, inActiveFamily)
    .where(and(isUsable(tokenHash, now), isNotNull(usedAt)));
  if (!found?.firstUsedAt) return undefined;
  const { firstUsedAt, ...token } = found;
  return { token, use: { firstUsedAt } };
}
