import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { filmSteps, films } from "../../tables/films.ts";
import { type ArchivedTable, archived, Document, Documents, Id, Scopes } from "./archived-table.ts";
import { asEnded } from "./ended.ts";

/** What ran belongs to one service: elsewhere nobody knows whether it was paid. */
const statusOfStep = sql`case when ${filmSteps.status} = 'running' then 'unknown' else ${filmSteps.status} end`;
const attemptsOfStep = sql`replace(${filmSteps.attempts}::text, '"state":"running"', '"state":"unknown"')::json`;

/** Without keys, webhooks and jobs of providers: a film that is imported neither goes on nor tells anybody. */
export const filmTables: readonly ArchivedTable[] = [
  archived(films, {
    ownedBy: (id) => eq(films.projectId, id),
    // its secret is one service's own, and its receiver was told there
    omitted: [films.webhook, films.batchId, films.budgetWait],
    replaced: asEnded(films, ["queued", "running", "waiting"]),
    rowsAtOnce: 20,
    columns: {
      ...{ id: Id, user_id: Id, project_id: Id, work_id: Id, export_id: Id },
      scopes: Scopes,
      order: Document,
      // one that goes on would pay
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
