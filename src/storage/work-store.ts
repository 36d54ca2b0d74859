import { and, eq } from "drizzle-orm";
import type { WorkStore } from "../domain/works.ts";
import { guarded } from "./availability.ts";
import type { Database } from "./database.ts";
import { limitOf, newestFirst, pageOf, pastCursor } from "./paging.ts";
import { workMedia, works } from "./schema.ts";
import { workRows } from "./work-rows.ts";

const order = { time: works.updatedAt, id: works.id };

const { id, projectId, name, currentStep, mode, hasReferenceVideo, createdAt, updatedAt } = works;
const summary = { id, projectId, name, currentStep, mode, hasReferenceVideo, createdAt, updatedAt };

export const workStore = (db: Database): WorkStore =>
  guarded({
    async list(projectId, page) {
      const rows = await db
        .select(summary)
        .from(works)
        .where(and(eq(works.projectId, projectId), pastCursor(order, page)))
        .orderBy(...newestFirst(order))
        .limit(limitOf(page));
      return pageOf(rows, page, ({ updatedAt, id }) => ({ time: updatedAt, id }));
    },
    find: (projectId, workId) => workRows.find(db, projectId, workId),
    add: (work) => workRows.add(db, work),
    change: (projectId, workId, edit) => workRows.change(db, projectId, workId, edit),
    remove: (projectId, workId, check) =>
      workRows.remove(db, projectId, workId, async (found, transaction) => {
        check(found);
        const { fileKey } = workMedia;
        const media = await transaction.select({ fileKey }).from(workMedia).where(eq(workMedia.workId, workId));
        return media.map((row) => row.fileKey);
      }),
  });
