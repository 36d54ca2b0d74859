import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { ExportHistory } from "../../domain/exports/jobs.ts";
import type { Quality } from "../../domain/exports/schema.ts";
import type { Database } from "../database/database.ts";
import { exportFiles, exportJobs } from "../database/tables/exports.ts";

/** Only recent exports count, because the machine and the user's content change over time. */
const sampleSize = 20;

const { id, userId, status, request, frames, framesRendered, startedAt, finishedAt } = exportJobs;

const option = (name: string) => sql`(${request} #>> ${`{options,${name}}`})`;
/** Pixels of one rendered frame: a draft has half the width and height. */
const pixelsPerFrame = sql`${option("width")}::float8 * ${option("height")}::float8
  * case when ${option("quality")} = 'draft' then 0.25 else 1 end`;
const hasOneVideo = sql`${option("targets")} is null`;
const isOfQuality = (quality: Quality) => sql`coalesce(${option("quality")}, 'standard') = ${quality}`;

/** Costs of recent exports of one quality: time over all users, size over the owner's own. */
export async function readHistory(db: Database, owner: string, quality: Quality): Promise<ExportHistory> {
  const [times, sizes] = await Promise.all([recentTimes(db, quality), recentSizes(db, owner, quality)]);
  return { millisecondsPerPixel: costPerPixel(times), bytesPerPixel: costPerPixel(sizes) };
}

type Sample = { readonly cost: number; readonly pixels: number };

/** Milliseconds and rendered pixels. */
function recentTimes(db: Database, quality: Quality): Promise<readonly Sample[]> {
  return db
    .select({
      cost: sql<number>`${finishedAt} - ${startedAt}`.mapWith(Number),
      pixels: sql<number>`${framesRendered} * ${pixelsPerFrame}`.mapWith(Number),
    })
    .from(exportJobs)
    .where(and(eq(status, "done"), gt(framesRendered, 0), hasOneVideo, isOfQuality(quality)))
    .orderBy(desc(finishedAt))
    .limit(sampleSize);
}

/** Bytes and pixels of finished videos. */
function recentSizes(db: Database, owner: string, quality: Quality): Promise<readonly Sample[]> {
  return db
    .select({
      cost: exportFiles.sizeBytes,
      pixels: sql<number>`${frames} * ${pixelsPerFrame}`.mapWith(Number),
    })
    .from(exportJobs)
    .innerJoin(exportFiles, and(eq(exportFiles.exportId, id), eq(exportFiles.target, "")))
    .where(and(eq(userId, owner), eq(status, "done"), isOfQuality(quality)))
    .orderBy(desc(finishedAt))
    .limit(sampleSize);
}

function costPerPixel(samples: readonly Sample[]): number | undefined {
  const total = (field: keyof Sample) => samples.reduce((sum, sample) => sum + sample[field], 0);
  return total("pixels") > 0 ? total("cost") / total("pixels") : undefined;
}
