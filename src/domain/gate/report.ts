import type { Stretch } from "../../engine/ports.ts";
import type { Platform } from "./platforms.ts";
import type { RuleName } from "./rule-names.ts";
import type { Limit, RuleSource, Use } from "./rules.ts";

/** `fail` and `warn`: the rule is broken, and is a must or a recommendation. `skipped`: the rule does not apply. */
export const ruleStatuses = ["pass", "warn", "fail", "skipped"] as const;

export type RuleResult = Limit & {
  readonly rule: RuleName;
  /** The use that the rule is for; absent for every use. */
  readonly use?: Use;
  readonly status: (typeof ruleStatuses)[number];
  /** The problem in words; absent if the rule passes. */
  readonly message?: string;
  readonly measured?: number | string;
  readonly at?: readonly Stretch[];
  readonly asOf: string;
  /** True if the rule was published more than a year before the check. */
  readonly isOld: boolean;
  readonly source: RuleSource;
};

/** The result of one video on one platform. */
export type PlatformReport = {
  /** The aspect ratio of the video, if the request lists targets. */
  readonly target?: string;
  readonly platform: Platform;
  /** True if no rule has failed; some may have warned. */
  readonly ok: boolean;
  readonly rules: readonly RuleResult[];
};

export type VideoReport = {
  /** The aspect ratio of the video, if the request lists targets. */
  readonly target?: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly size: number;
  /** Kilobits per second, for the whole file. */
  readonly bitrate: number;
  readonly codec: string;
  readonly fps?: number;
  readonly loudness?: { readonly integrated: number; readonly truePeak: number };
};

export type GateReport = {
  readonly ok: boolean;
  readonly checkedAt: number;
  readonly videos: readonly VideoReport[];
  readonly reports: readonly PlatformReport[];
};
