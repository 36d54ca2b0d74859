import { and, eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import { destinationTypes } from "../../../domain/destinations/schema.ts";
import { deliveries } from "../../tables/destinations.ts";
import { exportFiles, exportJobs, exportWebhooks, webhookAttempts } from "../../tables/exports.ts";
import { type ArchivedTable, archived, Document, Documents, FileKey, Id, Scopes, sizeBytes } from "./archived-table.ts";

/** An unfinished delivery has failed here: the archive has no credentials, and only one service may continue it. */
const ofUnfinished = sql`${deliveries.status} in ('queued', 'sending')`;
const notContinued = sql`json_build_object('code', 'imported', 'message', 'The delivery had not ended when the project was archived.')`;

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
  archived(deliveries, {
    ownedBy: (id) => sql`${deliveries.exportId} in ${endedExportsOf(id)}`,
    omitted: [deliveries.sealed],
    replaced: {
      status: sql`case when ${ofUnfinished} then 'failed' else ${deliveries.status} end`,
      failure: sql`case when ${ofUnfinished} then ${notContinued} else ${deliveries.failure} end`,
      progress: sql`'{}'::json`,
      retry_at: sql`null::bigint`,
    },
    columns: {
      ...{ id: Id, export_id: Id, user_id: Id, project_id: Id },
      type: z.enum(destinationTypes),
      status: z.enum(["delivered", "failed", "dry_run"]),
      wishes: Document,
      progress: z.strictObject({}),
      failure: Document,
      result: Document,
      plan: Document,
    },
  }),
];
