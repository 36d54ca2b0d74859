import { Hono } from "hono";
import { z } from "zod";
import { checkExport } from "../../domain/exports/lifecycle/request.ts";
import { ExportRequest, WorkReference } from "../../domain/exports/request/schema.ts";
import { platforms } from "../../domain/gate/platforms.ts";
import { type GateReport, ruleStatuses } from "../../domain/gate/report.ts";
import { ruleNames } from "../../domain/gate/rule-names.ts";
import { uses } from "../../domain/gate/rules.ts";
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
import { named, namedObject, Timestamp } from "../schemas/responses.ts";

const Target = z.string().optional().describe("The aspect ratio, if the request lists targets.");

const Seconds = z.object({ start: z.number(), end: z.number() }).describe("Seconds of the video.");

const Margins = named(
  "RuleMargins",
  z.object({ top: z.number(), bottom: z.number(), left: z.number(), right: z.number() }),
  { description: "Fractions of the frame's width or height." },
);

const RuleResult = namedObject("RuleResult", {
  rule: z.enum(ruleNames),
  use: z.enum(uses).optional().describe("The use that the rule applies to; absent if it applies to every use."),
  status: z
    .enum(ruleStatuses)
    .describe(
      "`fail`: a requirement is not met; `warn`: a recommendation is not met; `skipped`: the video has nothing that the rule applies to.",
    ),
  message: z.string().optional().describe("What is wrong; absent if nothing is."),
  measured: z.union([z.number(), z.string()]).optional(),
  at: z.array(Seconds).optional().describe("Where."),
  min: z.number().optional().describe("The lowest allowed value, in the unit of `measured`."),
  max: z.number().optional(),
  oneOf: z.array(z.string()).optional(),
  margins: Margins.optional(),
  asOf: z.string().describe("The day on which the source was published, or read."),
  isOld: z.boolean().describe("That day is more than a year before the check."),
  source: z.object({ title: z.string(), url: z.string().optional() }),
});

const CheckedVideo = namedObject("CheckedVideo", {
  target: Target,
  width: z.number(),
  height: z.number(),
  seconds: z.number(),
  size: z.int().describe("Bytes."),
  bitrate: z.number().describe("Kilobits per second, of the whole file."),
  codec: z.string(),
  fps: z.number().optional(),
  loudness: z
    .object({ integrated: z.number(), truePeak: z.number() })
    .optional()
    .describe("In LUFS and dBTP; absent for silence."),
});

const PlatformReport = namedObject("PlatformReport", {
  target: Target,
  platform: z.enum(platforms),
  ok: z.boolean().describe("True if no rule has failed; there may be warnings."),
  rules: z.array(RuleResult),
});

const GateReportView = namedObject("GateReport", {
  ok: z.boolean(),
  checkedAt: Timestamp,
  videos: z.array(CheckedVideo),
  reports: z.array(PlatformReport).describe("One for each video and platform."),
});

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
