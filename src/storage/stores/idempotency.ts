import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Checkpoint } from "../../domain/idempotency/checkpoints.ts";
import type { Claimed, IdempotencyStore, KeyClaim, StoredResponse } from "../../domain/idempotency/idempotency.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { idempotencyKeys } from "../database/provider-tables.ts";

const { userId, key, fingerprint, claimId, leasedUntil, steps, status, fileKey, expiresAt } = idempotencyKeys;

// one clock for leases: those of two machines differ by more than a lease may
const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
const after = (milliseconds: number) => sql<number>`${now} + ${milliseconds}::bigint`;

const ofKey = (request: { readonly userId: string; readonly key: string }) =>
  and(eq(userId, request.userId), eq(key, request.key));

const held = (claim: KeyClaim) => and(ofKey(claim), eq(claimId, claim.claimId), isNull(status));

export const idempotencyStore = (db: Database): IdempotencyStore => {
  async function change(claim: KeyClaim, values: PgUpdateSetSource<typeof idempotencyKeys>) {
    const changed = await db.update(idempotencyKeys).set(values).where(held(claim)).returning({ key });
    return changed.length > 0;
  }

  return withDatabaseTimeout({
    async claim({ claimId: id, ...request }, times) {
      // its file, if any, is swept up with those that no row names
      await db.delete(idempotencyKeys).where(and(ofKey(request), lte(expiresAt, now)));
      const claim = { claimId: id, leasedUntil: after(times.leaseMs), expiresAt: times.expiresAt };
      const [mine] = await db
        .insert(idempotencyKeys)
        .values({ ...request, ...claim, steps: {} })
        .onConflictDoUpdate({
          target: [userId, key],
          set: claim,
          setWhere: and(isNull(status), lte(leasedUntil, now), eq(fingerprint, request.fingerprint)),
        })
        .returning({ steps });
      if (mine) return { state: "mine", steps: stepsOf(mine.steps) };

      const [found] = await db.select().from(idempotencyKeys).where(ofKey(request));
      return found ? stateOf(found, request.fingerprint) : { state: "running" };
    },

    renew: (claim, leaseMs) => change(claim, { leasedUntil: after(leaseMs) }),

    keepStep: (claim, name, step) =>
      change(claim, { steps: sql`${steps} || jsonb_build_object(${name}::text, ${JSON.stringify(step)}::text)` }),

    forgetStep: (claim, name) => change(claim, { steps: sql`${steps} - ${name}::text` }),

    finish: (claim, { file, ...answer }) =>
      change(claim, { ...answer, ...(file && { fileKey: file.key, sizeBytes: file.sizeBytes }), steps: {} }),

    async release(claim) {
      await db.delete(idempotencyKeys).where(and(held(claim), eq(steps, {})));
      await change(claim, { leasedUntil: 0 });
    },

    async releaseAll() {
      await db.update(idempotencyKeys).set({ leasedUntil: 0 }).where(isNull(status));
    },

    async removeExpired(time) {
      const removed = await db.delete(idempotencyKeys).where(lte(expiresAt, time)).returning({ fileKey });
      return removed.flatMap((row) => row.fileKey ?? []);
    },
  });
};

const stepsOf = (kept: { readonly [name: string]: string }): ReadonlyMap<string, Checkpoint> =>
  new Map(Object.entries(kept).map(([name, step]) => [name, JSON.parse(step)]));

function stateOf(row: typeof idempotencyKeys.$inferSelect, wanted: string): Claimed {
  if (row.fingerprint !== wanted) return { state: "mismatch" };
  // somebody else has it, or gave it up this very moment
  return row.status === null ? { state: "running" } : { state: "answered", answer: answerOf(row, row.status) };
}

const answerOf = (row: typeof idempotencyKeys.$inferSelect, status: number): StoredResponse => ({
  status,
  headers: row.headers ?? {},
  ...(row.body !== null && { body: row.body }),
  ...(row.fileKey !== null && { file: { key: row.fileKey, sizeBytes: row.sizeBytes ?? 0 } }),
});
