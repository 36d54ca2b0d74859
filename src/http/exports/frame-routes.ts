import { type Context, Hono } from "hono";
import type { z } from "zod";
import { type FrameRequest, renderContactSheet, renderFrame } from "../../domain/exports/lifecycle/frames.ts";
import { ExportRequest, WorkReference } from "../../domain/exports/request/schema.ts";
import { requireVersion } from "../../domain/works/versions.ts";
import type { Services } from "../../services.ts";
import { file } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { loadWork } from "../middleware/load-resource.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { leaveUserSlot } from "../request/user-concurrency.ts";
import { validate } from "../request/validate.ts";
import { sendBytes } from "../response/send-file.ts";
import { loadWorkInBody, requireExportScopes } from "./access.ts";
import { videoErrors } from "./errors.ts";
import { ContactSheetQuery, FrameQuery } from "./frame-schemas.ts";
import { videoName } from "./send-export.ts";

const documented = operationsOf("Exports");

const png = file(["image/png"], "The image.");
const errors = [...videoErrors, "range_not_satisfiable"] as const;

/** Frames of the video that an export of the same body would give. */
export const frameRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .post(
      "/frame",
      documented(requireExportScopes(), {
        id: "renderFrame",
        summary: "Draw one frame of a request",
        about:
          "Draws the frame at a time of the video that an export of the same body would give. The pixels are those of the export.",
        answers: png,
        errors,
      }),
      noIdleTimeout,
      validate("json", WorkReference),
      loadWorkInBody(services),
      validate("json", ExportRequest),
      validate("query", FrameQuery),
      leaveUserSlot,
      async (c) => sendFrame(c, services, c.req.valid("json"), c.req.valid("query")),
    )
    .post(
      "/contact-sheet",
      documented(requireExportScopes(), {
        id: "renderContactSheet",
        summary: "Draw a contact sheet of a request",
        about: "Draws frames at even distances of the video that an export of the same body would give, in one image.",
        answers: png,
        errors,
      }),
      noIdleTimeout,
      validate("json", WorkReference),
      loadWorkInBody(services),
      validate("json", ExportRequest),
      validate("query", ContactSheetQuery),
      leaveUserSlot,
      async (c) => sendContactSheet(c, services, c.req.valid("json"), c.req.valid("query")),
    );

/** Frames of the video that the work's saved editor describes. */
export const workFrameRoutes = (services: Services) => {
  const scopes = requireScopes("works:read");
  const work = loadWork(services);
  return new Hono<AppEnv>()
    .get(
      "/:workId/frame",
      allowQueryToken,
      documented(scopes, {
        id: "renderWorkFrame",
        summary: "Draw one frame of a work",
        about: "Draws the frame at a time of the video that the work's saved editor describes.",
        answers: png,
        errors,
      }),
      noIdleTimeout,
      work,
      validate("query", FrameQuery),
      leaveUserSlot,
      async (c) => sendFrame(c, services, savedRequest(c), c.req.valid("query")),
    )
    .get(
      "/:workId/versions/:versionId/thumbnail",
      allowQueryToken,
      documented(scopes, {
        id: "renderWorkVersion",
        summary: "Draw a save of a work",
        about:
          "Draws a small frame of the video that a version of the work describes, with the files that the work has now.",
        answers: png,
        errors,
      }),
      noIdleTimeout,
      work,
      leaveUserSlot,
      async (c) => {
        const { scenes, editorState } = await requireVersion(services, c.var.work, c.req.param("versionId"));
        c.set("work", { ...c.var.work, scenes, editorState });
        const ends = editorState.editorData.videoTrack.map(({ end }) => end);
        const seconds = Math.min(thumbnailSeconds, Math.max(0, ...ends) / 2);
        return sendFrame(c, services, savedRequest(c), { t: seconds, maxSide: thumbnailSide });
      },
    )
    .get(
      "/:workId/contact-sheet",
      allowQueryToken,
      documented(scopes, {
        id: "renderWorkContactSheet",
        summary: "Draw a contact sheet of a work",
        about: "Draws frames at even distances of the video that the work's saved editor describes, in one image.",
        answers: png,
        errors,
      }),
      noIdleTimeout,
      work,
      validate("query", ContactSheetQuery),
      leaveUserSlot,
      async (c) => sendContactSheet(c, services, savedRequest(c), c.req.valid("query")),
    );
};

/** The words of a first scene are there by then. */
const thumbnailSeconds = 1;
const thumbnailSide = 240;

/** A request that takes everything from the work's editor. */
const savedRequest = ({ var: { work } }: Context<AppEnv>): ExportRequest => ({
  projectId: work.projectId,
  workId: work.id,
});

const frameRequest = (
  c: Context<AppEnv>,
  request: ExportRequest,
  { target, canvas }: Pick<FrameRequest, "target" | "canvas">,
): FrameRequest => ({
  work: c.var.work,
  request,
  target,
  canvas,
  owner: c.var.caller.user.id,
  signal: c.req.raw.signal,
});

async function sendFrame(
  c: Context<AppEnv>,
  services: Services,
  request: ExportRequest,
  { t: seconds, target, canvas, ...size }: z.output<typeof FrameQuery>,
) {
  const image = await renderFrame(services, frameRequest(c, request, { target, canvas }), { seconds, ...size });
  return sendPng(c, image, `${videoName(c.var.work.name, target)} ${seconds}.png`);
}

async function sendContactSheet(
  c: Context<AppEnv>,
  services: Services,
  request: ExportRequest,
  query: z.output<typeof ContactSheetQuery>,
) {
  const image = await renderContactSheet(services, frameRequest(c, request, query), query);
  return sendPng(c, image, `${videoName(c.var.work.name, query.target)}.png`);
}

const sendPng = (c: Context<AppEnv>, image: Uint8Array, filename: string): Promise<Response> =>
  sendBytes(c, { bytes: image, mimeType: "image/png", filename });
