import { and, eq, lte } from "drizzle-orm";
import type { Lease, LeaseStore } from "../../domain/shared/leases.ts";
import { databaseNow, databaseNowPlus } from "../database/clock.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { leases } from "../database/tables/leases.ts";

const isHeldBy = ({ name, holderId }: Lease) => and(eq(leases.name, name), eq(leases.holderId, holderId));

export const leaseStore = (db: Database): LeaseStore =>
  withDatabaseTimeout({
    async acquire(lease, leaseMs) {
      const held = { ...lease, leasedUntil: databaseNowPlus(leaseMs) };
      const acquired = await db
        .insert(leases)
        .values(held)
        .onConflictDoUpdate({ target: leases.name, set: held, setWhere: lte(leases.leasedUntil, databaseNow) })
        .returning({ name: leases.name });
      return acquired.length > 0;
    },

    async renew(lease, leaseMs) {
      await db
        .update(leases)
        .set({ leasedUntil: databaseNowPlus(leaseMs) })
        .where(isHeldBy(lease));
    },

    async release(lease) {
      await db.delete(leases).where(isHeldBy(lease));
    },

    async releaseAll() {
      await db.delete(leases);
    },

    async removeExpired() {
      await db.delete(leases).where(lte(leases.leasedUntil, databaseNow));
    },
  });
