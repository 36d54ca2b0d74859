import { and, asc, eq, ne } from "drizzle-orm";
import type { LookStore } from "../../domain/looks/looks.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { addToProject, requireRowLeft, type UserLimits } from "../database/storage-usage.ts";
import { looks } from "../tables/projects.ts";

const named = (projectId: string, name: string) => and(eq(looks.projectId, projectId), eq(looks.name, name));

export const projectLookStore = (db: Database, limits: UserLimits = {}): LookStore =>
  withDatabaseTimeout({
    list: (projectId) => db.select().from(looks).where(eq(looks.projectId, projectId)).orderBy(asc(looks.name)),
    put: (look) =>
      addToProject(db, limits, look.projectId, async (transaction) => {
        const others = and(eq(looks.projectId, look.projectId), ne(looks.name, look.name));
        await requireRowLeft(transaction, "looks", looks, others);
        const { files, updatedAt } = look;
        const target = [looks.projectId, looks.name];
        const [stored] = await transaction
          .insert(looks)
          .values(look)
          .onConflictDoUpdate({ target, set: { files, updatedAt } })
          .returning();
        return stored;
      }),
    async remove(projectId, name) {
      return (await db.delete(looks).where(named(projectId, name)).returning({ name: looks.name })).length > 0;
    },
  });
