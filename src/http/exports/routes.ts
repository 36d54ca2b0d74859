import { type Context, Hono } from "hono";
import { type ExportState, followExport, hasEnded } from "../../domain/exports/lifecycle/jobs.ts";
import { exportAndWait, removeExport, requestExport } from "../../domain/exports/lifecycle/request.ts";
import { exportView } from "../../domain/exports/lifecycle/view.ts";
import { AsyncExportRequest, WorkReference } from "../../domain/exports/request/schema.ts";
import { formats, formatTable } from "../../engine/timeline/format.ts";
import { invalid } from "../../errors.ts";
import type { SlotLimit } from "../../platform/limits/slot-limit.ts";
import type { Services } from "../../services.ts";
import { download, json, noContent, page as pageOf, storedFile } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { allowQueryToken } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { preferenceApplied, prefersAsync } from "../operations/respond-async.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { type EventSource, eventAnswers, sendEvents } from "../response/event-stream.ts";
import { PageQuery } from "../schemas/common.ts";
import { loadWorkInBody, requireExportScopes, requireOwnExport, requireOwnState } from "./access.ts";
import { exportErrors } from "./errors.ts";
import { sendExport, sendPoster, VideoQuery } from "./send-export.ts";
import { Export, ExportList } from "./views.ts";

const documented = operationsOf("Exports");

const fileTypes = formats.map((format) => formatTable[format].mimeType);

const acceptedExport = json(Export, "The export is queued.", ["Location", "Preference-Applied"]);

/** POST /api/export: responds with the video, or with 202 if the caller prefers an asynchronous export. */
export const exportRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    documented(requireExportScopes(), {
      id: "exportVideo",
      summary: "Export a video and wait for it",
      about:
        "Renders the request and sends the file, by default an MP4. Fields that the request leaves out come from the work's saved editor. If the client disconnects, the export is cancelled. With Prefer: respond-async the answer is 202, as for POST /api/exports.",
      answers: {
        200: download(fileTypes, "The file, in the format of options.format: by default H.264 and AAC in MP4.", [
          "Accept-Ranges",
          "ETag",
          "X-Export-Warnings",
        ]),
        202: acceptedExport,
      },
      errors: [...exportErrors, "gate_failed", "storage_full"],
    }),
    noIdleTimeout,
    validate("json", WorkReference),
    loadWorkInBody(services),
    validate("json", AsyncExportRequest),
    idempotent(services),
    async (c) => {
      const { work } = c.var;
      const request = c.req.valid("json");
      if (prefersAsync(c)) return accepted(c, services, await requestExport(services, c.var, work, request));
      if (request.webhook) {
        throw invalid("webhook", "Webhooks are for asynchronous exports: send Prefer: respond-async.");
      }
      const job = await exportAndWait(services, c.var, work, request, clientSignal(c), c.var.leaveUserSlot);
      await storeForReplay(c, job);
      return sendExport(c, services.files, job, { disposition: "attachment" });
    },
  );

function accepted(c: Context<AppEnv>, { internalUrls }: Services, job: ExportState) {
  return c.json(exportView(job, internalUrls), 202, { ...preferenceApplied, Location: `/api/exports/${job.id}` });
}

async function storeForReplay(c: Context<AppEnv>, { files: [video], projectId }: ExportState) {
  if (video) await c.var.storeResponseFile?.(video, projectId);
}

/** /api/exports: the caller's own exports, running and ended. */
export const exportJobRoutes = (services: Services, takeStreamSlot: SlotLimit) => {
  const { exports, files, internalUrls } = services;
  const streams = { takeSlot: takeStreamSlot, recheckMs: services.settings.credentialRecheckMs };
  return new Hono<AppEnv>()
    .post(
      "/",
      documented(requireExportScopes(), {
        id: "createExport",
        summary: "Start an export",
        about:
          "Checks the request, queues it and responds at once. Follow the export at its URL or its events, or name a webhook.",
        answers: { 202: acceptedExport },
        errors: exportErrors,
      }),
      validate("json", WorkReference),
      loadWorkInBody(services),
      validate("json", AsyncExportRequest),
      idempotent(services),
      async (c) => accepted(c, services, await requestExport(services, c.var, c.var.work, c.req.valid("json"))),
    )
    .get(
      "/",
      documented(requireExportScopes(), {
        id: "listExports",
        summary: "List the exports",
        about: "Returns the user's exports that run or have not expired, newest first.",
        answers: { 200: pageOf(ExportList, "The exports.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await exports.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
        const views = withNextLink(c, page, (job) => exportView(job, internalUrls));
        return c.json({ exports: views, count: page.count }, 200);
      },
    )
    .get(
      "/:exportId",
      documented(requireExportScopes(), {
        id: "getExport",
        summary: "Read an export",
        about: "Returns the state of the export with its progress and its warnings.",
        answers: { 200: json(Export, "The export.") },
        errors: ["not_found"],
      }),
      async (c) => c.json(exportView(await requireOwnState(exports, c), internalUrls), 200),
    )
    .get(
      "/:exportId/file",
      allowQueryToken,
      documented(requireExportScopes(), {
        id: "downloadExport",
        summary: "Download an exported video",
        about:
          "Sends the video of the first target, or of the target in the query. The answer is 409 until the export is done.",
        answers: storedFile(fileTypes, "The file, in the format of the request.", ["X-Export-Warnings"]),
        errors: ["not_found", "not_ready", "range_not_satisfiable", "source_unreadable"],
      }),
      validate("query", VideoQuery),
      async (c) => {
        const { target } = c.req.valid("query");
        return sendExport(c, files, await requireOwnExport(exports, c), { disposition: "inline", target });
      },
    )
    .get(
      "/:exportId/poster",
      allowQueryToken,
      documented(requireExportScopes(), {
        id: "downloadPoster",
        summary: "Download the poster of an exported video",
        about:
          "Sends the JPEG of options.poster, of the first target or of the target in the query. The answer is 404 if the request wanted none, and 409 until the export is done.",
        answers: storedFile(["image/jpeg"], "The poster."),
        errors: ["not_found", "not_ready", "range_not_satisfiable", "source_unreadable"],
      }),
      validate("query", VideoQuery),
      async (c) => sendPoster(c, files, await requireOwnState(exports, c), c.req.valid("query").target),
    )
    .get(
      "/:exportId/events",
      allowQueryToken,
      documented(requireExportScopes(), {
        id: "followExport",
        summary: "Follow an export",
        about:
          "Sends server-sent events: `progress`, then `done`, `error` or `cancelled`, each with the whole export as data. A client that connects late or reconnects gets the current state at once.",
        answers: eventAnswers,
        errors: ["not_found"],
      }),
      noIdleTimeout,
      async (c) => sendEvents(c, exportEvents(c, services), streams),
    )
    .delete(
      "/:exportId",
      documented(requireExportScopes(), {
        id: "deleteExport",
        summary: "Cancel or delete an export",
        about: "Cancels the export if it still runs, and removes it with its videos.",
        answers: noContent("The export is deleted."),
        errors: ["not_found"],
      }),
      async (c) => {
        await removeExport(services, await requireOwnState(exports, c));
        return c.body(null, 204);
      },
    );
};

/** Each event has the whole export. */
const exportEvents = (c: Context<AppEnv>, services: Services): EventSource<ExportState> => ({
  load: () => requireOwnState(services.exports, c),
  hasEnded,
  follow: (current, signal) => followExport(services, current, signal),
  events: (state) => [
    { event: hasEnded(state) ? state.status : "progress", data: exportView(state, services.internalUrls) },
  ],
});
