import { and, eq, lte, type SQL, sql } from "drizzle-orm";
import type { ScenarioScene, Work, WorkStore, WorkSummary } from "../../domain/works/works.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readPage } from "../database/paging.ts";
import { resourceRows } from "../database/resource-rows.ts";
import { withNulls, withoutNulls } from "../database/rows.ts";
import { addToProject, requireRowLeft, type UserLimits } from "../database/storage-usage.ts";
import { isGenerating, workMedia, works } from "../tables/projects.ts";
import { reviews } from "../tables/reviews.ts";

/** The type does not show it: scenes stored by an earlier version can have null for no text. */
function withoutNullText(scene: ScenarioScene): ScenarioScene {
  const { text_overlay, ...rest } = scene;
  return text_overlay === null ? rest : scene;
}

export const toWork = (row: typeof works.$inferSelect): Work => ({
  ...withoutNulls(row),
  analysis: row.analysis,
  scenes: row.scenes.map(withoutNullText),
});

export const workRows = resourceRows<typeof works, Work>({
  table: works,
  owner: works.projectId,
  toResource: toWork,
  toRow: (work) => withNulls(works, work),
});

const order = { time: works.updatedAt, id: works.id, timeOf: (work: Pick<WorkSummary, "updatedAt">) => work.updatedAt };

const { id, projectId, name, currentStep, mode, hasReferenceVideo, createdAt, updatedAt } = works;
const summary = {
  ...{ id, projectId, name, currentStep, mode, hasReferenceVideo, createdAt, updatedAt },
  filmId: sql<string | null>`(select films.id from films where films.work_id = works.id limit 1)`,
};

/** Works of films do not count while their films exist. */
const countsOf = (project: string) =>
  and(eq(projectId, project), sql`${id} not in (select work_id from films where project_id = ${project})`);

export const workStore = (db: Database, limits: UserLimits = {}): WorkStore =>
  withDatabaseTimeout({
    async list(projectId, page) {
      const select = (afterCursor: SQL | undefined) =>
        db
          .select(summary)
          .from(works)
          .where(and(eq(works.projectId, projectId), afterCursor));
      const { items, ...rest } = await readPage(order, page, select);
      return { ...rest, items: items.map(withoutNulls) };
    },
    find: workRows.finder(db),
    add: (work) =>
      addToProject(db, limits, work.projectId, async (transaction) => {
        await requireRowLeft(transaction, "works", works, countsOf(work.projectId));
        return await workRows.adder(transaction)(work);
      }),
    change: (projectId, workId, edit) => workRows.change(db, projectId, workId, edit),
    findGenerating: (before) =>
      db
        .select({ projectId, id })
        .from(works)
        .where(and(lte(updatedAt, before), isGenerating(works.generatedScenes))),
    remove: (projectId, workId, check) =>
      workRows.remove(db, projectId, workId, async (found, transaction) => {
        check(found);
        const keysIn = (table: typeof workMedia | typeof reviews) =>
          transaction.select({ key: table.fileKey }).from(table).where(eq(table.workId, workId));
        const rows = [...(await keysIn(workMedia)), ...(await keysIn(reviews))];
        return rows.flatMap(({ key }) => key ?? []);
      }),
  });
