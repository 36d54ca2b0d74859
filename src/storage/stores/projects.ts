import { and, eq } from "drizzle-orm";
import type { Project, ProjectStore } from "../../domain/projects/projects.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { exportFiles, exportJobs } from "../database/export-tables.ts";
import { readPage } from "../database/paging.ts";
import { resourceRows } from "../database/resource-rows.ts";
import { withoutNulls } from "../database/rows.ts";
import { assets, projects, workMedia, works } from "../database/schema.ts";
import { enqueueRemovedEvents, lockUnfinishedOf, type Queues } from "../exports/outbox.ts";

type ProjectRow = typeof projects.$inferSelect;

const rows = resourceRows<typeof projects, Project>({
  table: projects,
  owner: projects.userId,
  toResource: withoutNulls,
  toRow: (project) => ({
    ...project,
    styleGuide: project.styleGuide ?? null,
    projectType: project.projectType ?? null,
  }),
});

const order = { time: projects.updatedAt, id: projects.id, timeOf: (row: ProjectRow) => row.updatedAt };

export const projectStore = (db: Database, queues: Queues): ProjectStore =>
  withDatabaseTimeout({
    async list(userId, page) {
      const found = await readPage(order, page, (past) =>
        db
          .select()
          .from(projects)
          .where(and(eq(projects.userId, userId), past)),
      );
      return { ...found, items: found.items.map(withoutNulls) };
    },
    find: (userId, projectId) => rows.find(db, userId, projectId),
    add: (project) => rows.add(db, project).then(requireOwner),
    change: (userId, projectId, edit) => rows.change(db, userId, projectId, edit),
    async remove(userId, projectId, check) {
      await queues.ready();
      return await rows.remove(db, userId, projectId, async (found, transaction) => {
        check(found);
        const exports = await lockUnfinishedOf(transaction, projectId);
        await enqueueRemovedEvents(transaction, queues, exports, Date.now());
        return await fileKeysOf(transaction, projectId);
      });
    },
  });

function requireOwner(added: Project | undefined): Project {
  if (!added) throw new Error("The project's user does not exist.");
  return added;
}

async function fileKeysOf(transaction: Database, projectId: string): Promise<readonly string[]> {
  const ownWorks = eq(works.projectId, projectId);
  // locked first, so that an upload to a work is in this list, or finds its work gone
  await transaction.select({ id: works.id }).from(works).where(ownWorks).for("update");

  const media = await transaction
    .select({ key: workMedia.fileKey })
    .from(workMedia)
    .innerJoin(works, eq(works.id, workMedia.workId))
    .where(ownWorks);
  const { fileKey, thumbnailKey } = assets;
  const files = await transaction.select({ fileKey, thumbnailKey }).from(assets).where(eq(assets.projectId, projectId));

  const films = await transaction
    .select({ key: exportFiles.fileKey })
    .from(exportFiles)
    .innerJoin(exportJobs, eq(exportJobs.id, exportFiles.exportId))
    .where(eq(exportJobs.projectId, projectId));

  const own = [...media, ...films].map(({ key }) => key);
  const keys = [...own, ...files.flatMap((file) => [file.fileKey, file.thumbnailKey])];
  return keys.filter((key) => key !== null);
}
