import { and, eq, isNull } from "drizzle-orm";
import type { UserStore } from "../../domain/auth/users.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { tokenFamilies, users } from "../database/tables/auth.ts";

const { id, email, name, passwordHash, createdAt, updatedAt } = users;
const columns = { id, email, name, createdAt, updatedAt };

export const userStore = (db: Database): UserStore =>
  withDatabaseTimeout({
    async find(userId) {
      const [found] = await db.select(columns).from(users).where(eq(id, userId));
      return found;
    },
    async findLoggedIn({ userId, sessionId }) {
      const isActive = and(
        eq(tokenFamilies.id, sessionId),
        eq(tokenFamilies.userId, id),
        isNull(tokenFamilies.revokedAt),
      );
      const [found] = await db.select(columns).from(users).innerJoin(tokenFamilies, isActive).where(eq(id, userId));
      return found;
    },
    async findByEmail(address) {
      const [found] = await db
        .select({ ...columns, passwordHash })
        .from(users)
        .where(eq(email, address));
      return found;
    },
    async add(user) {
      const [added] = await db.insert(users).values(user).onConflictDoNothing({ target: email }).returning(columns);
      return added;
    },
  });
