import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { rowsAtOnce } from "../../domain/files/expired.ts";
import type { Remains, RemovalStore } from "../../domain/removals/removal.ts";
import { sum } from "../../platform/values.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { deleteSome } from "../database/rows.ts";
import { cancelJobs } from "../exports/job-rows.ts";
import { removeOperations } from "../operations/store.ts";
import type { JobQueues } from "../queue/job-queue.ts";
import { accountRemains, apiTokens, providerKeys, tokenFamilies, users } from "../tables/accounts.ts";
import { batches, batchItems, batchRows, translations } from "../tables/batches.ts";
import { exportJobs } from "../tables/exports.ts";
import { films } from "../tables/films.ts";
import { generatedMedia } from "../tables/generated-media.ts";
import { idempotencyKeys } from "../tables/idempotency.ts";
import { spendDays, spendTotals, upstreamCalls } from "../tables/ledger.ts";
import { operations } from "../tables/operations.ts";
import { assets, looks, projects, templates, works } from "../tables/projects.ts";
import { endRights } from "./end-rights.ts";

/** Removes the rows of removed users and projects in batches. Any process may remove the next batch. */
export const removalStore = (db: Database, queues: Pick<JobQueues, "ready">): RemovalStore =>
  withDatabaseTimeout({
    removeUser: (userId, passwordHash) =>
      db.transaction((transaction) => removeUser(transaction, userId, passwordHash)),
    async removeBatch(rows) {
      await queues.ready();
      return (await removeOfProjects(db, rows)) ?? (await removeOfUsers(db, rows));
    },
    listRemains: () => db.select().from(accountRemains).orderBy(accountRemains.id),
    async forgetRemains(id) {
      await db.delete(accountRemains).where(eq(accountRemains.id, id));
    },
    async countWaiting() {
      const waiting = [
        db.$count(projects, isRemovedProject),
        db.$count(users, isRemovedUser),
        db.$count(accountRemains),
      ];
      return sum(await Promise.all(waiting));
    },
  });

const isRemovedUser = isNull(users.email);
const isRemovedProject = isNull(projects.userId);

async function removeUser(transaction: Database, userId: string, passwordHash: string): Promise<boolean> {
  const isVerified = and(eq(users.id, userId), eq(users.passwordHash, passwordHash));
  const removed = { email: null, name: "", passwordHash: "", registeredFrom: null, updatedAt: Date.now() };
  const [user] = await transaction.update(users).set(removed).where(isVerified).returning({ id: users.id });
  if (!user) return false;
  await cancelJobs(transaction, eq(exportJobs.userId, userId));
  await removeOperations(transaction, and(eq(operations.userId, userId), isNull(operations.status)));
  await endRights(transaction, { userId });
  return true;
}

/** Rows with documents are large, and a trigger updates sums for each call. */
const largeRows = 100;

/** Tables of batches, which can have 30,000 rows each. */
const tablesOfBatch = [batchItems, batchRows];

/** All rows of a project reference its row or one of these. */
const tablesOfProject = [films, batches, translations, exportJobs, assets, works, templates, looks];

async function removeOfProjects(db: Database, rows = largeRows): Promise<Remains | "more" | undefined> {
  if ((await detachProjects(db)) > 0) return "more";
  const ids = await idsOf(db, projects.id, isRemovedProject);
  if (ids.length === 0) return undefined;
  // while its batches and films are known
  if (await forgetSpender(db, ids, rows)) return "more";
  const ofProjects = db.select({ id: batches.id }).from(batches).where(inArray(batches.projectId, ids));
  for (const table of tablesOfBatch) {
    if ((await deleteSome(db, table, inArray(table.batchId, ofProjects), { rows })) === rows) return "more";
  }
  for (const table of tablesOfProject) {
    if ((await deleteSome(db, table, inArray(table.projectId, ids), { rows })) === rows) return "more";
  }
  return await db.transaction(async (transaction) => {
    const removed = await transaction.delete(projects).where(inArray(projects.id, ids)).returning({ id: projects.id });
    return addRemains(transaction, removed);
  });
}

