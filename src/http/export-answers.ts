import type { Context } from "hono";
import type { ExportJob } from "../domain/export-jobs.ts";
import type { FileStore } from "../domain/files.ts";
import { DomainError } from "../errors.ts";
import type { AppEnv } from "./app-env.ts";
import { type SentFile, sendFile } from "./stream.ts";

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
