import type { Context } from "hono";
import { type ExportJob, errorOf, etaSecondsOf, progressOf, stageOf } from "../domain/export-jobs.ts";
import type { FileStore } from "../domain/files.ts";
import { DomainError, isDomainError } from "../errors.ts";
import type { AppEnv } from "./app-env.ts";
import { type SentFile, sendFile } from "./stream.ts";

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

/** The finished film, named after its work. */
export function sendFilm(
  c: Context<AppEnv>,
  files: FileStore,
  { name, files: [film], warnings }: ExportJob,
  disposition: SentFile["disposition"],
): Response {
  if (!film) throw new DomainError("not_ready", {});
  const { key, sizeBytes } = film;
  const answer = sendFile(c, {
    ...{ sizeBytes, mimeType: "video/mp4", filename: `${name}.mp4`, disposition },
    // a key is never used for other bytes
    contentHash: key.slice(key.lastIndexOf("/") + 1, key.lastIndexOf(".")),
    read: (start, end) => files.read(key, start, end),
  });
  answer.headers.set("x-export-warnings", JSON.stringify([...new Set(warnings.map(({ code }) => code))]));
  return answer;
}
