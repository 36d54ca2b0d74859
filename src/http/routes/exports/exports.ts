import { type Context, Hono } from "hono";
import { z } from "zod";
import type { ExportState } from "../../../domain/exports/jobs.ts";
import { exportAndWait, removeExport, requestExport } from "../../../domain/exports/lifecycle/request.ts";
import { AsyncExportRequest, aspectRatios, WorkReference } from "../../../domain/exports/schema.ts";
import { exportView } from "../../../domain/exports/view.ts";
import type { Services } from "../../../domain/services.ts";
import { invalid } from "../../../errors.ts";
import type { AppEnv } from "../../app-env.ts";
import { clientSignal } from "../../client-signal.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { allowQueryToken } from "../../middleware/require-scopes.ts";
import { pageRequest, withNextLink } from "../../request/paging.ts";
import { preferenceApplied, prefersAsync } from "../../request/prefer.ts";
import { validate } from "../../request/validate.ts";
import { sendExport } from "../../response/send-export.ts";
import { PageQuery } from "../../schemas/common.ts";
import { loadWorkInBody, requireExportScopes, requireOwnExport, requireOwnState } from "./access.ts";
import { eventStreamPlaces, sendExportEvents } from "./events.ts";

const FileQuery = z.object({ target: z.enum(aspectRatios).optional() });

/** POST /api/export: responds with the video, or with 202 if the caller prefers an asynchronous export. */
export const exportRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    requireExportScopes(),
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
      const job = await exportAndWait(services, c.var, work, request, clientSignal(c));
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
export const exportJobRoutes = (services: Services) => {
  const { exports, files, internalUrls } = services;
  const takeStreamPlace = eventStreamPlaces();
  return new Hono<AppEnv>()
    .post(
      "/",
      requireExportScopes(),
      validate("json", WorkReference),
      loadWorkInBody(services),
      validate("json", AsyncExportRequest),
      idempotent(services),
      async (c) => accepted(c, services, await requestExport(services, c.var, c.var.work, c.req.valid("json"))),
    )
    .get("/", requireExportScopes(), validate("query", PageQuery), async (c) => {
      const page = await exports.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
      const views = withNextLink(c, page, (job) => exportView(job, internalUrls));
      return c.json({ exports: views, count: page.count }, 200);
    })
    .get("/:exportId", requireExportScopes(), async (c) =>
      c.json(exportView(await requireOwnState(exports, c), internalUrls), 200),
    )
    .get("/:exportId/file", allowQueryToken, requireExportScopes(), validate("query", FileQuery), async (c) => {
      const { target } = c.req.valid("query");
      return sendExport(c, files, await requireOwnExport(exports, c), { disposition: "inline", target });
    })
    .get("/:exportId/events", allowQueryToken, requireExportScopes(), noIdleTimeout, async (c) =>
      sendExportEvents(c, services, takeStreamPlace, await requireOwnState(exports, c)),
    )
    .delete("/:exportId", requireExportScopes(), async (c) => {
      await removeExport(services, await requireOwnState(exports, c));
      return c.body(null, 204);
    });
};
