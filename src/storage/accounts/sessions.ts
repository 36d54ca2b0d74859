import { and, eq, gt, isNull, lt, type SQL } from "drizzle-orm";
import type { Session } from "../../domain/accounts/access-tokens.ts";
import type { SessionDetails, SessionStore } from "../../domain/accounts/active-sessions.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readPage } from "../database/paging.ts";
import { sessionCookies, tokenFamilies } from "../tables/accounts.ts";

const { id, userId, userAgent, createdAt, lastUsedAt, revokedAt, expiresAt } = tokenFamilies;
const columns = { id, userId, userAgent, createdAt, lastUsedAt, expiresAt };
const order = { time: createdAt, id, timeOf: (session: SessionDetails) => session.createdAt };

const isActiveOf = (owner: string, now: number) => and(eq(userId, owner), isNull(revokedAt), gt(expiresAt, now));
const isActive = (session: Session, now: number) => and(eq(id, session.sessionId), isActiveOf(session.userId, now));

export const sessionStore = (db: Database): SessionStore =>
  withDatabaseTimeout({
    list: (owner, now, page) =>
      readPage(order, page, (afterCursor) =>
        db
          .select(columns)
          .from(tokenFamilies)
          .where(and(isActiveOf(owner, now), afterCursor)),
      ),
    async find(session, now) {
      const [found] = await db.select(columns).from(tokenFamilies).where(isActive(session, now));
      return found;
    },
    async findByCookie(hash, now) {
      const isOfCookie = and(eq(sessionCookies.hash, hash), isNull(revokedAt), gt(expiresAt, now));
      const [found] = await db
        .select({ sessionId: id, userId })
        .from(tokenFamilies)
        .innerJoin(sessionCookies, eq(sessionCookies.familyId, id))
        .where(isOfCookie);
      return found;
    },
    async markUsed(sessionId, usedAt) {
      await db
        .update(tokenFamilies)
        .set({ lastUsedAt: usedAt })
        .where(and(eq(id, sessionId), lt(lastUsedAt, usedAt)));
    },
    async end(session, now) {
      const ended = await db
        .update(tokenFamilies)
        .set({ revokedAt: now })
        .where(isActive(session, now))
        .returning({ id });
      return ended.length > 0;
    },
    endAll: (owner, now) => endSessions(db, owner, now),
  });

/** Ends a user's sessions, or those that meet the condition. */
export async function endSessions(db: Database, owner: string, now: number, condition?: SQL): Promise<void> {
  await db
    .update(tokenFamilies)
    .set({ revokedAt: now })
    .where(and(eq(userId, owner), isNull(revokedAt), condition));
}
