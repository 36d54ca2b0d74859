import { eq } from "drizzle-orm";
import type { Project, ProjectStore } from "../domain/projects.ts";
import { guarded } from "./availability.ts";
import type { Database } from "./database.ts";
import { resourceRows } from "./resource-rows.ts";
import { present } from "./rows.ts";
import { assets, projects, workMedia, works } from "./schema.ts";

const rows = resourceRows<typeof projects, Project>({
  table: projects,
  owner: projects.userId,
  listedBy: { column: projects.updatedAt, timeOf: (project) => project.updatedAt },
  toResource: present,
  toRow: (project) => ({
    ...project,
    styleGuide: project.styleGuide ?? null,
    projectType: project.projectType ?? null,
  }),
});

export const projectStore = (db: Database): ProjectStore =>
  guarded({
    list: (userId, page) => rows.list(db, userId, page),
    find: (userId, projectId) => rows.find(db, userId, projectId),
    add: (project) => rows.add(db, project).then(requireOwner),
    change: (userId, projectId, edit) => rows.change(db, userId, projectId, edit),
    remove: (userId, projectId, check) =>
      rows.remove(db, userId, projectId, (found, transaction) => {
        check(found);
        return fileKeysOf(transaction, projectId);
      }),
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

  const keys = [...media.map(({ key }) => key), ...files.flatMap((file) => [file.fileKey, file.thumbnailKey])];
  return keys.filter((key) => key !== null);
}
