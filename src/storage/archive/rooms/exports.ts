import { and, eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import { exportFiles, exportJobs, exportWebhooks, webhookAttempts } from "../../tables/exports.ts";
import { type ArchivedTable, archived, Document, Documents, FileKey, Id, Scopes, sizeBytes } from "./archived-table.ts";

const hasEnded = inArray(exportJobs.status, ["done", "error", "cancelled"]);

const endedExportsOf = (projectId: string) =>
  sql`(select id from export_jobs where ${and(eq(exportJobs.projectId, projectId), hasEnded)})`;

/** The delivery queue is not archived: a waiting event counts as failed and can be sent again. */
const stateWithoutQueue = sql`case when ${exportWebhooks.state} in ('waiting', 'pending') then 'failed'
  else ${exportWebhooks.state} end`;

export const exportTables: readonly ArchivedTable[] = [
  archived(exportJobs, {
    ownedBy: (id) => and(eq(exportJobs.projectId, id), hasEnded),
    // the request contains them, too
    omitted: [exportJobs.options],
    rowsAtOnce: 4,
    columns: {
      id: Id,
      user_id: Id,
      project_id: Id,
      scopes: Scopes,
      request: Document,
      // a waiting or running export has a job in the queue, which is not archived
      status: z.enum(["done", "error", "cancelled"]),
      warnings: Documents,
      captions: Document,
      production: Document,
      failure: Document,
    },
  }),
  archived(exportFiles, {
    ownedBy: (id) => sql`${exportFiles.exportId} in ${endedExportsOf(id)}`,
    columns: { export_id: Id, file_key: FileKey, size_bytes: sizeBytes },
  }),
  archived(exportWebhooks, {
    ownedBy: (id) => sql`${exportWebhooks.exportId} in ${endedExportsOf(id)}`,
    replaced: { state: stateWithoutQueue },
    columns: { export_id: Id, state: z.enum(["delivered", "failed"]) },
  }),
  archived(webhookAttempts, {
    key: [webhookAttempts.exportId, webhookAttempts.at],
    ownedBy: (id) => sql`${webhookAttempts.exportId} in ${endedExportsOf(id)}`,
    // a number assigned by one database
    omitted: [webhookAttempts.id],
    columns: { export_id: Id },
  }),
];
