import type { Context } from "hono";
import { z } from "zod";
import { type ExportFile, type ExportState, posterOf, requireDone } from "../../domain/exports/lifecycle/jobs.ts";
import { finishedVideos, formatOfFile } from "../../domain/exports/lifecycle/view.ts";
import { targetsOf, type VideoTarget } from "../../domain/exports/request/targets.ts";
import { aspectRatios } from "../../domain/shared/schemas.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import type { FileStore } from "../../engine/ports.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { type SentFile, sendFile, sentFrom } from "../response/send-file.ts";

export const VideoQuery = z.object({
  target: z.enum(aspectRatios).optional().describe("One of the request's options.targets; by default, the first."),
});

type SendExportOptions = {
  readonly disposition: SentFile["disposition"];
  /** By default, the first target of the request. */
  readonly target?: VideoTarget | undefined;
};

/** Sends a video of an export. Throws not_found for a target that it lacks, and not_ready before it is done. */
export async function sendExport(
  c: Context<AppEnv>,
  files: FileStore,
  job: ExportState,
  { disposition, target = targetsOf(job.request)[0]! }: SendExportOptions,
): Promise<Response> {
  if (!targetsOf(job.request).includes(target)) throw new DomainError("not_found", {});
  const video = finishedVideos(job).find((candidate) => candidate.target === target);
  if (!video) throw new DomainError("not_ready", {});
  const response = await sendExportFile(c, files, job, { file: video, target, disposition });
  const warningCodes = new Set(job.warnings.map(({ code }) => code));
  response.headers.set("x-export-warnings", JSON.stringify([...warningCodes]));
  return response;
}

type ExportFileOptions = Pick<SentFile, "disposition"> & {
  readonly file: Pick<ExportFile, "key" | "sizeBytes">;
  readonly target: VideoTarget;
};

function sendExportFile(
  c: Context<AppEnv>,
  files: FileStore,
  { name, batchId }: ExportState,
  { file: { key, sizeBytes }, target, disposition }: ExportFileOptions,
): Promise<Response> {
  const { mimeType, extension } = formatOfFile(key);
  return sendFile(c, {
    sizeBytes,
    mimeType,
    // a film of a batch has a name of its own
    filename: `${batchId === undefined ? videoName(name, target) : name}.${extension}`,
    disposition,
    // a key is never reused for other bytes
    contentHash: key.slice(key.lastIndexOf("/") + 1, key.lastIndexOf(".")),
    ...sentFrom(files, { key, sizeBytes }),
  });
}

/** Sends the poster of a video. Throws not_found for an export without one, and not_ready before it is done. */
export async function sendPoster(
  c: Context<AppEnv>,
  files: FileStore,
  job: ExportState,
  target: VideoTarget = targetsOf(job.request)[0]!,
): Promise<Response> {
  if (!targetsOf(job.request).includes(target) || !job.request.options?.poster) throw new DomainError("not_found", {});
  requireDone(job);
  const file = requireFound(job.files.find((candidate) => candidate.target === posterOf(target)));
  return await sendExportFile(c, files, job, { file, target, disposition: "inline" });
}

/** A file name without its extension: the work's name, then the target if there are several. */
export const videoName = (workName: string, target: VideoTarget = ""): string =>
  target === "" ? workName : `${workName} ${target.replace(":", "x")}`;
