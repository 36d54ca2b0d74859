import { and, eq, sql } from "drizzle-orm";
import type { PageRequest } from "../domain/paging.ts";
import type { Template, TemplateStore } from "../domain/templates.ts";
import { guarded } from "./availability.ts";
import type { Database } from "./database.ts";
import { limitOf, newestFirst, pageOf, pastCursor } from "./paging.ts";
import { resourceRows } from "./resource-rows.ts";
import { present } from "./rows.ts";
import { templates } from "./schema.ts";

const rows = resourceRows<typeof templates, Template>({
  table: templates,
  owner: templates.projectId,
  listedBy: { column: templates.updatedAt, timeOf: (template) => template.updatedAt },
  toResource: present,
  toRow: (template) => ({
    ...template,
    description: template.description ?? null,
    thumbnail: template.thumbnail ?? null,
    tags: template.tags ?? null,
  }),
});

const order = { time: templates.updatedAt, id: templates.id };

const { id, name, description, thumbnail, tags, createdAt, updatedAt, content } = templates;
const meta = {
  ...{ id, name, description, thumbnail, tags, createdAt, updatedAt },
  textOverlayCount: sql<number>`json_array_length(${content} -> 'textOverlays')`.mapWith(Number),
  imageOverlayCount: sql<number>`json_array_length(${content} -> 'imageOverlays')`.mapWith(Number),
  hasExportSettings: sql<boolean>`${content} -> 'exportSettings' IS NOT NULL`,
};

const listed = (db: Database, projectId: string, page: PageRequest) =>
  db
    .select(meta)
    .from(templates)
    .where(and(eq(templates.projectId, projectId), pastCursor(order, page)))
    .orderBy(...newestFirst(order))
    .limit(limitOf(page));

export const templateStore = (db: Database): TemplateStore =>
  guarded({
    async list(projectId, page) {
      const [found, count] = await Promise.all([
        listed(db, projectId, page),
        db.$count(templates, eq(templates.projectId, projectId)),
      ]);
      return { ...pageOf(found.map(present), page, ({ updatedAt, id }) => ({ time: updatedAt, id })), count };
    },
    find: (projectId, templateId) => rows.find(db, projectId, templateId),
    add: (template) => rows.add(db, template),
    change: (projectId, templateId, edit) => rows.change(db, projectId, templateId, edit),
    remove: (projectId, templateId, check) =>
      rows.remove(db, projectId, templateId, (found) => {
        check(found);
        return found;
      }),
  });