/** The projects of removed users become removed projects. */
async function detachProjects(db: Database): Promise<number> {
  const owners = sql`(select id from users where email is null)`;
  const batch = sql`(select id from projects where user_id in ${owners} limit ${rowsAtOnce})`;
  const isInBatch = sql`${projects.id} in ${batch}`;
  return (await db.update(projects).set({ userId: null }).where(isInBatch).returning({ id: projects.id })).length;
}

/** All rows of a user reference the user's row or one of these. */
const tablesOfUser = [
  exportJobs,
  generatedMedia,
  idempotencyKeys,
  operations,
  upstreamCalls,
  spendDays,
  spendTotals,
  apiTokens,
  providerKeys,
  tokenFamilies,
];

/** Keeps a project's spending, but removes the names of the project, its batches and films. */
async function forgetSpender(db: Database, projectIds: readonly string[], atOnce: number): Promise<boolean> {
  const ids = [...projectIds];
  const ofFilm = sql`, film_id = null, step_id = null, batch_id = null`;
  for (const [table, more, time] of [
    [upstreamCalls, ofFilm, upstreamCalls.createdAt] as const,
    [spendDays, sql``, spendDays.day] as const,
  ]) {
    // sorted: the planner would otherwise read all calls of other projects instead of the index
    const isOf = inArray(table.projectId, ids);
    const batch = sql`array(select ctid from ${table} where ${isOf} order by ${table.projectId}, ${time} limit ${atOnce})`;
    const named = sql`update ${table} set project_id = null${more} where ctid = any(${batch}) returning 1`;
    // safe because both drivers return the rows of a query under this name
    const { rows } = (await db.execute(named)) as unknown as { rows: unknown[] };
    if (rows.length === atOnce) return true;
  }
  const batchIds = db.select({ id: batches.id }).from(batches).where(inArray(batches.projectId, ids));
  const filmIds = db.select({ id: films.id }).from(films).where(inArray(films.projectId, ids));
  const isOfProject = and(eq(spendTotals.scope, "project"), inArray(spendTotals.scopeId, ids));
  const isOfFilm = and(eq(spendTotals.scope, "film"), inArray(spendTotals.scopeId, filmIds));
  const isOfBatch = and(eq(spendTotals.scope, "batch"), inArray(spendTotals.scopeId, batchIds));
  const isOf = sql`(${isOfProject}) or (${isOfBatch}) or (${isOfFilm})`;
  return (await deleteSome(db, spendTotals, isOf)) === rowsAtOnce;
}

async function removeOfUsers(db: Database, rows = rowsAtOnce): Promise<Remains | "more" | undefined> {
  const ids = await idsOf(db, users.id, isRemovedUser);
  if (ids.length === 0) return undefined;
  for (const table of tablesOfUser) {
    if ((await deleteSome(db, table, inArray(table.userId, ids), { rows })) === rows) return "more";
  }
  await removeQueuedJobs(db, ids);
  return await db.transaction(async (transaction) => {
    const removed = await transaction.delete(users).where(inArray(users.id, ids)).returning({ id: users.id });
    return addRemains(transaction, removed);
  });
}

/** The number of users or projects that are removed together. */
const removedTogether = 50;

const idsOf = async (db: Database, id: PgColumn, condition: SQL): Promise<string[]> => {
  const rows = await db.select({ id }).from(id.table).where(condition).orderBy(id).limit(removedTogether);
  return rows.map((row) => row.id as string);
};

/** Reads all jobs of a queue with their data: pg-boss finds a group's jobs in no other way. The group is the user. */
const removeQueuedJobs = (db: Database, userIds: readonly string[]) =>
  db.execute(sql`delete from pgboss.job where group_id = any(${sql.param(userIds)}::text[])`);

async function addRemains(
  transaction: Database,
  removed: readonly { readonly id: string }[],
): Promise<Remains | "more"> {
  // another process was faster
  if (removed.length === 0) return "more";
  const remains = { id: crypto.randomUUID(), folders: removed.map(({ id }) => id) };
  await transaction.insert(accountRemains).values(remains);
  return remains;
}
