import { type Context, Hono } from "hono";
import { z } from "zod";
import type { CaptionFormat } from "../../domain/captions/caption-blocks.ts";
import { exportedCaptions, makeCaptions } from "../../domain/exports/lifecycle/caption-files.ts";
import { ExportRequest, WorkReference } from "../../domain/exports/request/schema.ts";
import { type AspectRatio, aspectRatios, maxVideoSeconds, named, optional } from "../../domain/shared/schemas.ts";
import type { Services } from "../../services.ts";
import { file, json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { allowQueryToken } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { sendBytes } from "../response/send-file.ts";
import { namedObject } from "../schemas/responses.ts";
import { loadWorkInBody, requireExportScopes, requireOwnExport } from "./access.ts";
import { VideoQuery, videoName } from "./send-export.ts";
import { ExportWarning } from "./views.ts";

const times = {
  start: z.number().describe("Seconds on the timeline, at the start of a frame."),
  end: z.number().describe("Seconds on the timeline, at the start of a frame."),
};

const CaptionWord = namedObject("CaptionWord", {
  text: z.string(),
  ...times,
  glued: z.boolean().describe("No space before it."),
});

const CaptionPage = namedObject("CaptionPage", {
  ...times,
  lines: z.array(z.object({ text: z.string(), words: z.array(CaptionWord) })),
});

const Captions = namedObject("Captions", {
  language: z.string().optional(),
  pages: z.array(CaptionPage).describe("The texts shown at once, in order."),
  srt: z.string().describe("The text of a SubRip file."),
  vtt: z.string().describe("The text of a WebVTT file."),
  warnings: z.array(ExportWarning),
});

const documented = operationsOf("Exports");

const CaptionsOrder = named(
  "CaptionsRequest",
  ExportRequest.extend({
    duration: optional(z.number().positive().max(maxVideoSeconds)).describe(
      "Seconds: the duration of a video without clips. By default, the clips come from the work's saved editor.",
    ),
    target: optional(z.enum(aspectRatios)).describe("One of options.targets; by default, the first."),
  }),
);

const types = { srt: "application/x-subrip", vtt: "text/vtt" } as const satisfies Record<CaptionFormat, string>;

/** POST /api/captions: captions without a video. */
export const captionRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    documented(requireExportScopes(), {
      id: "makeCaptions",
      summary: "Make captions without rendering",
      about:
        "Returns the captions that an export of the same body would have: their pages, as SubRip and as WebVTT. The media of the scenes may be missing.",
      answers: { 200: json(Captions, "The captions.") },
      errors: ["not_found", "nothing_to_export", "asset_missing", "font_unusable"],
    }),
    validate("json", WorkReference),
    loadWorkInBody(services),
    validate("json", CaptionsOrder),
    async (c) => {
      const { duration, target, ...request } = c.req.valid("json");
      return c.json(await makeCaptions(services, c.var, { request, duration, target }), 200);
    },
  );

/** The captions of a finished export, with the lines and times of its video. */
export const exportCaptionRoutes = ({ exports }: Services) => {
  const send = async (c: Context<AppEnv>, format: CaptionFormat, target: AspectRatio | undefined) => {
    const job = await requireOwnExport(exports, c);
    const bytes = new TextEncoder().encode(exportedCaptions(job, format, target));
    const filename = `${videoName(job.name, target)}.${format}`;
    return sendBytes(c, { bytes, mimeType: `${types[format]}; charset=utf-8`, filename });
  };
  const about = (format: string) =>
    `Sends the captions as ${format}, with the lines and times of the video, as long as the video is kept. The answer is 409 until the export is done, and 404 if it has no captions.`;
  const errors = ["not_found", "not_ready", "range_not_satisfiable"] as const;
  return new Hono<AppEnv>()
    .get(
      "/:exportId/captions.srt",
      allowQueryToken,
      documented(requireExportScopes(), {
        id: "downloadSrt",
        summary: "Download the captions as SubRip",
        about: about("a SubRip file"),
        answers: file([types.srt], "The captions."),
        errors,
      }),
      validate("query", VideoQuery),
      async (c) => send(c, "srt", c.req.valid("query").target),
    )
    .get(
      "/:exportId/captions.vtt",
      allowQueryToken,
      documented(requireExportScopes(), {
        id: "downloadVtt",
        summary: "Download the captions as WebVTT",
        about: about("a WebVTT file, with the times of words where the style shows them"),
        answers: file([types.vtt], "The captions."),
        errors,
      }),
      validate("query", VideoQuery),
      async (c) => send(c, "vtt", c.req.valid("query").target),
    );
};
