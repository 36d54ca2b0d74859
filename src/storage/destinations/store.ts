import { and, asc, eq, ne } from "drizzle-orm";
import type { DestinationStore } from "../../domain/destinations/destinations.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { withNulls, withoutNulls } from "../database/rows.ts";
import { addToProject, requireRowLeft, type UserLimits } from "../database/storage-usage.ts";
import { destinations } from "../tables/destinations.ts";

const isOf = (projectId: string) => eq(destinations.projectId, projectId);
const isNamed = (projectId: string, name: string) => and(isOf(projectId), eq(destinations.name, name));

export const destinationStore = (db: Database, limits: UserLimits = {}): DestinationStore =>
  withDatabaseTimeout({
    async list(projectId) {
      const rows = await db.select().from(destinations).where(isOf(projectId)).orderBy(asc(destinations.name));
      return rows.map(withoutNulls);
    },

    async find(projectId, name) {
      const [row] = await db.select().from(destinations).where(isNamed(projectId, name));
      return row && withoutNulls(row);
    },

    put: (destination) =>
      addToProject(db, limits, destination.projectId, async (transaction) => {
        const { projectId, name } = destination;
        await requireRowLeft(
          transaction,
          "destinations",
          destinations,
          and(isOf(projectId), ne(destinations.name, name)),
        );
        const row = withNulls(destinations, destination);
        const { createdAt: _, ...set } = row;
        const [stored] = await transaction
          .insert(destinations)
          .values(row)
          .onConflictDoUpdate({ target: [destinations.projectId, destinations.name], set })
          .returning();
        return stored && withoutNulls(stored);
      }),

    remove: async (projectId, name) =>
      (await db.delete(destinations).where(isNamed(projectId, name)).returning({ name: destinations.name })).length > 0,
  });
