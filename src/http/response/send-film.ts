import type { Context } from "hono";
import type { ExportJob } from "../../domain/exports/jobs.ts";
import { type FilmTarget, finishedFilms, targetsOf } from "../../domain/exports/targets.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { type SentFile, sendFile } from "./send-file.ts";

type Sending = { readonly disposition: SentFile["disposition"]; readonly target?: FilmTarget | undefined };

/** A finished film, named after its work: the first one where no target is named. */
export function sendFilm(
  c: Context<AppEnv>,
  files: FileStore,
  job: ExportJob,
  { disposition, target = targetsOf(job.request)[0]! }: Sending,
): Response {
  if (!targetsOf(job.request).includes(target)) throw new DomainError("not_found", {});
  const film = finishedFilms(job).find((candidate) => candidate.target === target);
  if (!film) throw new DomainError("not_ready", {});
  const { key, sizeBytes } = film;
  const answer = sendFile(c, {
    ...{ sizeBytes, mimeType: "video/mp4", filename: `${filmName(job.name, target)}.mp4`, disposition },
    // a key is never used for other bytes
    contentHash: key.slice(key.lastIndexOf("/") + 1, key.lastIndexOf(".")),
    read: (start, end) => files.read(key, start, end),
  });
  answer.headers.set("x-export-warnings", JSON.stringify([...new Set(job.warnings.map(({ code }) => code))]));
  return answer;
}

/** A film's own among those of its work. */
export const filmName = (work: string, target: FilmTarget = ""): string =>
  [work, ...(target ? [target.replace(":", "x")] : [])].join(" ");
