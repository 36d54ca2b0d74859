import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import type { ExportHistory } from "../../domain/exports/request/validation/estimate.ts";
import type { Quality } from "../../engine/ports.ts";
import { sum } from "../../platform/values.ts";
import type { Database } from "../database/database.ts";
import { exportFiles, exportJobs, hasRendered, hasVideos, isOfQuality } from "../tables/exports.ts";

/** Only recent exports count, because the machine and the user's content change over time. */
const sampleSize = 20;

const { id, userId, options, frames, framesRendered, startedAt, finishedAt } = exportJobs;

const option = (name: string) => sql`(${options} ->> ${name})`;
/** Pixels of one rendered frame: a draft has half the width and height. */
const pixelsPerFrame = sql`${option("width")}::float8 * ${option("height")}::float8
  * case when ${option("quality")} = 'draft' then 0.25 else 1 end`;
/** Other formats have other costs per pixel. */
const isMp4 = sql`coalesce(${option("format")}, 'mp4') = 'mp4'`;
const hasOneVideo = and(isNotNull(options), sql`${option("targets")} is null`);

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
    .where(and(hasRendered, hasOneVideo, isMp4, isOfQuality(quality)))
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
    .where(and(eq(userId, owner), hasVideos, isNotNull(options), isMp4, isOfQuality(quality)))
    .orderBy(desc(finishedAt))
    .limit(sampleSize);
}

function costPerPixel(samples: readonly Sample[]): number | undefined {
  const total = (field: keyof Sample) => sum(samples.map((sample) => sample[field]));
  return total("pixels") > 0 ? total("cost") / total("pixels") : undefined;
}
