import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { contactSheetOf, type FilmOrder, frameOfFilm } from "../../../domain/exports/frames.ts";
import { type AspectRatio, aspectRatios, ExportRequest, ExportTarget } from "../../../domain/exports/schema.ts";
import type { Services } from "../../../domain/services.ts";
import type { AppEnv } from "../../app-env.ts";
import { loadWork, loadWorkNamedBy } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { queryToken, requireScopes } from "../../middleware/require-scopes.ts";
import { validate } from "../../request/validate.ts";
import { sendFile } from "../../response/send-file.ts";
import { filmName } from "../../response/send-film.ts";
import { mayExport, namedInBody } from "./exports.ts";

const wholeUpTo = (max: number, from = 1) =>
  z
    .string()
    .regex(/^\d{1,5}$/, "Must be a whole number.")
    .transform(Number)
    .pipe(z.int().min(from).max(max));

const Target = z.enum(aspectRatios).optional().meta({
  description:
    "Which of the films that options.targets ask for, the first when absent; any of these where the request asks for none.",
});

/** `?t=` in seconds; `?width=` in pixels, the film's own when absent. */
const FrameQuery = z.object({
  target: Target,
  t: z
    .string({ error: "Must be a time in seconds." })
    .regex(/^-?(\d+\.?\d*|\.\d+)(e-?\d{1,2})?$/i, "Must be a time in seconds.")
    .transform(Number),
  width: wholeUpTo(4096, 16).optional(),
});

const SheetQuery = z.object({
  target: Target,
  columns: wholeUpTo(10).default(4),
  rows: wholeUpTo(10).default(4),
});

/** Frames of the film that an export of the same body would give. */
export const frameRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .post(
      "/frame",
      mayExport(),
      noIdleTimeout,
      validate("json", ExportTarget),
      loadWorkNamedBy(services, namedInBody),
      validate("json", ExportRequest),
      validate("query", FrameQuery),
      async (c) => sendFrame(c, services, c.req.valid("json"), c.req.valid("query")),
    )
    .post(
      "/contact-sheet",
      mayExport(),
      noIdleTimeout,
      validate("json", ExportTarget),
      loadWorkNamedBy(services, namedInBody),
      validate("json", ExportRequest),
      validate("query", SheetQuery),
      async (c) => sendSheet(c, services, c.req.valid("json"), c.req.valid("query")),
    );

/** Frames of a work's film as its saved editor has it. */
export const workFrameRoutes = (services: Services) => {
  const [mayRead, own] = [requireScopes("works:read"), loadWork(services)];
  return new Hono<AppEnv>()
    .get("/:workId/frame", queryToken, mayRead, noIdleTimeout, own, validate("query", FrameQuery), async (c) =>
      sendFrame(c, services, asSaved(c), c.req.valid("query")),
    )
    .get("/:workId/contact-sheet", queryToken, mayRead, noIdleTimeout, own, validate("query", SheetQuery), async (c) =>
      sendSheet(c, services, asSaved(c), c.req.valid("query")),
    );
};

const asSaved = ({ var: { work } }: Context<AppEnv>): ExportRequest => ({ projectId: work.projectId, workId: work.id });

const orderOf = (c: Context<AppEnv>, request: ExportRequest, target?: AspectRatio): FilmOrder => ({
  ...{ work: c.var.work, request, target, owner: c.var.caller.user.id, signal: c.req.raw.signal },
});

async function sendFrame(
  c: Context<AppEnv>,
  services: Services,
  request: ExportRequest,
  { t: seconds, width, target }: z.output<typeof FrameQuery>,
) {
  const picture = await frameOfFilm(services, orderOf(c, request, target), { seconds, width });
  return sendPicture(c, picture, `${filmName(c.var.work.name, target)} ${seconds}.png`);
}

async function sendSheet(
  c: Context<AppEnv>,
  services: Services,
  request: ExportRequest,
  query: z.output<typeof SheetQuery>,
) {
  const sheet = await contactSheetOf(services, orderOf(c, request, query.target), query);
  return sendPicture(c, sheet, `${filmName(c.var.work.name, query.target)}.png`);
}

const sendPicture = (c: Context<AppEnv>, picture: Uint8Array, filename: string): Response =>
  sendFile(c, {
    ...{ sizeBytes: picture.byteLength, mimeType: "image/png", filename, disposition: "inline" },
    contentHash: createHash("sha256").update(picture).digest("hex"),
    // a copy, because a Blob takes no shared memory
    read: (start, end) => new Blob([new Uint8Array(picture.subarray(start, end))]),
  });
