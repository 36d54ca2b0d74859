import { and, eq, isNull, lte, or, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { rowsAtOnce } from "../../domain/files/expired.ts";
import type { Checkpoint } from "../../domain/idempotency/checkpoints.ts";
import type {
  HeldKey,
  IdempotencyStore,
  IdempotentRequest,
  KeyClaim,
  StoredResponse,
} from "../../domain/idempotency/idempotency.ts";
import { databaseNow } from "../database/clock.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { idempotencyKeys } from "../tables/idempotency.ts";
import { leasedByName } from "../tables/leases.ts";
import { projects } from "../tables/projects.ts";

const { userId, key, fingerprint, claimId, leasedUntil, checkpoints, status, fileKey, expiresAt } = idempotencyKeys;
/** The physical location of the row: one id for the two columns of the key. */
const location = sql<string>`ctid::text`;

type IdempotencyRow = typeof idempotencyKeys.$inferSelect;

const withKey = (request: { readonly userId: string; readonly key: string }) =>
  and(eq(userId, request.userId), eq(key, request.key));

const isHeld = (claim: KeyClaim) => and(withKey(claim), eq(claimId, claim.claimId), isNull(status));

export const idempotencyStore = (db: Database): IdempotencyStore => {
  async function change(claim: KeyClaim, values: PgUpdateSetSource<typeof idempotencyKeys>) {
    const changed = await db.update(idempotencyKeys).set(values).where(isHeld(claim)).returning({ key });
    return changed.length > 0;
  }

  return withDatabaseTimeout({
    // inserts or takes over the row of a key; the caller holds its lease
    async claim({ claimId: id, expiresAt: keptUntil, ...request }) {
      // the file of an expired row becomes an orphan, which the sweep removes
      const isGone = or(lte(expiresAt, databaseNow), isOfRemovedProject);
      await db.delete(idempotencyKeys).where(and(withKey(request), isGone));
      const claim = { claimId: id, leasedUntil: leasedByName, expiresAt: keptUntil };
      const [claimed] = await db
        .insert(idempotencyKeys)
        .values({ ...request, ...claim, checkpoints: {} })
        .onConflictDoUpdate({
          target: [userId, key],
          set: claim,
          setWhere: and(isNull(status), isFree, eq(fingerprint, request.fingerprint)),
        })
        .returning({ checkpoints });
      if (claimed) return { state: "claimed", checkpoints: parseCheckpoints(claimed.checkpoints) };
      return await findKey(db, request);
    },

    find: (request) => findKey(db, request),

    saveCheckpoint: (claim, name, checkpoint) =>
      change(claim, {
        checkpoints: sql`${checkpoints} || jsonb_build_object(${name}::text, ${JSON.stringify(checkpoint)}::text)`,
      }),

    clearCheckpoint: (claim, name) => change(claim, { checkpoints: sql`${checkpoints} - ${name}::text` }),

    complete: (claim, { file, ...response }) =>
      change(claim, { ...response, ...(file && { fileKey: file.key, sizeBytes: file.sizeBytes }), checkpoints: {} }),

    async release(claim) {
      await db.delete(idempotencyKeys).where(and(isHeld(claim), eq(checkpoints, {})));
      await change(claim, { leasedUntil: 0 });
    },

    async listExpired(now) {
      const expired = db.select({ id: location, fileKey }).from(idempotencyKeys).where(lte(expiresAt, now));
      const rows = await expired.orderBy(expiresAt).limit(rowsAtOnce);
      return rows.map((row) => ({ id: row.id, fileKeys: row.fileKey === null ? [] : [row.fileKey] }));
    },

    async removeExpired(ids, now) {
      // a row that was claimed again meanwhile has another location; the planner counts the elements of a parameter and
      // would otherwise read the whole table
      const isListed = sql`ctid = any(array(select unnest(${sql.param(ids)}::text[])::tid))`;
      await db.delete(idempotencyKeys).where(and(isListed, lte(expiresAt, now)));
    },
  });
};

const folder = sql`split_part(${fileKey}, '/', 1)`;

/** A video in the folder of a removed project; its file is removed with the folder. */
const isOfRemovedProject = sql`starts_with(${fileKey}, 'proj_') and not exists (
  select from ${projects} where ${projects.id} = ${folder} and ${projects.userId} is not null)`;

/** Rows of the previous release have their own leases. */
const isFree = or(eq(leasedUntil, leasedByName), lte(leasedUntil, databaseNow));

async function findKey(db: Database, request: IdempotentRequest): Promise<HeldKey> {
  // waits for a response that is currently being stored
  const [found] = await db.select().from(idempotencyKeys).where(withKey(request)).for("share");
  return found ? heldKey(found, request.fingerprint) : { state: "in_progress" };
}

const parseCheckpoints = (stored: { readonly [name: string]: string }): ReadonlyMap<string, Checkpoint> =>
  new Map(Object.entries(stored).map(([name, checkpoint]) => [name, JSON.parse(checkpoint)]));

function heldKey(row: IdempotencyRow, requestFingerprint: string): HeldKey {
  if (row.fingerprint !== requestFingerprint) return { state: "mismatch" };
  return row.status === null ? { state: "in_progress" } : { state: "completed", response: toResponse(row, row.status) };
}

const toResponse = (row: IdempotencyRow, status: number): StoredResponse => ({
  status,
  headers: row.headers ?? {},
  ...(row.body !== null && { body: row.body }),
  ...(row.fileKey !== null && { file: { key: row.fileKey, sizeBytes: row.sizeBytes ?? 0 } }),
});
