import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PageRequest } from "../../domain/shared/paging.ts";
import type { Template, TemplateStore } from "../../domain/templates/templates.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { jsonBytes, readSizedPage } from "../database/paging.ts";
import { resourceRows } from "../database/resource-rows.ts";
import { withNulls, withoutNulls } from "../database/rows.ts";
import { addToProject, ownerOf, requireRowLeft, type UserLimits, withDocument } from "../database/storage-usage.ts";
import { templates } from "../tables/projects.ts";

const rows = resourceRows<typeof templates, Template>({
  table: templates,
  owner: templates.projectId,
  toResource: withoutNulls,
  toRow: (template) => withNulls(templates, template),
});

const { id, name, description, thumbnail, tags, createdAt, updatedAt, content } = templates;
const summary = {
  id,
  name,
  description,
  thumbnail,
  tags,
  createdAt,
  updatedAt,
  textOverlayCount: sql<number>`json_array_length(${content} -> 'textOverlays')`.mapWith(Number),
  imageOverlayCount: sql<number>`json_array_length(${content} -> 'imageOverlays')`.mapWith(Number),
  hasExportSettings: sql<boolean>`${content} -> 'exportSettings' IS NOT NULL`,
};

const selectSummaries = (db: Database, where: SQL | undefined) => db.select(summary).from(templates).where(where);
type SummaryRow = Awaited<ReturnType<typeof selectSummaries>>[number];

// with the content, because its overlays are counted
const list = {
  table: templates,
  time: updatedAt,
  id,
  timeOf: (row: SummaryRow) => row.updatedAt,
  bytes: jsonBytes(name, description, thumbnail, tags, content),
};

function listPage(db: Database, projectId: string, page: PageRequest) {
  const where = eq(templates.projectId, projectId);
  return readSizedPage(db, { ...list, where }, page, (isOnPage) => selectSummaries(db, and(where, isOnPage)));
}

export const templateStore = (db: Database, limits: UserLimits = {}): TemplateStore =>
  withDatabaseTimeout({
    async list(projectId, page) {
      const [found, count] = await Promise.all([
        listPage(db, projectId, page),
        db.$count(templates, eq(templates.projectId, projectId)),
      ]);
      return { ...found, items: found.items.map(withoutNulls), count };
    },
    find: rows.finder(db),
    add: (template) =>
      addToProject(db, limits, template.projectId, async (transaction) => {
        await requireRowLeft(transaction, "templates", templates, eq(templates.projectId, template.projectId));
        return await rows.adder(transaction)(template);
      }),
    change: (projectId, templateId, edit) =>
      rows.change(db, projectId, templateId, edit, (transaction, write) =>
        withDocument(transaction, ownerOf(projectId), limits, write),
      ),
    remove: (projectId, templateId, check) =>
      rows.remove(db, projectId, templateId, (found) => {
        check(found);
        return found;
      }),
  });
