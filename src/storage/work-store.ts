import { eq } from "drizzle-orm";
import type { WorkStore } from "../domain/works.ts";
import { guarded } from "./availability.ts";
import type { Database } from "./database.ts";
import { workMedia } from "./schema.ts";
import { workRows } from "./work-rows.ts";

export const workStore = (db: Database): WorkStore =>
  guarded({
    list: (projectId, page) => workRows.list(db, projectId, page),
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
