import { eq } from "drizzle-orm";
import type { Template, TemplateStore } from "../domain/templates.ts";
import { guarded } from "./availability.ts";
import type { Database } from "./database.ts";
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

export const templateStore = (db: Database): TemplateStore =>
  guarded({
    async list(projectId, page) {
      const [found, count] = await Promise.all([
        rows.list(db, projectId, page),
        db.$count(templates, eq(templates.projectId, projectId)),
      ]);
      return { ...found, count };
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
