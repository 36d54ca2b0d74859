import { and, eq, isNull, ne, sql } from "drizzle-orm";
import type { UserStore } from "../../domain/accounts/users.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { isActive, tokenFamilies, users } from "../tables/accounts.ts";
import { endSessions } from "./sessions.ts";

const { id, name, passwordHash, createdAt, updatedAt } = users;
/** Null only in removed accounts, which no query finds. */
const email = sql<string>`${users.email}`;
export const userColumns = { id, email, name, createdAt, updatedAt };

/** Joins the session of the parameters `userId` and `sessionId` to its user. */
export const isActiveSession = and(
  eq(tokenFamilies.id, sql.placeholder("sessionId")),
  eq(tokenFamilies.userId, id),
  isNull(tokenFamilies.revokedAt),
);
export const isUser = and(eq(id, sql.placeholder("userId")), isActive);

/** `markOf` turns a network into the mark that is stored. */
export function userStore(db: Database, markOf: (network: string) => string | null = () => null): UserStore {
  const byId = db.select(userColumns).from(users).where(isUser).prepare("find_user");
  const bySession = db
    .select(userColumns)
    .from(users)
    .innerJoin(tokenFamilies, isActiveSession)
    .where(isUser)
    .prepare("find_logged_in_user");

  return withDatabaseTimeout({
    async find(userId) {
      const [found] = await byId.execute({ userId });
      return found;
    },
    async findLoggedIn({ userId, sessionId }) {
      const [found] = await bySession.execute({ userId, sessionId });
      return found;
    },
    async findByEmail(address) {
      const [found] = await db
        .select({ ...userColumns, passwordHash })
        .from(users)
        .where(eq(users.email, address));
      return found;
    },
    async add({ network, ...user }) {
      const [added] = await db
        .insert(users)
        .values({ ...user, registeredFrom: network === undefined ? null : markOf(network) })
        .onConflictDoNothing({ target: users.email })
        .returning(userColumns);
      return added;
    },
    change: (userId, edit) =>
      db.transaction(async (transaction) => {
        const [found] = await transaction
          .select(userColumns)
          .from(users)
          .where(and(eq(id, userId), isActive))
          .for("no key update");
        if (!found) return undefined;
        const changed = edit(found);
        await transaction.update(users).set({ name: changed.name, updatedAt: changed.updatedAt }).where(eq(id, userId));
        return changed;
      }),
    replacePassword: ({ userId, sessionId }, { from, to }, now) =>
      db.transaction(async (transaction) => {
        const [changed] = await transaction
          .update(users)
          .set({ passwordHash: to, updatedAt: sql`greatest(${now}, ${updatedAt} + 1)` })
          .where(and(eq(id, userId), eq(passwordHash, from)))
          .returning(userColumns);
        if (changed) await endSessions(transaction, userId, now, ne(tokenFamilies.id, sessionId));
        return changed;
      }),
  });
}
