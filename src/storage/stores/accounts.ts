import { and, eq } from "drizzle-orm";
import type { AccountRemains, AccountStore } from "../../domain/accounts/removal.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { accountRemains, users } from "../database/tables/auth.ts";
import { exportJobs } from "../database/tables/exports.ts";
import { projects } from "../database/tables/projects.ts";
import { notifyChange } from "../exports/change-feed.ts";
import type { JobQueues } from "../queue/job-queue.ts";
import { removeJobsOf, removeStrayJobs } from "../queue/user-jobs.ts";

export const accountStore = (db: Database, queues: Pick<JobQueues, "ready">): AccountStore =>
  withDatabaseTimeout({
    async remove(userId, passwordHash) {
      await queues.ready();
      return await db.transaction((transaction) => removeUser(transaction, userId, passwordHash));
    },
    listRemains: () => db.select().from(accountRemains).orderBy(accountRemains.id),
    async forgetRemains(id) {
      await db.delete(accountRemains).where(eq(accountRemains.id, id));
    },
    async removeStrayJobs() {
      await queues.ready();
      await removeStrayJobs(db);
    },
  });

/** All rows of a user reference the user's row, and are deleted with it. */
async function removeUser(
  transaction: Database,
  userId: string,
  passwordHash: string,
): Promise<AccountRemains | undefined> {
  // locked first: from here on, nothing can be added to the user or to a project
  const isVerified = and(eq(users.id, userId), eq(users.passwordHash, passwordHash));
  const [user] = await transaction.select({ id: users.id }).from(users).where(isVerified).for("update");
  if (!user) return undefined;
  const owned = await transaction
    .select({ id: projects.id })
    .from(projects)
    .where(eq(projects.userId, userId))
    .orderBy(projects.id)
    .for("update");

  await removeJobsOf(transaction, userId);
  // stops the workers that render them
  await transaction
    .delete(exportJobs)
    .where(eq(exportJobs.userId, userId))
    .returning({ notified: notifyChange(exportJobs.id, "status") });
  await transaction.delete(users).where(eq(users.id, userId));

  const remains = { id: crypto.randomUUID(), folders: [userId, ...owned.map(({ id }) => id)] };
  await transaction.insert(accountRemains).values(remains);
  return remains;
}
