import { type Context, Hono } from "hono";
import { z } from "zod";
import { type Preview, previewExport, readPreview } from "../../domain/exports/lifecycle/preview.ts";
import { ExportRequest, WorkReference } from "../../domain/exports/request/schema.ts";
import { type PreviewPart, previewQualities } from "../../engine/ports.ts";
import { sha256Of } from "../../platform/values.ts";
import type { Services } from "../../services.ts";
import { file, json, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { loadWork } from "../middleware/load-resource.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { leaveUserSlot } from "../request/user-concurrency.ts";
import { validate } from "../request/validate.ts";
import { matchesEtag } from "../response/etag.ts";
import { sendBytes } from "../response/send-file.ts";
import { loadWorkInBody, requireExportScopes } from "./access.ts";
import { videoErrors } from "./errors.ts";
import { Target } from "./frame-schemas.ts";
import { Preview as PreviewView } from "./views.ts";

const PreviewQuery = z.object({
  quality: z
    .enum(previewQualities)
    .optional()
    .describe("`draft` has half the width and height; by default `draft` if the request has it, else `standard`."),
  target: Target,
});

const documented = operationsOf("Exports");

const partErrors = ["source_unreadable", "range_not_satisfiable"] as const;
const video = file(["video/mp4"], "A part of the video. Its URL never gives other bytes.");

/** Previews the video that an export of the same body would give, in parts for a player. */
export const previewRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/preview",
    documented(requireExportScopes(), {
      id: "previewExport",
      summary: "Preview a request",
      about:
        "Lists the parts of the video that an export of the same body would give, for a player with Media Source Extensions. Renders nothing: each part is rendered when its URL is requested, and the export reuses rendered parts.",
      answers: { 200: json(PreviewView, "The preview.", ["ETag"]) },
      errors: videoErrors,
    }),
    noIdleTimeout,
    validate("json", WorkReference),
    loadWorkInBody(services),
    validate("json", ExportRequest),
    validate("query", PreviewQuery),
    leaveUserSlot,
    async (c) => sendPreview(c, services, c.req.valid("json"), c.req.valid("query")),
  );

/** Previews the video of the work's saved editor, in parts. */
export const workPreviewRoutes = (services: Services) => {
  const scopes = requireScopes("works:read");
  const work = loadWork(services);
  const send = (c: Context<AppEnv>, part: PreviewPart) => sendPart(c, services, part);
  return new Hono<AppEnv>()
    .get(
      "/:workId/preview",
      allowQueryToken,
      documented(scopes, {
        id: "previewWork",
        summary: "Preview a work",
        about:
          "Lists the parts of the video that the work's saved editor describes, for a player with Media Source Extensions. Renders nothing: each part is rendered when its URL is requested, and the export reuses rendered parts.",
        answers: versioned(PreviewView, "The preview."),
        errors: videoErrors,
      }),
      noIdleTimeout,
      work,
      validate("query", PreviewQuery),
      leaveUserSlot,
      async (c) =>
        sendPreview(c, services, { projectId: c.var.work.projectId, workId: c.var.work.id }, c.req.valid("query")),
    )
    .get(
      "/:workId/preview/:previewId/segments/:segmentId",
      allowQueryToken,
      documented(scopes, {
        id: "readPreviewSegment",
        summary: "Read a segment of a preview",
        about:
          "Sends one fragment of MP4, and renders it if it is missing. The answer is 404 once the preview has left the cache: request the preview again.",
        answers: video,
        errors: partErrors,
      }),
      noIdleTimeout,
      work,
      leaveUserSlot,
      async (c) => send(c, { kind: "fragment", segment: c.req.param("segmentId") }),
    )
    .get(
      "/:workId/preview/:previewId/segments/:segmentId/init",
      allowQueryToken,
      documented(scopes, {
        id: "readPreviewInit",
        summary: "Read the initialization segment of a preview",
        about:
          "Sends the initialization segment with the parameter sets of a segment, and renders that segment if it is missing. Many segments share one.",
        answers: video,
        errors: partErrors,
      }),
      noIdleTimeout,
      work,
      leaveUserSlot,
      async (c) => send(c, { kind: "init", segment: c.req.param("segmentId") }),
    )
    .get(
      "/:workId/preview/:previewId/sound",
      allowQueryToken,
      documented(scopes, {
        id: "readPreviewSound",
        summary: "Read the sound of a preview",
        about: "Sends the whole sound as a fragmented MP4 file, and renders it if it is missing.",
        answers: file(["audio/mp4"], "The sound. Its URL never gives other bytes."),
        errors: partErrors,
      }),
      noIdleTimeout,
      work,
      leaveUserSlot,
      async (c) => send(c, { kind: "sound" }),
    );
};

async function sendPreview(
  c: Context<AppEnv>,
  services: Services,
  request: ExportRequest,
  query: z.output<typeof PreviewQuery>,
) {
  const { work, caller } = c.var;
  const preview = await previewExport(services, { caller, work, request, ...query, signal: c.req.raw.signal });
  const body = { revision: work.revision, ...previewView(preview, `${workPath(c)}/preview/${preview.id}`) };
  const etag = `"${sha256Of(JSON.stringify(body)).slice(0, 32)}"`;
  if (c.req.method !== "POST" && matchesEtag(c.req.header("if-none-match"), etag)) {
    // clients never see this status: browsers answer from their cache
    return new Response(null, { status: 304, headers: { ETag: etag } }) as never;
  }
  return c.json(body, 200, { ETag: etag });
}

const workPath = ({ var: { work } }: Context<AppEnv>) => `/api/projects/${work.projectId}/works/${work.id}`;

/** AAC-LC. */
const soundType = 'audio/mp4; codecs="mp4a.40.2"';

const previewView = (
  { canvas, framesPerSecond: fps, frames, durationSeconds, quality, warnings, ...plan }: Preview,
  base: string,
) => ({
  ...{ width: canvas.width, height: canvas.height, fps, frames, durationSeconds, quality },
  video: {
    mimeType: `video/mp4; codecs="${plan.videoCodec}"`,
    timestampOffset: -plan.delaySeconds,
    segments: plan.segments.map(({ id, range, isCached: cached }) => ({
      ...{ id, start: range.start, end: range.end, cached },
      url: `${base}/segments/${id}`,
      initUrl: `${base}/segments/${id}/init`,
    })),
  },
  audio: { id: plan.soundId, mimeType: soundType, url: `${base}/sound` },
  warnings,
});

async function sendPart(c: Context<AppEnv>, services: Services, part: PreviewPart): Promise<Response> {
  const preview = c.req.param("previewId") ?? "";
  const options = { owner: c.var.caller.user.id, signal: c.req.raw.signal };
  const bytes = await readPreview(services, c.var.work, { preview, part, ...options });
  const mimeType = part.kind === "sound" ? "audio/mp4" : "video/mp4";
  return await sendBytes(c, { bytes, mimeType, filename: `${part.kind}.mp4`, isImmutable: true });
}
