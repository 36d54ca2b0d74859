import { Hono } from "hono";
import { checkExport } from "../../domain/exports/lifecycle/request.ts";
import { ExportRequest, WorkReference } from "../../domain/exports/request/schema.ts";
import type { GateReport } from "../../domain/gate/report.ts";
import { named } from "../../domain/shared/schemas.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import type { Services } from "../../services.ts";
import { json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { loadWorkInBody, requireExportScopes, requireOwnExport } from "../exports/access.ts";
import { exportErrors } from "../exports/errors.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { GateReportView } from "./views.ts";

const documented = operationsOf("Exports");

const CheckRequest = named("ExportCheckRequest", ExportRequest.omit({ gate: true }));

/** Copies the report, because the domain's lists are readonly. */
const viewOf = (report: GateReport) => structuredClone(report) as Mutable<GateReport>;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends object | undefined ? Mutable<T[Key]> : T[Key] };

/** POST /api/export/check: the rendered video against the rules of platforms. */
export const checkRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/check",
    documented(requireExportScopes(), {
      id: "checkExport",
      summary: "Check a video against the rules of platforms",
      about:
        "Renders the request as an export, measures its videos and returns one report for each video and platform. The videos are not kept, but a later export of the same request is quick. It counts as an export and is cancelled if the client disconnects.",
      answers: { 200: json(GateReportView, "The reports.") },
      errors: [...exportErrors, "storage_full"],
    }),
    noIdleTimeout,
    validate("json", WorkReference),
    loadWorkInBody(services),
    validate("json", CheckRequest),
    idempotent(services),
    async (c) => {
      const { work } = c.var;
      const signal = clientSignal(c);
      const report = await checkExport(services, c.var, work, c.req.valid("json"), signal, c.var.leaveUserSlot);
      return c.json(viewOf(report), 200);
    },
  );

/** GET /api/exports/:id/check: the gate reports of an export. */
export const exportCheckRoutes = ({ exports }: Services) =>
  new Hono<AppEnv>().get(
    "/:exportId/check",
    documented(requireExportScopes(), {
      id: "readExportCheck",
      summary: "Read the gate reports of an export",
      about:
        "Returns the reports of an export with `gate`, also if it ended with gate_failed. The answer is 404 for other exports, and until the video is rendered.",
      answers: { 200: json(GateReportView, "The reports.") },
      errors: ["not_found"],
    }),
    async (c) => {
      const { gateReport } = await requireOwnExport(exports, c);
      return c.json(viewOf(requireFound(gateReport)), 200);
    },
  );
