import { isDomainError } from "../../errors.ts";
import { type ExportJob, errorOf, etaSecondsOf, progressOf, stageOf } from "./jobs.ts";
import { type FinishedFilm, finishedFilms } from "./targets.ts";

/** An export as its owner sees it. */
export function shownExport(job: ExportJob) {
  const { id, projectId, workId, name, status, frames, framesDone, warnings } = job;
  const { createdAt, startedAt, finishedAt, expiresAt } = job;
  const films = finishedFilms(job).map((film) => shownFilm(id, film));
  return {
    ...{ id, projectId, workId, name, status, progress: progressOf(job), stage: stageOf(job) },
    ...{ etaSeconds: etaSecondsOf(job), frames, framesDone, warnings, ...failureIn(job) },
    ...(films[0] && { url: films[0].url, size: films[0].size, files: films }),
    ...{ createdAt, startedAt, finishedAt, expiresAt },
  };
}

function shownFilm(id: string, { target, sizeBytes, width, height }: FinishedFilm) {
  const url = `/api/exports/${id}/file`;
  return target === ""
    ? { url, size: sizeBytes, width, height }
    : { target, url: `${url}?target=${target}`, size: sizeBytes, width, height };
}

function failureIn({ failure }: ExportJob) {
  if (!failure) return {};
  const error = errorOf(failure);
  return { error: isDomainError(error) ? error.message : "Something broke on our side.", code: failure.code };
}
