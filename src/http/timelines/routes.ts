import { type Context, Hono } from "hono";
import { z } from "zod";
import {
  editorTimeline,
  type TimelineFormat,
  timelineFormats,
} from "../../domain/exports/lifecycle/editor-timeline.ts";
import { aspectRatios } from "../../domain/shared/schemas.ts";

import type { Services } from "../../services.ts";
import { download } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireExportScopes, requireOwnExport } from "../exports/access.ts";
import { videoErrors } from "../exports/errors.ts";
import { videoName } from "../exports/send-export.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { allowQueryToken } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { contentDisposition } from "../response/send-file.ts";
import { sendZip, textEntry } from "../response/send-zip.ts";

const documented = operationsOf("Exports");

const types = { otio: "application/octet-stream", fcpxml: "application/xml", edl: "text/plain" } as const;

const TargetQuery = z.object({
  target: z.enum(aspectRatios).optional().describe("One of the request's options.targets; by default, the first."),
});

/** Timelines for other editors: clips refer to the media of the request; texts become titles, scenes markers. */
const about = (what: string) =>
  `Sends the edit of a finished export as ${what}, with the paths of its media relative to it: the zip file has both. Times are exact to the frame. It names the files that the request refers to now.`;

const errors = ["not_found", "not_ready", "validation_error", ...videoErrors] as const;

export function timelineRoutes(services: Services) {
  const read = async (c: Context<AppEnv>, target: z.output<typeof TargetQuery>["target"]) => {
    const job = await requireOwnExport(services.exports, c);
    const made = await editorTimeline(services, c.var.caller, job, target);
    return { ...made, job, name: videoName(job.name, target) };
  };
  const send = async (c: Context<AppEnv>, format: TimelineFormat, query: z.output<typeof TargetQuery>) => {
    const { list, name } = await read(c, query.target);
    c.header("Content-Type", format === "otio" ? types.otio : `${types[format]}; charset=utf-8`);
    c.header("Content-Disposition", contentDisposition("attachment", `${name}.${format}`));
    return c.body(timelineFormats[format](list), 200);
  };
  return new Hono<AppEnv>()
    .get(
      "/:exportId/timeline.otio",
      allowQueryToken,
      documented(requireExportScopes(), {
        id: "downloadOtio",
        summary: "Download an export for OpenTimelineIO",
        about: about("OpenTimelineIO's JSON"),
        answers: { 200: download([types.otio], "The timeline.") },
        errors,
      }),
      validate("query", TargetQuery),
      async (c) => send(c, "otio", c.req.valid("query")),
    )
    .get(
      "/:exportId/timeline.fcpxml",
      allowQueryToken,
      documented(requireExportScopes(), {
        id: "downloadFcpxml",
        summary: "Download an export for Final Cut Pro",
        about: about("Final Cut Pro's XML"),
        answers: { 200: download([types.fcpxml], "The timeline.") },
        errors,
      }),
      validate("query", TargetQuery),
      async (c) => send(c, "fcpxml", c.req.valid("query")),
    )
    .get(
      "/:exportId/timeline.edl",
      allowQueryToken,
      documented(requireExportScopes(), {
        id: "downloadEdl",
        summary: "Download an export as an edit decision list",
        about: about("a CMX 3600 list of its pictures"),
        answers: { 200: download([types.edl], "The list.") },
        errors,
      }),
      validate("query", TargetQuery),
      async (c) => send(c, "edl", c.req.valid("query")),
    )
    .get(
      "/:exportId/timeline.zip",
      allowQueryToken,
      documented(requireExportScopes(), {
        id: "downloadTimeline",
        summary: "Download an export with its media for other editors",
        about:
          "Sends the timeline in all three formats, the captions as SubRip, the media, and notes on what the formats cannot express, as a zip file.",
        answers: { 200: download(["application/zip"], "The timeline and its media.") },
        errors,
      }),
      noIdleTimeout,
      validate("query", TargetQuery),
      async (c) => {
        const { list, srt, files, job, name } = await read(c, c.req.valid("query").target);
        const entries = [
          ...Object.entries(timelineFormats).map(([format, print]) => textEntry(`timeline.${format}`, print(list))),
          ...(srt === undefined ? [] : [textEntry("captions.srt", srt)]),
          textEntry("notes.txt", list.lost.map((note) => `${note}\n`).join("")),
          ...files.map(({ path, key, sizeBytes: size }) => ({
            ...{ name: path, size },
            open: () => services.files.read({ key, sizeBytes: size }, 0, size),
          })),
        ];
        return sendZip(c, { filename: `${name}.zip`, entries, lastModified: new Date(job.createdAt) });
      },
    );
}
