import { sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";

// pg-boss finds the jobs of a group only by reading all jobs of a queue with their data. The group of a job is its user.

/** Removes all jobs of a user, running ones too. The queues must be open. */
export async function removeJobsOf(transaction: Database, userId: string): Promise<void> {
  await transaction.execute(sql`delete from pgboss.job where group_id = ${userId}`);
}

/** Removes the jobs of users that do not exist. The queues must be open. */
export async function removeStrayJobs(db: Database): Promise<void> {
  await db.execute(sql`
    delete from pgboss.job where group_id is not null and not exists (select from users where users.id = group_id)`);
}
