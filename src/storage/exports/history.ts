import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { ExportHistory } from "../../domain/exports/jobs.ts";
import type { Quality } from "../../domain/exports/schema.ts";
import type { Database } from "../database/database.ts";
import { exportFiles, exportJobs } from "../database/export-tables.ts";

/** The past tells of the present: a machine may have got faster, a user's films simpler. */
const lately = 20;

const { id, userId, status, request, frames, framesRendered, startedAt, finishedAt } = exportJobs;

const option = (name: string) => sql`(${request} #>> ${`{options,${name}}`})`;
/** Of one frame as it was drawn: a draft has half the sides. */
const pixels = sql`${option("width")}::float8 * ${option("height")}::float8
  * case when ${option("quality")} = 'draft' then 0.25 else 1 end`;
const hasOneFilm = sql`${option("targets")} is null`;
const ofQuality = (quality: Quality) => sql`coalesce(${option("quality")}, 'standard') = ${quality}`;

/** What exports of one quality cost: their time on this server by anybody's, their size by the user's own. */
export async function historyOf(db: Database, owner: string, quality: Quality): Promise<ExportHistory> {
  const [millisecondsPerPixel, bytesPerPixel] = await Promise.all([timeOf(db, quality), sizeOf(db, owner, quality)]);
  return { millisecondsPerPixel, bytesPerPixel };
}

type Row = { readonly cost: number; readonly pixels: number };

async function timeOf(db: Database, quality: Quality): Promise<number | undefined> {
  const cost = sql<number>`${finishedAt} - ${startedAt}`.mapWith(Number);
  const rows = await db
    .select({ cost, pixels: sql<number>`${framesRendered} * ${pixels}`.mapWith(Number) })
    .from(exportJobs)
    .where(and(eq(status, "done"), gt(framesRendered, 0), hasOneFilm, ofQuality(quality)))
    .orderBy(desc(finishedAt))
    .limit(lately);
  return shareOf(rows);
}

async function sizeOf(db: Database, owner: string, quality: Quality): Promise<number | undefined> {
  const rows = await db
    .select({ cost: exportFiles.sizeBytes, pixels: sql<number>`${frames} * ${pixels}`.mapWith(Number) })
    .from(exportJobs)
    .innerJoin(exportFiles, and(eq(exportFiles.exportId, id), eq(exportFiles.target, "")))
    .where(and(eq(userId, owner), eq(status, "done"), ofQuality(quality)))
    .orderBy(desc(finishedAt))
    .limit(lately);
  return shareOf(rows);
}

function shareOf(rows: readonly Row[]): number | undefined {
  const sum = (of: keyof Row) => rows.reduce((all, row) => all + row[of], 0);
  return sum("pixels") > 0 ? sum("cost") / sum("pixels") : undefined;
}
