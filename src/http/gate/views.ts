import { z } from "zod";
import { platforms } from "../../domain/gate/platforms.ts";
import { ruleStatuses } from "../../domain/gate/report.ts";
import { ruleNames } from "../../domain/gate/rule-names.ts";
import { uses } from "../../domain/gate/rules.ts";
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

export const GateReportView = namedObject("GateReport", {
  ok: z.boolean(),
  checkedAt: Timestamp,
  videos: z.array(CheckedVideo),
  reports: z.array(PlatformReport).describe("One for each video and platform."),
});
