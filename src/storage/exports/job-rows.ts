import { and, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import {
  type ExportFile,
  type ExportJob,
  type ExportState,
  type ExportStatus,
  hasEnded,
  type JobLease,
} from "../../domain/exports/lifecycle/jobs.ts";
import { type ChangeKind, notifyChange } from "../changes/feed.ts";
import type { Database } from "../database/database.ts";
import { withoutNulls } from "../database/rows.ts";
import { exportFiles, exportJobs } from "../tables/exports.ts";
import { projects } from "../tables/projects.ts";

export type ExportRow = typeof exportJobs.$inferSelect;
type ExportFileRow = typeof exportFiles.$inferSelect;

type Changes = { readonly [Column in keyof ExportRow]?: ExportRow[Column] | SQL };

const { request, captions: _, production: __, gateReport: ___, options, ...otherColumns } = getTableColumns(exportJobs);
const { id, status, attempt, revision, finishedAt } = exportJobs;

/** For a row of an earlier version, the request is read once it has ended: Postgres parses it whole for its options. */
const optionsOrRequested = sql<ExportRow["options"]>`coalesce(${options},
  case when ${finishedAt} is not null then ${request} -> 'options' end)`;

export const stateColumns = { ...otherColumns, options: optionsOrRequested };

export type StateRow = Omit<ExportRow, "request" | "captions" | "production" | "gateReport">;

export const unfinishedStatuses: readonly ExportStatus[] = ["queued", "rendering"];

export const isUnfinished = (exportId: string) => and(eq(id, exportId), inArray(status, [...unfinishedStatuses]));

/** No row matches an invalid lease: its export has ended, or another attempt has begun. */
export const holdsLease = (lease: JobLease) =>
  and(eq(id, lease.exportId), eq(status, "rendering"), eq(attempt, lease.attempt));

/** Updates rows and notifies subscribers. Returns no rows, which can have megabytes. */
export async function updateJobs(
  db: Database,
  where: SQL | undefined,
  changes: Changes,
  kind: ChangeKind = "status",
): Promise<StateRow[]> {
  const rows = await db
    .update(exportJobs)
    .set({ ...changes, revision: sql`${revision} + 1` })
    .where(where)
    .returning({ ...stateColumns, notified: notifyChange(id, kind) });
  return rows.map(({ notified: _, ...row }) => row);
}

/** Cancels unfinished exports without an event for their webhooks. Stops the workers that render them. */
export const cancelJobs = (transaction: Database, where: SQL | undefined) =>
  updateJobs(transaction, and(where, inArray(status, [...unfinishedStatuses])), {
    status: "cancelled",
    finishedAt: Date.now(),
  });

/** Exports of a removed project exist until they are removed, but cannot be reached. */
export const isOfUser = (userId: string) =>
  and(
    eq(exportJobs.userId, userId),
    sql`exists (select from ${projects} where ${projects.id} = ${exportJobs.projectId} and ${projects.userId} is not null)`,
  );

/** Deletes jobs and notifies subscribers. Returns the keys of their files. */
export async function deleteJobs(transaction: Database, exportIds: readonly string[]): Promise<readonly string[]> {
  const files = await filesOf(transaction, exportIds);
  if (exportIds.length > 0) {
    await transaction
      .delete(exportJobs)
      .where(inArray(id, [...exportIds]))
      .returning({ notified: notifyChange(id, "status") });
  }
  return files.map(({ fileKey }) => fileKey);
}

export const toExportJob = ({ options: _, ...row }: ExportRow, files: readonly ExportFile[] = []): ExportJob => ({
  ...withoutNulls(row),
  files,
});

export const toExportState = ({ options, ...row }: StateRow, files: readonly ExportFile[] = []): ExportState => ({
  ...withoutNulls(row),
  request: options ? { options } : {},
  files,
});

/** Reads the files of all rows with one query. */
export async function withFiles<Row extends Pick<ExportRow, "id" | "status">, Job>(
  db: Database,
  rows: readonly Row[],
  toJob: (row: Row, files?: readonly ExportFile[]) => Job,
): Promise<readonly Job[]> {
  const ended = rows.filter(hasEnded).map((row) => row.id);
  const files = Map.groupBy(await filesOf(db, ended), ({ exportId }) => exportId);
  return rows.map((row) => toJob(row, files.get(row.id)?.map(toExportFile)));
}

async function filesOf(db: Database, exportIds: readonly string[]): Promise<ExportFileRow[]> {
  if (exportIds.length === 0) return [];
  return await db
    .select()
    .from(exportFiles)
    .where(inArray(exportFiles.exportId, [...exportIds]))
    .orderBy(exportFiles.target);
}

const toExportFile = ({ target, fileKey, sizeBytes }: ExportFileRow): ExportFile => ({
  target,
  key: fileKey,
  sizeBytes,
});
