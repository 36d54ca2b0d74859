import { eq, inArray } from "drizzle-orm";
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
    remove: (userId, projectId, check) => rows.remove(db, [userId, projectId], check, fileKeysOf),
  });

function requireOwner(added: Project | undefined): Project {
  if (!added) throw new Error("The project's user does not exist.");
  return added;
}

/** The works are locked first: an upload to one of them then comes before this list, or finds its work gone. */
async function fileKeysOf(transaction: Database, { id }: Project): Promise<readonly string[]> {
  const owned = transaction.select({ id: works.id }).from(works).where(eq(works.projectId, id));
  await owned.for("update");

  const { fileKey, thumbnailKey } = assets;
  const ofAssets = await transaction.select({ fileKey, thumbnailKey }).from(assets).where(eq(assets.projectId, id));
  const inWorks = inArray(
    workMedia.workId,
    transaction.select({ id: works.id }).from(works).where(eq(works.projectId, id)),
  );
  const ofWorks = await transaction.select({ fileKey: workMedia.fileKey }).from(workMedia).where(inWorks);

  return [
    ...ofAssets.flatMap((asset) => [asset.fileKey, asset.thumbnailKey ?? []].flat()),
    ...ofWorks.map((media) => media.fileKey),
  ];
}
