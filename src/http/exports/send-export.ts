import type { Context } from "hono";
import { z } from "zod";
import type { ExportState } from "../../domain/exports/lifecycle/jobs.ts";
import { finishedVideos } from "../../domain/exports/lifecycle/view.ts";
import { aspectRatios } from "../../domain/exports/request/schema.ts";
import { targetsOf, type VideoTarget } from "../../domain/exports/request/targets.ts";
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
  const { key, sizeBytes } = video;
  const response = await sendFile(c, {
    sizeBytes,
    mimeType: "video/mp4",
    // a film of a batch has a name of its own
    filename: `${job.batchId === undefined ? videoName(job.name, target) : job.name}.mp4`,
    disposition,
    // a key is never reused for other bytes
    contentHash: key.slice(key.lastIndexOf("/") + 1, key.lastIndexOf(".")),
    ...sentFrom(files, { key, sizeBytes }),
  });
  const warningCodes = new Set(job.warnings.map(({ code }) => code));
  response.headers.set("x-export-warnings", JSON.stringify([...warningCodes]));
  return response;
}

/** A file name without its extension: the work's name, then the target if there are several. */
export const videoName = (workName: string, target: VideoTarget = ""): string =>
  target === "" ? workName : `${workName} ${target.replace(":", "x")}`;
