import type { ExportState } from "../exports/lifecycle/jobs.ts";
import { exportView } from "../exports/lifecycle/view.ts";
import type { WebhookEvent } from "../exports/webhooks/webhooks.ts";
import type { InternalUrls } from "../files/internal-urls.ts";
import { newId } from "../shared/ids.ts";
import type { Render } from "./renders.ts";

/** Where files are for callers: URLs of exports are relative. */
type RenderUrls = { readonly urls: Pick<InternalUrls, "exportFile" | "exportPoster">; readonly baseUrl: string };

type RenderState = {
  readonly status: keyof typeof creatomateStatuses;
  readonly error?: string | undefined;
  readonly url?: string | undefined;
  readonly posterUrl?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly format?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly renderMs: number;
};

/** Where a render is. `job` is absent before its export exists. */
function stateOf(
  { state, error, createdAt, endedAt }: Render,
  job: ExportState | undefined,
  at: RenderUrls,
): RenderState {
  const begun = { createdAt, updatedAt: endedAt ?? createdAt, renderMs: 0 };
  if (state === "failed") return { ...begun, status: "failed" as const, error };
  if (!job) return { ...begun, status: "fetching" as const };
  const {
    status,
    url,
    posterUrl,
    size,
    format,
    files,
    error: failure,
    finishedAt,
    startedAt,
  } = exportView(job, at.urls);
  const ended = { done: "done", error: "failed", cancelled: "failed" } as const;
  const [file] = files ?? [];
  return {
    ...{ createdAt, status: status === "queued" || status === "rendering" ? status : ended[status] },
    error: status === "cancelled" ? "The render was cancelled." : failure,
    url: url && at.baseUrl + url,
    posterUrl: posterUrl && at.baseUrl + posterUrl,
    ...{ sizeBytes: size, format, width: file?.width, height: file?.height },
    updatedAt: finishedAt ?? startedAt ?? job.createdAt,
    renderMs: Math.max(0, (finishedAt ?? Date.now()) - (startedAt ?? Date.now())),
  };
}

/** A render as Shotstack's API answers it. */
export function shotstackView(render: Render, job: ExportState | undefined, at: RenderUrls) {
  const { status, error, renderMs, url, posterUrl, createdAt, updatedAt } = stateOf(render, job, at);
  return {
    ...{ id: render.id, owner: render.userId, plan: "self-hosted", status },
    ...(error !== undefined && { error }),
    renderTime: renderMs,
    ...(url !== undefined && { url }),
    poster: posterUrl ?? null,
    thumbnail: null,
    created: new Date(createdAt).toISOString(),
    updated: new Date(updatedAt).toISOString(),
  };
}

const creatomateStatuses = {
  fetching: "planned",
  queued: "waiting",
  rendering: "rendering",
  done: "succeeded",
  failed: "failed",
} as const;

/** A render as Creatomate's API answers it: its URL is known from the beginning. */
export function creatomateView(render: Render, job: ExportState | undefined, at: RenderUrls) {
  const { status, error, posterUrl, format, width, height, sizeBytes } = stateOf(render, job, at);
  return {
    ...{ id: render.id, status: creatomateStatuses[status] },
    ...(error !== undefined && { error_message: error }),
    url: at.baseUrl + at.urls.exportFile(render.exportId, ""),
    ...(posterUrl !== undefined && { snapshot_url: posterUrl }),
    ...(format !== undefined && { output_format: format }),
    render_scale: 1,
    ...(width !== undefined && { width, height }),
    ...(sizeBytes !== undefined && { file_size: sizeBytes }),
    ...render.repeated,
  };
}

/** The event of an ended render, as its API sends it to a webhook. */
export function renderEvent(render: Render, job: ExportState | undefined, at: RenderUrls): WebhookEvent {
  const event = { id: newId("evt"), type: `render.${job?.status ?? "error"}` };
  if (render.api === "creatomate") return { ...event, body: JSON.stringify(creatomateView(render, job, at)) };
  const { owner, status, url = null, error = null, updated: completed } = shotstackView(render, job, at);
  const body = { type: "edit", action: "render", id: render.id, owner, status, url, error, completed };
  return { ...event, body: JSON.stringify(body) };
}
