import { type Format, formats, formatTable } from "../../../engine/timeline/format.ts";
import { halfSize } from "../../../engine/timeline/reframe.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { isDomainError } from "../../../errors.ts";
import type { InternalUrls } from "../../files/internal-urls.ts";
import { formatOf } from "../request/output.ts";
import { canvasOf, targetCanvas, targetsOf, type VideoTarget } from "../request/targets.ts";
import { type WebhookEvent, webhookEvent } from "../webhooks/webhooks.ts";
import { type ExportFile, type ExportState, errorOf, hasEnded, posterOf } from "./jobs.ts";

type ExportFileUrls = Pick<InternalUrls, "exportFile" | "exportPoster">;

export function exportView(job: ExportState, urls: ExportFileUrls) {
  const videos = finishedVideos(job).map((video) => videoView(job, video, urls));
  const [first] = videos;
  return {
    id: job.id,
    projectId: job.projectId,
    workId: job.workId,
    name: job.name,
    status: job.status,
    format: formatOf(job.request),
    progress: progressOf(job),
    stage: stageOf(job),
    etaSeconds: etaSecondsOf(job),
    frames: job.frames,
    framesDone: job.framesDone,
    warnings: job.warnings,
    ...failureView(job),
    ...(first && { url: first.url, size: first.size, files: videos }),
    ...(first?.posterUrl !== undefined && { posterUrl: first.posterUrl }),
    createdAt: job.createdAt,
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
    expiresAt: job.expiresAt,
  };
}

function videoView(
  { id, files }: ExportState,
  { target, key, sizeBytes, width, height }: FinishedVideo,
  urls: ExportFileUrls,
) {
  const { mimeType } = formatOfFile(key);
  const hasPoster = files.some((file) => file.target === posterOf(target));
  const view = {
    ...{ url: urls.exportFile(id, target), size: sizeBytes, mimeType, width, height },
    ...(hasPoster && { posterUrl: urls.exportPoster(id, target) }),
  };
  return target === "" ? view : { target, ...view };
}

function failureView({ failure }: ExportState) {
  if (!failure) return {};
  const error = errorOf(failure);
  return { error: isDomainError(error) ? error.message : "Something broke on our side.", code: failure.code };
}

export const endEvent = (job: ExportState, urls: ExportFileUrls): WebhookEvent =>
  webhookEvent(`export.${job.status}`, job.finishedAt ?? job.createdAt, exportView(job, urls));

/** From 0 to 1, by frames done, including those of cached segments. */
function progressOf({ status, framesDone, frames }: ExportState): number {
  if (status === "done") return 1;
  // after the last frame the segments are still to be joined
  return frames > 0 ? Math.min(framesDone / frames, 0.999) : 0;
}

type ExportStage = "waiting" | "preparing" | "rendering" | "joining";

/** The current step of the work on an export; undefined once it has ended. */
function stageOf(job: ExportState): ExportStage | undefined {
  if (hasEnded(job)) return undefined;
  if (job.status === "queued") return "waiting";
  if (job.framesDone === 0) return "preparing";
  return job.framesDone < job.frames ? "rendering" : "joining";
}

/** Remaining seconds, extrapolated from the frames rendered so far; undefined before the first. */
function etaSecondsOf(job: ExportState): number | undefined {
  const { status, startedAt, frames, framesDone, framesRendered } = job;
  if (status !== "rendering" || startedAt === undefined || framesRendered === 0) return undefined;
  const millisecondsPerFrame = (Date.now() - startedAt) / framesRendered;
  return Math.ceil(((frames - framesDone) * millisecondsPerFrame) / 1000);
}

/** The format of a stored file, by the extension of its key. */
export function formatOfFile(key: string): (typeof formatTable)[Format] {
  const extension = key.slice(key.lastIndexOf(".") + 1);
  return formatTable[formats.find((format) => formatTable[format].extension === extension) ?? "mp4"];
}

type FinishedVideo = ExportFile & Canvas & { readonly target: VideoTarget };

/** The stored videos in the order of the request's targets, with their frame sizes. */
export const finishedVideos = ({ files, request }: Pick<ExportState, "files" | "request">): readonly FinishedVideo[] =>
  targetsOf(request).flatMap((target) => {
    const file = files.find((candidate) => candidate.target === target);
    return file ? [{ ...file, target, ...targetCanvas(target, renderedCanvas(request)) }] : [];
  });

function renderedCanvas(request: ExportState["request"]): Canvas {
  // without a work, because a job's request contains its canvas
  const requested = canvasOf(request, {});
  return request.options?.quality === "draft" ? halfSize(requested) : requested;
}
