import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { filmSteps, films } from "../../tables/films.ts";
import { type ArchivedTable, archived, asEnded, Document, Documents, Id, Scopes } from "./archived-table.ts";

/** A running step belongs to one service: elsewhere its payment is unknown. */
const statusOfStep = sql`case when ${filmSteps.status} = 'running' then 'unknown' else ${filmSteps.status} end`;
const attemptsOfStep = sql`replace(${filmSteps.attempts}::text, '"state":"running"', '"state":"unknown"')::json`;

/** Archived without keys, webhooks and provider jobs: an imported film neither continues nor sends events. */
export const filmTables: readonly ArchivedTable[] = [
  archived(films, {
    ownedBy: (id) => eq(films.projectId, id),
    // its secret belongs to one service, whose receiver got the events
    omitted: [films.webhook, films.destinations, films.batchId, films.budgetWait],
    replaced: asEnded(films, ["queued", "running", "waiting"]),
    rowsAtOnce: 20,
    columns: {
      ...{ id: Id, user_id: Id, project_id: Id, work_id: Id, export_id: Id },
      scopes: Scopes,
      order: Document,
      // an unfinished one would pay
      status: z.enum(["done", "error", "cancelled"]),
      approved: z.array(z.string()),
      warnings: Documents,
      failure: Document,
    },
  }),
  archived(filmSteps, {
    ownedBy: (id) => sql`${filmSteps.filmId} in (select f.id from films as f where f.project_id = ${id})`,
    replaced: { status: statusOfStep, attempts: attemptsOfStep, checkpoints: sql`'{}'::json` },
    columns: {
      film_id: Id,
      status: z.enum(["waiting", "done", "error", "unknown", "skipped", "stale"]),
      depends_on: z.array(z.string()),
      attempts: Documents,
      checkpoints: z.strictObject({}),
      wish: Document,
      asset_id: Id,
    },
  }),
];
