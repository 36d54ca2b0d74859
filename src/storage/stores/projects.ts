import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Project, ProjectStore } from "../../domain/projects/projects.ts";
import { DomainError } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { jsonBytes, listedText, readSizedPage } from "../database/paging.ts";
import { resourceRows } from "../database/resource-rows.ts";
import { withoutNulls } from "../database/rows.ts";
import { tokenFamilies, users } from "../database/tables/auth.ts";
import { exportFiles, exportJobs } from "../database/tables/exports.ts";
import { idempotencyKeys } from "../database/tables/idempotency.ts";
import { assets, projects, workMedia, works } from "../database/tables/projects.ts";
import type { WebhookOutbox } from "../exports/outbox.ts";
import { isActiveSession, isUser, userColumns } from "./users.ts";

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

const { name, styleGuide } = projects;
const listedTexts = {
  systemPrompt: listedText(projects.systemPrompt),
  analyzerPrompt: listedText(projects.analyzerPrompt),
  imageSystemPrompt: listedText(projects.imageSystemPrompt),
  videoSystemPrompt: listedText(projects.videoSystemPrompt),
  knowledge: listedText(projects.knowledge),
};
const list = {
  table: projects,
  time: projects.updatedAt,
  id: projects.id,
  timeOf: (row: typeof projects.$inferSelect) => row.updatedAt,
  bytes: jsonBytes(name, styleGuide, ...Object.values(listedTexts)),
};

type ProjectOutbox = Pick<WebhookOutbox, "ready" | "enqueueProjectCancelled">;

export function projectStore(db: Database, outbox: ProjectOutbox): ProjectStore {
  const add = rows.adder(db);
  const isOfUser = and(eq(projects.userId, users.id), eq(projects.id, sql.placeholder("projectId")));
  const bySession = db
    .select({ user: userColumns, project: getTableColumns(projects) })
    .from(users)
    .innerJoin(tokenFamilies, isActiveSession)
    .leftJoin(projects, isOfUser)
    .where(isUser)
    .prepare("find_project_of_session");

  return withDatabaseTimeout({
    async list(userId, page) {
      const where = eq(projects.userId, userId);
      const found = await readSizedPage(db, { ...list, where }, page, (isOnPage) =>
        db
          .select({ ...getTableColumns(projects), ...listedTexts })
          .from(projects)
          .where(and(where, isOnPage)),
      );
      return { ...found, items: found.items.map(withoutNulls) };
    },
    find: rows.finder(db),
    async findForSession({ userId, sessionId }, projectId) {
      const [found] = await bySession.execute({ userId, sessionId, projectId });
      return found && { user: found.user, ...(found.project && { project: withoutNulls(found.project) }) };
    },
    add: (project) => add(project).then(requireOwner),
    change: (userId, projectId, edit) => rows.change(db, userId, projectId, edit),
    async existing(ids) {
      const found = await db
        .select({ id: projects.id })
        .from(projects)
        .where(sql`${projects.id} = any(${sql.param(ids)}::text[])`);
      return found.map(({ id }) => id);
    },
    async remove(userId, projectId, check) {
      await outbox.ready();
      return await rows.remove(db, userId, projectId, async (found, transaction) => {
        check(found);
        await outbox.enqueueProjectCancelled(transaction, projectId, Date.now());
        return [
          ...(await fileKeysOf(transaction, projectId)),
          ...(await removeReplays(transaction, userId, projectId)),
        ];
      });
    },
  });
}

function requireOwner(added: Project | undefined): Project {
  // the account was removed after the request was authenticated
  if (!added) throw new DomainError("invalid_token", {});
  return added;
}

/** Removes the stored responses that are videos of the project. Returns the keys of their files. */
async function removeReplays(transaction: Database, userId: string, projectId: string): Promise<readonly string[]> {
  const { fileKey } = idempotencyKeys;
  const isOfProject = sql`starts_with(${fileKey}, ${`${projectId}/`})`;
  const removed = await transaction
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.userId, userId), isOfProject))
    .returning({ fileKey });
  return removed.flatMap((row) => row.fileKey ?? []);
}

async function fileKeysOf(transaction: Database, projectId: string): Promise<readonly string[]> {
  const inProject = eq(works.projectId, projectId);
  // locks the works: a concurrent upload either appears in this list or finds its work deleted
  await transaction.select({ id: works.id }).from(works).where(inProject).for("update");

  const media = await transaction
    .select({ key: workMedia.fileKey })
    .from(workMedia)
    .innerJoin(works, eq(works.id, workMedia.workId))
    .where(inProject);
  const { fileKey, thumbnailKey } = assets;
  const assetFiles = await transaction
    .select({ fileKey, thumbnailKey })
    .from(assets)
    .where(eq(assets.projectId, projectId));

  const videos = await transaction
    .select({ key: exportFiles.fileKey })
    .from(exportFiles)
    .innerJoin(exportJobs, eq(exportJobs.id, exportFiles.exportId))
    .where(eq(exportJobs.projectId, projectId));

  const keys = [
    ...media.map(({ key }) => key),
    ...videos.map(({ key }) => key),
    ...assetFiles.flatMap((file) => [file.fileKey, file.thumbnailKey]),
  ];
  return keys.filter((key) => key !== null);
}
