import { and, eq, exists, gt, inArray, lte, notExists, type SQL, sql } from "drizzle-orm";
import type { Lease, LeaseStore } from "../../platform/leases.ts";
import { databaseNow, databaseNowPlus } from "../database/clock.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { deleteSome } from "../database/rows.ts";
import { inByteOrder, leases } from "../tables/leases.ts";

/** One parameter, so that the text of a statement does not depend on the number of names. */
const isNamed = ({ names }: Pick<Lease, "names">) => sql`${leases.name} = any(${sql.param(names)}::text[])`;

/** True if the holder of a name has renewed its lease in time. */
export const isLeased = (db: Database, name: SQL): SQL =>
  exists(
    db
      .select({ name: leases.name })
      .from(leases)
      .where(and(eq(leases.name, name), gt(leases.leasedUntil, databaseNow))),
  );

const isExpired = lte(leases.leasedUntil, databaseNow);

const isHeldBy = (lease: Lease) => and(isNamed(lease), eq(leases.holderId, lease.holderId));

/** Locks in the order of the names, so that two statements do not wait for each other. */
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

/** Ends leases; their holders notice at the next renewal. */
export async function endLeases(db: Database, names: readonly string[]): Promise<void> {
  await db.delete(leases).where(isNamed({ names }));
}

/** The range of texts with the prefix ends before its last possible character. */
const beginsWith = (prefix: string) => {
  const name = inByteOrder(leases.name);
  return sql`${name} >= ${prefix} and ${name} < ${`${prefix}\u{10ffff}`}`;
};

/** Like `endLeases`, for names with this prefix. */
export async function endLeasesWith(db: Database, prefix: string): Promise<void> {
  await db.delete(leases).where(beginsWith(prefix));
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

    async renew(renewed) {
      const wanted = renewed.flatMap(({ names, ...lease }) => names.map((name) => ({ ...lease, name })));
      const listOf = (field: "name" | "holderId" | "leaseMs") => sql.param(wanted.map((each) => each[field]));
      const held = sql`unnest(${listOf("name")}::text[], ${listOf("holderId")}::text[], ${listOf("leaseMs")}::bigint[])
        as held(name, holder, milliseconds)`;
      const isWanted = sql`held.name = ${leases.name} and held.holder = ${leases.holderId}`;
      // in the order of the names, as they are taken
      const rows = db
        .select({ name: leases.name })
        .from(leases)
        .where(sql`exists (select from ${held} where ${isWanted})`)
        .orderBy(leases.name)
        .for("update");
      const kept = await db
        .update(leases)
        .set({ leasedUntil: sql`${databaseNow} + (select milliseconds from ${held} where ${isWanted})` })
        .where(inArray(leases.name, rows))
        .returning({ name: leases.name, holderId: leases.holderId });
      const holders = new Map(kept.map(({ name, holderId }) => [name, holderId]));
      return renewed.filter(({ names, holderId }) => names.some((name) => holders.get(name) !== holderId));
    },

    release: (lease) => release(db, lease),

    async releaseAll() {
      await db.delete(leases);
    },

    removeExpired: (keptPrefix) =>
      deleteSome(db, leases, sql`${isExpired} and not starts_with(${leases.name}, ${keptPrefix})`),

    async dropExpired(names) {
      await db.delete(leases).where(and(isNamed({ names }), isExpired));
    },

    async listExpired(prefix) {
      const found = await db
        .select({ name: leases.name })
        .from(leases)
        .where(and(beginsWith(prefix), isExpired));
      return found.map(({ name }) => name);
    },
  });
