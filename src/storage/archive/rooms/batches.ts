import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { batchBases, batches, batchItems, batchRows, batchTranslations, translations } from "../../tables/batches.ts";
import { exportJobs } from "../../tables/exports.ts";
import { films } from "../../tables/films.ts";
import { projects } from "../../tables/projects.ts";
import {
  type ArchivedTable,
  archived,
  asEnded,
  Document,
  Documents,
  Id,
  Scopes,
  Sha256,
  sizeBytes,
} from "./archived-table.ts";

const batchesOf = (projectId: string) => sql`(select b.id from batches as b where b.project_id = ${projectId})`;

const statusOfItem = sql`case when ${batchItems.status} in ('waiting', 'running') then 'cancelled'
  else ${batchItems.status} end`;

/** Archived after the exports that they name. An imported batch renders nothing automatically. */
export const batchTables: readonly ArchivedTable[] = [
  archived(batches, {
    ownedBy: (id) => eq(batches.projectId, id),
    // its secret belongs to one service, whose receiver got the events
    omitted: [batches.webhook, batches.destinations],
    replaced: {
      ...asEnded(batches, ["validating", "ready", "waiting", "running"]),
      recheck: sql`null::json`,
      checkpoints: sql`'{}'::json`,
    },
    rowsAtOnce: 20,
    columns: {
      ...{ id: Id, user_id: Id, project_id: Id, work_id: Id },
      scopes: Scopes,
      order: Document,
      table_bytes: sizeBytes,
      recheck: z.null(),
      estimate: Document,
      checkpoints: z.strictObject({}).default({}),
      // an unfinished one would render
      status: z.enum(["done", "partial", "error", "cancelled"]),
      approved: z.array(z.string()),
    },
  }),
  archived(batchBases, {
    ownedBy: (id) => sql`${batchBases.batchId} in ${batchesOf(id)}`,
    rowsAtOnce: 4,
    columns: { batch_id: Id, request: Document, texts: Document },
  }),
  archived(batchRows, {
    ownedBy: (id) => sql`${batchRows.batchId} in ${batchesOf(id)}`,
    columns: { batch_id: Id, cells: Document },
  }),
  archived(batchItems, {
    ownedBy: (id) => sql`${batchItems.batchId} in ${batchesOf(id)}`,
    replaced: {
      status: statusOfItem,
      export_id: sql`(select e.id from export_jobs as e where e.id = ${batchItems.exportId}
        and e.project_id = ${batchItems.projectId} and e.status in ('done', 'error', 'cancelled'))`,
      film_id: sql`(select f.id from films as f where f.id = ${batchItems.filmId})`,
    },
    names: [
      { column: batchItems.projectId, of: projects },
      { column: batchItems.exportId, of: exportJobs },
      { column: batchItems.filmId, of: films },
    ],
    columns: {
      ...{ id: Id, batch_id: Id, project_id: Id, export_id: Id, film_id: Id, sha256: Sha256, size_bytes: sizeBytes },
      status: z.enum(["invalid", "done", "unchanged", "error", "cancelled"]),
      values: Document,
      warnings: Documents,
      errors: Documents,
      failure: Document,
      approval: z.enum(["none", "approved", "rejected"]),
    },
  }),
  archived(translations, {
    ownedBy: (id) => eq(translations.projectId, id),
    columns: { project_id: Id, hash: Sha256 },
  }),
  archived(batchTranslations, {
    ownedBy: (id) => sql`${batchTranslations.batchId} in ${batchesOf(id)}`,
    omitted: [batchTranslations.place],
    columns: { batch_id: Id, hash: Sha256 },
  }),
];
