import { isDomainError } from "../errors.ts";
import { type ExportJob, errorOf, etaSecondsOf, progressOf, stageOf } from "./export-jobs.ts";

/** An export as its owner sees it. */
export function shownExport(job: ExportJob) {
  const { id, projectId, workId, name, status, frames, framesDone, warnings } = job;
  const { createdAt, startedAt, finishedAt, expiresAt } = job;
  const [film] = job.files;
  return {
    ...{ id, projectId, workId, name, status, progress: progressOf(job), stage: stageOf(job) },
    ...{ etaSeconds: etaSecondsOf(job), frames, framesDone, warnings, ...failureIn(job) },
    ...(film && { url: `/api/exports/${id}/file`, size: film.sizeBytes }),
    ...{ createdAt, startedAt, finishedAt, expiresAt },
  };
}

function failureIn({ failure }: ExportJob) {
  if (!failure) return {};
  const error = errorOf(failure);
  return { error: isDomainError(error) ? error.message : "Something broke on our side.", code: failure.code };
}
