import { and, eq, getTableColumns, isNotNull, sql } from "drizzle-orm";
import type { Project, ProjectStore } from "../../domain/projects/projects.ts";
import { DomainError } from "../../errors.ts";
import { isActiveSession, isUser, userColumns } from "../accounts/users.ts";
import { notifyChange } from "../changes/feed.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { jsonBytes, listedText, readSizedPage } from "../database/paging.ts";
import { resourceRows } from "../database/resource-rows.ts";
import { withNulls, withoutNulls } from "../database/rows.ts";
import { requireRowLeft, type UserLimits, withDocument } from "../database/storage-usage.ts";
import { cancelJobs } from "../exports/job-rows.ts";
import { endRights } from "../removals/end-rights.ts";
import { tokenFamilies, users } from "../tables/accounts.ts";
import { exportJobs } from "../tables/exports.ts";
import { films, isUnfinished } from "../tables/films.ts";
import { projects } from "../tables/projects.ts";

type ProjectRow = typeof projects.$inferSelect;

export function toProject(row: ProjectRow): Project {
  // safe because every query compares the owner, and a removed project has none
  return { ...withoutNulls(row), userId: row.userId! };
}

const rows = resourceRows<typeof projects, Project>({
  table: projects,
  owner: projects.userId,
  toResource: toProject,
  toRow: (project) => withNulls(projects, project),
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
  timeOf: (row: ProjectRow) => row.updatedAt,
  bytes: jsonBytes(name, styleGuide, ...Object.values(listedTexts)),
};

export function projectStore(db: Database, limits: UserLimits = {}): ProjectStore {
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
      return { ...found, items: found.items.map(toProject) };
    },
    find: rows.finder(db),
    async findForSession({ userId, sessionId }, projectId) {
      const [found] = await bySession.execute({ userId, sessionId, projectId });
      return found && { user: found.user, ...(found.project && { project: toProject(found.project) }) };
    },
    add: (project) =>
      db.transaction(async (transaction) =>
        requireOwner(
          await withDocument(transaction, project.userId, limits, async () => {
            await requireRowLeft(transaction, "projects", projects, eq(projects.userId, project.userId));
            return await rows.adder(transaction)(project);
          }),
        ),
      ),
    change: (userId, projectId, edit) =>
      rows.change(db, userId, projectId, edit, (transaction, write) =>
        withDocument(transaction, userId, limits, write),
      ),
    async existing(ids) {
      const found = await db
        .select({ id: projects.id })
        .from(projects)
        .where(and(sql`${projects.id} = any(${sql.param(ids)}::text[])`, isNotNull(projects.userId)));
      return found.map(({ id }) => id);
    },
    remove: (userId, projectId, check) =>
      db.transaction(async (transaction) => {
        const found = await rows.lock(transaction, userId, projectId);
        if (!found) return false;
        check(found);
        const notified = notifyChange(films.id, "status");
        await transaction
          .select({ notified })
          .from(films)
          .where(and(eq(films.projectId, projectId), isUnfinished));
        await endRights(transaction, { userId, projectId });
        await cancelJobs(transaction, and(eq(exportJobs.userId, userId), eq(exportJobs.projectId, projectId)));
        await transaction.update(projects).set({ userId: null }).where(eq(projects.id, projectId));
        return true;
      }),
  });
}

function requireOwner(added: Project | undefined): Project {
  // the account was removed after the request was authenticated
  if (!added) throw new DomainError("invalid_token", {});
  return added;
}
