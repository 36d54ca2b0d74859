import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import {
  requireRoom,
  type StorageLimit,
  type StorageUsage,
  type StorageUsageStore,
  storageFull,
  usedBytes,
} from "../../domain/files/storage.ts";
import { DomainError } from "../../errors.ts";
import type { Database } from "./database.ts";
import { withDatabaseTimeout } from "./errors.ts";
import { isActive, users } from "./tables/auth.ts";
import { projects } from "./tables/projects.ts";

export const storageUsageStore = (db: Database): StorageUsageStore =>
  withDatabaseTimeout({ read: (userId) => readStorageUsage(db, userId) });

/** Throws limit_reached if the user has no room left. Others that ask for the same user wait for the transaction's end. */
export async function requireRoomLeft(transaction: Database, { userId, maxBytes }: StorageLimit): Promise<void> {
  await lockUser(transaction, userId);
  requireRoom(await readStorageUsage(transaction, userId), maxBytes, 1);
}

/**
 * Runs a write that adds a file of this size, and throws limit_reached if the user then stores more than before and more
 * than the limit. What the write replaces may be shared with other rows, so only the sum afterwards tells. Call it before
 * the transaction locks anything else: the removal of an account locks the user first.
 */
export async function withinStorage<Result>(
  transaction: Database,
  { userId, maxBytes }: StorageLimit,
  sizeBytes: number,
  write: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  await lockUser(transaction, userId);
  const before = usedBytes(await readStorageUsage(transaction, userId));
  const result = await write();
  if (result === undefined || before + sizeBytes <= maxBytes) return result;
  const after = usedBytes(await readStorageUsage(transaction, userId));
  if (after > maxBytes && after > before) throw storageFull(before, maxBytes);
  return result;
}

/**
 * Makes the transactions of a user that count something follow each other. Other rows of the user can be added. Throws
 * invalid_token if the account was removed after the request was authenticated.
 */
export async function lockUser(transaction: Database, userId: string): Promise<void> {
  const isUser = and(eq(users.id, userId), isActive);
  const [user] = await transaction.select({ id: users.id }).from(users).where(isUser).for("no key update");
  if (!user) throw new DomainError("invalid_token", {});
}

/**
 * A work's medium with an origin and no model is a link to an asset with the same bytes. A kept response is a link to
 * the video of an export: of those of one size, as many are shared as there are exports.
 */
export async function readStorageUsage(db: Database, userId: string): Promise<StorageUsage> {
  const { rows } = (await db.execute(sql`
    with asset as (
      select project_id, sha256, size_bytes from assets
      where project_id in (select id from projects where user_id = ${userId})
    ), medium as (
      select project_id, sha256, size_bytes, origin is not null and origin -> 'model' is null as is_link
      from work_media join works on works.id = work_media.work_id
      where project_id in (select id from projects where user_id = ${userId})
    ), medium_once as (
      select size_bytes from medium where not is_link
      union all
      select size_bytes from (select distinct project_id, sha256, size_bytes from medium where is_link) as link
      where not exists (select from asset where asset.project_id = link.project_id and asset.sha256 = link.sha256)
    ), video as (
      select size_bytes from export_files join export_jobs on export_jobs.id = export_files.export_id
      where user_id = ${userId}
    ), response as (
      select size_bytes, row_number() over (partition by size_bytes) as number from idempotency_keys
      where user_id = ${userId} and file_key is not null
    ), video_once as (
      select size_bytes from video
      union all
      select size_bytes from response
      where number > (select count(*) from video where video.size_bytes = response.size_bytes)
    )
    select 'assets' as kind, count(*) as files, sum(size_bytes) as bytes from asset
    union all select 'workMedia', count(*), sum(size_bytes) from medium_once
    union all select 'generatedMedia', count(*), sum(size_bytes) from generated_media where user_id = ${userId}
    union all select 'exports', count(*), sum(size_bytes) from video_once`)) as unknown as {
    rows: readonly UsageRow[];
  };
  // safe because the query gives one row of each kind
  return Object.fromEntries(
    rows.map(({ kind, files, bytes }) => [kind, { files: Number(files), bytes: Number(bytes ?? 0) }]),
  ) as StorageUsage;
}

/** The driver returns large integers and sums as texts. */
type UsageRow = { readonly kind: keyof StorageUsage; readonly files: string | number; readonly bytes: string | null };

/** Rows that a user may create; who has more keeps them. */
export const rowLimits = { projects: 1000, works: 1000, templates: 500, tokens: 100, sessions: 100 } as const;

/** Throws limit_reached. The caller has locked the owner of the rows. */
export async function requireRowLeft(
  transaction: Database,
  limit: "projects" | "works" | "templates" | "tokens",
  rows: PgTable,
  condition: SQL | undefined,
): Promise<void> {
  const used = await transaction.$count(rows, condition);
  const allowed = rowLimits[limit];
  if (used >= allowed) throw new DomainError("limit_reached", { quota: { limit, used, allowed } });
}

/** Inserts a row into a project. Undefined if the project is gone. Throws limit_reached. */
export const addToProject = <Row>(
  db: Database,
  limit: "works" | "templates",
  rows: PgTable & { readonly projectId: PgColumn },
  projectId: string,
  add: (transaction: Database) => Promise<Row | undefined>,
): Promise<Row | undefined> =>
  db.transaction(async (transaction) => {
    const isThere = and(eq(projects.id, projectId), isNotNull(projects.userId));
    const [found] = await transaction.select({ id: projects.id }).from(projects).where(isThere).for("no key update");
    if (!found) return undefined;
    await requireRowLeft(transaction, limit, rows, eq(rows.projectId, projectId));
    return await add(transaction);
  });
