import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { callLeasePrefix } from "../../domain/ledger/paid-calls.ts";
import type { Database } from "../database/database.ts";
import { endLeasesWith } from "../leases/store.ts";
import { batches, batchKeys } from "../tables/batches.ts";
import { deliveries, destinations } from "../tables/destinations.ts";
import { exportJobs, exportWebhooks } from "../tables/exports.ts";
import { filmKeys, films } from "../tables/films.ts";
import { projects } from "../tables/projects.ts";

type Removed = { readonly userId: string; readonly projectId?: string };

/**
 * Revokes everything that acts for the owner, in the removing transaction: keys of films and batches, secrets of
 * webhooks with their waiting deliveries, credentials of destinations, and running calls of providers. The other rows are removed in batches.
 */
export async function endRights(transaction: Database, removed: Removed): Promise<void> {
  const { userId, projectId } = removed;
  const isRemoved = (table: typeof films | typeof batches | typeof exportJobs) =>
    and(eq(table.userId, userId), projectId === undefined ? undefined : eq(table.projectId, projectId));
  const ofFilms = transaction.select({ id: films.id }).from(films).where(isRemoved(films));
  await transaction.delete(filmKeys).where(inArray(filmKeys.filmId, ofFilms));
  const ofBatches = transaction.select({ id: batches.id }).from(batches).where(isRemoved(batches));
  await transaction.delete(batchKeys).where(inArray(batchKeys.batchId, ofBatches));
  const ofExports = transaction.select({ id: exportJobs.id }).from(exportJobs).where(isRemoved(exportJobs));
  const hasSecret = and(isNotNull(exportWebhooks.secret), inArray(exportWebhooks.exportId, ofExports));
  await transaction.update(exportWebhooks).set({ secret: null }).where(hasSecret);
  await endDestinations(transaction, removed);
  await removeDeliveries(transaction, removed);
  await endLeasesWith(transaction, callLeasePrefix(removed));
}

/** Removes the credentials of destinations, also those in orders. Running deliveries then cannot continue. */
async function endDestinations(transaction: Database, { userId, projectId }: Removed): Promise<void> {
  const ofUser = transaction.select({ id: projects.id }).from(projects).where(eq(projects.userId, userId));
  const ids = projectId === undefined ? ofUser : [projectId];
  await transaction.delete(destinations).where(inArray(destinations.projectId, ids));
  const hasOwn = and(inArray(deliveries.projectId, ids), isNotNull(deliveries.sealed));
  await transaction.update(deliveries).set({ sealed: null }).where(hasOwn);
  for (const table of [films, batches]) {
    const hasAny = and(inArray(table.projectId, ids), isNotNull(table.destinations));
    await transaction.update(table).set({ destinations: null }).where(hasAny);
  }
}

/** Each delivery contains the secret. Found by the user, who is the group of a job. */
async function removeDeliveries(transaction: Database, { userId, projectId }: Removed): Promise<void> {
  if (!(await hasQueues(transaction))) return;
  const named = `"projectId":${JSON.stringify(projectId)}`;
  const isOfProject = projectId === undefined ? sql`` : sql`and strpos(data ->> 'data', ${named}) > 0`;
  await transaction.execute(
    sql`delete from pgboss.job where group_id = ${userId} and name = 'webhooks' ${isOfProject}`,
  );
}

/** Queues are created when the first process opens them. */
async function hasQueues(transaction: Database): Promise<boolean> {
  const found = await transaction.execute(sql`select to_regclass('pgboss.job') is not null as "exists"`);
  // safe because both drivers return the rows of a query under this name
  return (found as unknown as { rows: { exists: boolean }[] }).rows[0]?.exists === true;
}
