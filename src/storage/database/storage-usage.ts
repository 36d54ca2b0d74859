import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import {
  nothingStored,
  requireRoom,
  type StorageLimit,
  type StorageUsage,
  type StorageUsageStore,
  type StoredFiles,
  storageFull,
  usedBytes,
} from "../../domain/files/storage.ts";
import { DomainError } from "../../errors.ts";
import { isActive, users } from "../tables/accounts.ts";
import { projects } from "../tables/projects.ts";
import { storageTotals } from "../tables/usage.ts";
import type { Database } from "./database.ts";
import { withDatabaseTimeout } from "./errors.ts";

export const storageUsageStore = (db: Database): StorageUsageStore =>
  withDatabaseTimeout({ read: (userId) => readStorageUsage(db, userId) });

/** Throws limit_reached if the user has no room left. Concurrent checks of a user wait for the transaction. */
export async function requireRoomLeft(
  transaction: Database,
  { userId, maxBytes }: StorageLimit,
  addedBytes = 1,
): Promise<void> {
  await lockUser(transaction, userId);
  requireRoom(await readStorageUsage(transaction, userId), maxBytes, addedBytes);
}

/**
 * Runs a write that adds a file of this size, and throws limit_reached if the user then stores more than before and
 * more than the limit. Replaced files may be shared with other rows, so only the sum afterwards counts. Call it before
 * the transaction locks anything else: the removal of an account locks the user first.
 */
export async function withinStorage<Result>(
  transaction: Database,
  { userId, maxBytes }: StorageLimit,
  sizeBytes: number,
  write: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  await lockUser(transaction, userId);
  return await withinRoom(transaction, { userId, maxBytes }, sizeBytes, write);
}

const maxDocumentBytes = 16 * 1024 ** 2;

/** The limit of users, for stores where it is not an argument of each call. */
export type UserLimits = { readonly maxUserBytes?: number };

/** Like `withinStorage`, for a document of this user. Undefined if the user or the document does not exist. */
export async function withDocument<Result>(
  transaction: Database,
  owner: string | SQL,
  { maxUserBytes: maxBytes = Infinity }: UserLimits,
  write: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const [user] = await lockUsers(transaction, eq(users.id, owner));
  return user && (await withinRoom(transaction, { userId: user.id, maxBytes }, maxDocumentBytes, write));
}

export const ownerOf = (projectId: string): SQL =>
  sql`(select ${projects.userId} from ${projects} where ${projects.id} = ${projectId})`;

async function withinRoom<Result>(
  transaction: Database,
  { userId, maxBytes }: StorageLimit,
  sizeBytes: number,
  write: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const before = usedBytes(await readStorageUsage(transaction, userId));
  const result = await write();
  if (result === undefined || before + sizeBytes <= maxBytes) return result;
  const after = usedBytes(await readStorageUsage(transaction, userId));
  if (after > maxBytes && after > before) throw storageFull(before, maxBytes);
  return result;
}

/**
 * Makes counting transactions of a user run one after another. Other rows of the user can be added. Throws
 * invalid_token if the account was removed after the request was authenticated.
 */
export async function lockUser(transaction: Database, userId: string): Promise<void> {
  const [user] = await lockUsers(transaction, eq(users.id, userId));
  if (!user) throw new DomainError("invalid_token", {});
}

const lockUsers = (transaction: Database, condition: SQL) =>
  transaction.select({ id: users.id }).from(users).where(and(condition, isActive)).for("no key update");

export async function readStorageUsage(db: Database, userId: string): Promise<StorageUsage> {
  const { ownerId, kind, files, bytes } = storageTotals;
  const isStored = and(eq(ownerId, userId), inArray(kind, storedKinds));
  const rows = await db.select({ kind, files, bytes }).from(storageTotals).where(isStored);
  return { ...nothingStored, ...Object.fromEntries(rows.map(({ kind, ...stored }) => [kind, stored])) };
}

// safe because they are the keys of this object
const storedKinds = Object.keys(nothingStored) as (keyof StorageUsage)[];

/** The number and bytes of a project's assets or a user's exports; maintained, because every list shows them. */
export async function readTotal(db: Database, owner: string, counted: "assets" | "exportJobs"): Promise<StoredFiles> {
  const { ownerId, kind, files, bytes } = storageTotals;
  const isCounted = and(eq(ownerId, owner), eq(kind, counted));
  const [total] = await db.select({ files, bytes }).from(storageTotals).where(isCounted);
  return total ?? { files: 0, bytes: 0 };
}

/** Rows that a user may create; users with more keep them. */
export const rowLimits = {
  ...{ projects: 1000, works: 1000, templates: 500, looks: 50, destinations: 50, tokens: 100, sessions: 100 },
  ...{ reviews: 100, comments: 500 },
} as const;

/** Throws limit_reached. The caller has locked the owner of the rows. */
export async function requireRowLeft(
  transaction: Database,
  limit: Exclude<keyof typeof rowLimits, "sessions">,
  rows: PgTable,
  condition: SQL | undefined,
): Promise<void> {
  const used = await transaction.$count(rows, condition);
  const allowed = rowLimits[limit];
  if (used >= allowed) throw new DomainError("limit_reached", { quota: { limit, used, allowed } });
}

/** Inserts a row into a project. Undefined if the project does not exist. Throws limit_reached. */
export const addToProject = <Row>(
  db: Database,
  limits: UserLimits,
  projectId: string,
  add: (transaction: Database) => Promise<Row | undefined>,
): Promise<Row | undefined> =>
  db.transaction((transaction) =>
    withDocument(transaction, ownerOf(projectId), limits, async () => {
      const exists = and(eq(projects.id, projectId), isNotNull(projects.userId));
      const [found] = await transaction.select({ id: projects.id }).from(projects).where(exists).for("no key update");
      return found && (await add(transaction));
    }),
  );
