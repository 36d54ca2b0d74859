import { z } from "zod";
import { exportStatuses } from "../../domain/exports/lifecycle/jobs.ts";
import { warningCodes } from "../../domain/exports/request/warnings.ts";
import { webhookOutcomes, webhookStates } from "../../domain/exports/webhooks/webhooks.ts";
import { aspectRatios } from "../../domain/shared/schemas.ts";
import { previewQualities } from "../../engine/ports.ts";
import { focusReasons } from "../../engine/timeline/focus.ts";
import { formats } from "../../engine/timeline/format.ts";
import { Id, named, namedObject, Timestamp } from "../schemas/responses.ts";

export const ExportWarning = namedObject("ExportWarning", {
  path: z.string().describe("The field of the request, such as clips.0.end."),
  code: z.enum(warningCodes),
  message: z.string(),
  targets: z.array(z.enum(aspectRatios)).optional().describe("Absent if it applies to every target."),
});

const video = {
  url: z.string().describe("The relative URL of the video."),
  size: z.int().min(0).describe("Bytes."),
};

const posterUrl = z.string().optional().describe("The relative URL of the poster, if the request wanted one.");

const ExportedVideo = namedObject("ExportedVideo", {
  target: z.enum(aspectRatios).optional(),
  ...video,
  mimeType: z.string(),
  posterUrl,
  width: z.int().describe("Pixels."),
  height: z.int().describe("Pixels."),
});

const state = {
  id: Id,
  projectId: Id,
  workId: Id,
  name: z.string().describe("The name of the work when the export was requested."),
  status: z.enum(exportStatuses),
  format: z.enum(formats).describe("The format of the files."),
  progress: z.number().min(0).max(1),
  stage: z
    .enum(["waiting", "preparing", "rendering", "joining"])
    .optional()
    .describe("Absent once the export has ended."),
  etaSeconds: z.int().optional().describe("Remaining seconds, once frames have been rendered."),
  frames: z.int().min(0).describe("Frames of all targets together; 0 until the timeline is known."),
  framesDone: z.int().min(0).describe("Frames whose picture and sound are rendered, or were before."),
  warnings: z.array(ExportWarning),
  error: z.string().optional().describe("Why it failed, in one sentence."),
  code: z.string().optional().describe("The code of the error."),
  url: video.url.optional().describe("The relative URL of the first video, once it is done."),
  size: video.size.optional().describe("Bytes of the first video."),
  posterUrl,
  files: z.array(ExportedVideo).optional().describe("One per target, in their order."),
  createdAt: Timestamp,
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  expiresAt: Timestamp.describe("When the export is removed, in milliseconds. Set again when the export ends."),
};

export const Export = namedObject("Export", state);

export const ExportList = namedObject("ExportList", {
  exports: z.array(Export),
  count: z.int().min(0).describe("All exports, not only this page."),
});

export const ExportEvent = namedObject("ExportEvent", {
  type: z.enum(["export.done", "export.error", "export.cancelled"]),
  timestamp: z.string().meta({ description: "When the export ended, in ISO 8601.", format: "date-time" }),
  data: Export,
});

const Point = z.object({ x: z.number(), y: z.number() });

const ClipFocusPart = named(
  "ClipFocusPart",
  z.object({ position: z.number(), end: z.number(), from: Point, to: Point, reason: z.enum(focusReasons) }),
  {
    description:
      "In seconds on the timeline. The focus moves straight from one point to the other. `subject`: a vision model saw the subject there when it described the asset; `motion`: something moves there against its background; `detail`: something stands out there; `center`: none of these.",
  },
);

const ClipFocus = namedObject("ClipFocus", {
  path: z.string().describe("The field of the request, such as clips.0.focus."),
  parts: z.array(ClipFocusPart),
});

export const ValidationReport = namedObject("ValidationReport", {
  ok: z.boolean(),
  durationSeconds: z
    .number()
    .nullable()
    .describe("The duration of each video; null if the request does not determine it."),
  frames: z.int().nullable().describe("All targets together."),
  errors: z.array(
    named("ExportRequestError", z.object({ path: z.string(), code: z.string(), message: z.string() }), {
      description: "The error with which the export would fail.",
    }),
  ),
  warnings: z.array(ExportWarning),
  segments: z
    .object({ total: z.int().min(0), cached: z.int().min(0) })
    .nullable()
    .describe("Parts that are rendered separately; cached ones are not rendered again."),
  estimatedSeconds: z
    .number()
    .nullable()
    .describe("Time to render; null before this server's first export of this quality."),
  estimatedBytes: z.int().nullable(),
  focus: z
    .array(ClipFocus)
    .optional()
    .describe("The points that clips with the focus `auto` follow; absent without such clips."),
});

const bytesOf = { url: z.string().describe("The relative URL, which never gives other bytes.") };

const PreviewSegment = namedObject("PreviewSegment", {
  id: z.string().describe("Identifies the content of the segment and its time."),
  start: z.int().min(0).describe("The first frame."),
  end: z.int().min(0).describe("The frame after the last one."),
  ...bytesOf,
  initUrl: z
    .string()
    .describe("The relative URL of the initialization segment that a player needs before the segment."),
  cached: z.boolean().describe("False: it is rendered when its URL is requested."),
});

const streamType = z.string().describe("The type and the codec, for MediaSource.isTypeSupported.");

const PreviewVideo = namedObject("PreviewVideo", {
  mimeType: streamType,
  timestampOffset: z.number().describe("Seconds, for SourceBuffer.timestampOffset: 0 or less."),
  segments: z.array(PreviewSegment).describe("All segments in order, without gaps."),
});

const PreviewSound = namedObject("PreviewSound", {
  id: z.string().describe("Identifies the bytes of the sound."),
  mimeType: streamType,
  ...bytesOf,
});

export const Preview = namedObject("Preview", {
  revision: z.int().describe("The name of the work."),
  width: z.int().describe("Pixels."),
  height: z.int().describe("Pixels."),
  fps: z.number().describe("Frames per second: the first frame of a segment is shown at start / fps."),
  frames: z.int().min(0),
  durationSeconds: z.number(),
  quality: z.enum(previewQualities),
  video: PreviewVideo,
  audio: PreviewSound,
  warnings: z.array(ExportWarning),
});

const WebhookAttempt = namedObject("WebhookAttempt", {
  at: Timestamp,
  milliseconds: z.int().min(0).describe("How long the attempt took."),
  outcome: z.enum(webhookOutcomes),
  status: z.int().optional().describe("The HTTP status of the receiver's answer."),
  reason: z.string().optional(),
  retryAfterSeconds: z.int().optional(),
});

export const WebhookLog = namedObject("WebhookLog", {
  url: z.string(),
  signed: z.boolean(),
  state: z.enum(webhookStates),
  event: z.object({ id: Id, type: z.string() }).optional().describe("Absent until the export has ended."),
  attempts: z.array(WebhookAttempt).describe("Newest first."),
});
