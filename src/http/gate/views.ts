import { z } from "zod";
import { platforms } from "../../domain/gate/platforms.ts";
import { ruleStatuses } from "../../domain/gate/report.ts";
import { ruleNames } from "../../domain/gate/rule-names.ts";
import { named, namedObject, Timestamp } from "../schemas/responses.ts";

const Target = z.string().optional().meta({ description: "The aspect ratio, if the request lists targets." });

const Seconds = z.object({ start: z.number(), end: z.number() }).meta({ description: "Seconds of the video." });

const Margins = named(
  "RuleMargins",
  z.object({ top: z.number(), bottom: z.number(), left: z.number(), right: z.number() }),
  { description: "Shares of the frame's sides." },
);

const RuleResult = namedObject("RuleResult", {
  rule: z.enum(ruleNames),
  status: z.enum(ruleStatuses).meta({
    description:
      "`fail`: what must be is not; `warn`: what is advised is not; `skipped`: the video has nothing that the rule looks at.",
  }),
  message: z.string().optional().meta({ description: "What is wrong; absent if nothing is." }),
  measured: z.union([z.number(), z.string()]).optional(),
  at: z.array(Seconds).optional().meta({ description: "Where." }),
  min: z.number().optional().meta({ description: "What the rule asks for, in the unit of what was measured." }),
  max: z.number().optional(),
  oneOf: z.array(z.string()).optional(),
  margins: Margins.optional(),
  asOf: z.string().meta({ description: "The day of the publication, or the day on which it was read." }),
  isOld: z.boolean().meta({ description: "That day is more than a year before the check." }),
  source: z.object({ title: z.string(), url: z.string().optional() }),
});

const CheckedVideo = namedObject("CheckedVideo", {
  target: Target,
  width: z.number(),
  height: z.number(),
  seconds: z.number(),
  size: z.int().meta({ description: "Bytes." }),
  bitrate: z.number().meta({ description: "Kilobits a second, of the whole file." }),
  codec: z.string(),
  fps: z.number().optional(),
  loudness: z
    .object({ integrated: z.number(), truePeak: z.number() })
    .optional()
    .meta({ description: "In LUFS and dBTP; absent for silence." }),
});

const PlatformReport = namedObject("PlatformReport", {
  target: Target,
  platform: z.enum(platforms),
  ok: z.boolean().meta({ description: "No rule has failed; some may have warned." }),
  rules: z.array(RuleResult),
});

export const GateReportView = namedObject("GateReport", {
  ok: z.boolean(),
  checkedAt: Timestamp,
  videos: z.array(CheckedVideo),
  reports: z.array(PlatformReport).meta({ description: "One for each video and platform." }),
});
