import { z } from "zod";
import { exportStatuses } from "../../domain/exports/jobs.ts";
import { previewQualities } from "../../domain/exports/previewer.ts";
import { aspectRatios } from "../../domain/exports/schema.ts";
import { warningCodes } from "../../domain/exports/warnings.ts";
import { webhookOutcomes, webhookStates } from "../../domain/exports/webhooks/webhooks.ts";
import { focusReasons } from "../../timeline/focus.ts";
import { Id, named, namedObject, Timestamp } from "../schemas/responses.ts";

export const ExportWarning = namedObject("ExportWarning", {
  path: z.string().meta({ description: "The field of the request, such as clips.0.end." }),
  code: z.enum(warningCodes),
  message: z.string(),
  targets: z.array(z.enum(aspectRatios)).optional().meta({ description: "Absent if it holds for every target." }),
});

const video = {
  url: z.string().meta({ description: "The relative URL of the video." }),
  size: z.int().min(0).meta({ description: "Bytes." }),
};

const ExportedVideo = namedObject("ExportedVideo", {
  target: z.enum(aspectRatios).optional(),
  ...video,
  width: z.int().meta({ description: "Pixels." }),
  height: z.int().meta({ description: "Pixels." }),
});

const state = {
  id: Id,
  projectId: Id,
  workId: Id,
  name: z.string().meta({ description: "The name of the work when the export was requested." }),
  status: z.enum(exportStatuses),
  progress: z.number().min(0).max(1),
  stage: z
    .enum(["waiting", "preparing", "rendering", "joining"])
    .optional()
    .meta({ description: "Absent once the export has ended." }),
  etaSeconds: z.int().optional().meta({ description: "Remaining seconds, once frames have been rendered." }),
  frames: z.int().min(0).meta({ description: "Of all targets together; 0 until the timeline is known." }),
  framesDone: z.int().min(0),
  warnings: z.array(ExportWarning),
  error: z.string().optional().meta({ description: "Why it failed, in one sentence." }),
  code: z.string().optional().meta({ description: "The code of the error." }),
  url: video.url.optional().meta({ description: "The relative URL of the first video, once it is done." }),
  size: video.size.optional().meta({ description: "Bytes of the first video." }),
  files: z.array(ExportedVideo).optional().meta({ description: "One per target, in their order." }),
  createdAt: Timestamp,
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  expiresAt: Timestamp.meta({
    description: "When an ended export is removed. The end of the export sets it again. In milliseconds.",
  }),
};

export const Export = namedObject("Export", state);

export const ExportList = namedObject("ExportList", {
  exports: z.array(Export),
  count: z.int().min(0).meta({ description: "All exports, whatever the page." }),
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
      "In seconds on the timeline. The focus moves straight from one point to the other, because something moves there against its background (`motion`), or stands out from it (`detail`); `center` if nothing does.",
  },
);

const ClipFocus = namedObject("ClipFocus", {
  path: z.string().meta({ description: "The field of the request, such as clips.0.focus." }),
  parts: z.array(ClipFocusPart),
});

export const ValidationReport = namedObject("ValidationReport", {
  ok: z.boolean(),
  durationSeconds: z.number().nullable().meta({ description: "Of each video; null if the request leaves it open." }),
  frames: z.int().nullable().meta({ description: "Of all targets together." }),
  errors: z.array(
    named("ExportRequestError", z.object({ path: z.string(), code: z.string(), message: z.string() }), {
      description: "An error with which the export would fail.",
    }),
  ),
  warnings: z.array(ExportWarning),
  segments: z
    .object({ total: z.int().min(0), cached: z.int().min(0) })
    .nullable()
    .meta({ description: "Parts that are rendered apart; cached ones are not rendered again." }),
  estimatedSeconds: z
    .number()
    .nullable()
    .meta({ description: "Time to render; null before this server's first export of the quality." }),
  estimatedBytes: z.int().nullable(),
  focus: z
    .array(ClipFocus)
    .optional()
    .meta({ description: "What is followed in clips with the focus `auto`; absent if there are none." }),
});

const bytesOf = { url: z.string().meta({ description: "The relative URL, which never gives other bytes." }) };

const PreviewSegment = namedObject("PreviewSegment", {
  id: z.string().meta({ description: "Names what the segment shows, and when." }),
  start: z.int().min(0).meta({ description: "The first frame." }),
  end: z.int().min(0).meta({ description: "The frame after the last one." }),
  ...bytesOf,
  initUrl: z.string().meta({
    description: "The relative URL of the initialization segment that a player needs before the segment.",
  }),
  cached: z.boolean().meta({ description: "False: it is rendered when its URL is requested." }),
});

const streamType = z.string().meta({ description: "The type and the codec, for MediaSource.isTypeSupported." });

const PreviewVideo = namedObject("PreviewVideo", {
  mimeType: streamType,
  timestampOffset: z.number().meta({ description: "Seconds, for SourceBuffer.timestampOffset: 0 or less." }),
  segments: z.array(PreviewSegment).meta({ description: "From the first frame to the last, without gaps." }),
});

const PreviewSound = namedObject("PreviewSound", {
  id: z.string().meta({ description: "Names the bytes of the sound." }),
  mimeType: streamType,
  ...bytesOf,
});

export const Preview = namedObject("Preview", {
  revision: z.int().meta({ description: "That of the work." }),
  width: z.int().meta({ description: "Pixels." }),
  height: z.int().meta({ description: "Pixels." }),
  fps: z.number().meta({ description: "Frames per second: the first frame of a segment is shown at start / fps." }),
  frames: z.int().min(0),
  durationSeconds: z.number(),
  quality: z.enum(previewQualities),
  video: PreviewVideo,
  audio: PreviewSound,
  warnings: z.array(ExportWarning),
});

const WebhookAttempt = namedObject("WebhookAttempt", {
  at: Timestamp,
  milliseconds: z.int().min(0).meta({ description: "How long the attempt took." }),
  outcome: z.enum(webhookOutcomes),
  status: z.int().optional().meta({ description: "The status that the receiver answered." }),
  reason: z.string().optional(),
  retryAfterSeconds: z.int().optional(),
});

export const WebhookLog = namedObject("WebhookLog", {
  url: z.string(),
  signed: z.boolean(),
  state: z.enum(webhookStates),
  event: z.object({ id: Id, type: z.string() }).optional().meta({ description: "Absent until the export has ended." }),
  attempts: z.array(WebhookAttempt).meta({ description: "Newest first." }),
});
