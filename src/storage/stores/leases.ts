import { and, eq, gt, inArray, lte, notExists, sql } from "drizzle-orm";
import type { Lease, LeaseStore } from "../../domain/shared/leases.ts";
import { databaseNow, databaseNowPlus } from "../database/clock.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { deleteBatch } from "../database/rows.ts";
import { leases } from "../database/tables/leases.ts";

/** One parameter, so that the text of a statement does not depend on the number of names. */
const isNamed = ({ names }: Pick<Lease, "names">) => sql`${leases.name} = any(${sql.param(names)}::text[])`;

const isExpired = lte(leases.leasedUntil, databaseNow);

const isHeldBy = (lease: Lease) => and(isNamed(lease), eq(leases.holderId, lease.holderId));

/** In the order of the names, so that two statements do not wait for each other. */
async function insertOrTakeOver(db: Database, lease: Lease, leaseMs: number): Promise<number> {
  const { holderId, names } = lease;
  const leasedUntil = databaseNowPlus(leaseMs);
  const others = db
    .select({ name: leases.name })
    .from(leases)
    .where(and(isNamed(lease), gt(leases.leasedUntil, databaseNow)));
  const rows = sql`select wanted.name, ${holderId}, ${leasedUntil}
    from unnest(${sql.param(names)}::text[]) as wanted(name) where ${notExists(others)}`;
  const acquired = await db
    .insert(leases)
    .select(rows)
    .onConflictDoUpdate({
      target: leases.name,
      set: { holderId, leasedUntil },
      setWhere: lte(leases.leasedUntil, databaseNow),
    })
    .returning({ name: leases.name });
  return acquired.length;
}

const release = async (db: Database, lease: Lease) => void (await db.delete(leases).where(isHeldBy(lease)));

export const leaseStore = (db: Database): LeaseStore =>
  withDatabaseTimeout({
    async acquire(lease, leaseMs) {
      const acquired = await insertOrTakeOver(db, lease, leaseMs);
      const isComplete = acquired === lease.names.length;
      // another holder took one of the names while the statement ran
      if (!isComplete && acquired > 0) await release(db, lease);
      return isComplete;
    },

    async renew(renewed, leaseMs) {
      const held = renewed.flatMap(({ names, holderId }) => names.map((name) => ({ name, holderId })));
      const listOf = (field: "name" | "holderId") => sql.param(held.map((each) => each[field]));
      const isHeld = sql`(${leases.name}, ${leases.holderId}) in
        (select name, holder from unnest(${listOf("name")}::text[], ${listOf("holderId")}::text[]) as held(name, holder))`;
      // in the order of the names, as they are taken
      const rows = db.select({ name: leases.name }).from(leases).where(isHeld).orderBy(leases.name).for("update");
      await db
        .update(leases)
        .set({ leasedUntil: databaseNowPlus(leaseMs) })
        .where(inArray(leases.name, rows));
    },

    release: (lease) => release(db, lease),

    async releaseAll() {
      await db.delete(leases);
    },

    removeExpired: (keptPrefix) =>
      deleteBatch(db, leases, sql`${isExpired} and not starts_with(${leases.name}, ${keptPrefix})`),

    async dropExpired(names) {
      await db.delete(leases).where(and(isNamed({ names }), isExpired));
    },

    async listExpired(prefix) {
      const isNamedSo = sql`starts_with(${leases.name}, ${prefix})`;
      const found = await db.select({ name: leases.name }).from(leases).where(and(isNamedSo, isExpired));
      return found.map(({ name }) => name);
    },
  });
