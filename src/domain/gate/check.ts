import { brandChecks } from "./brand-checks.ts";
import { fileChecks, hasRatio } from "./file-checks.ts";
import type { FilmFacts } from "./film-facts.ts";
import type { Check } from "./finding.ts";
import { pictureChecks } from "./picture-checks.ts";
import type { Platform } from "./platforms.ts";
import type { PlatformReport, RuleResult } from "./report.ts";
import type { RuleName } from "./rule-names.ts";
import { rules } from "./rules.ts";
import type { GateRules } from "./schema.ts";
import { textChecks } from "./text-checks.ts";

const checks: Readonly<Record<RuleName, Check>> = { ...fileChecks, ...pictureChecks, ...textChecks, ...brandChecks };

const yearMs = 365 * 86_400_000;

/** Checks one video against the rules of a platform. */
export function checkFor(
  platform: Platform,
  film: FilmFacts,
  { own, now }: { readonly own: GateRules; readonly now: number },
): Pick<PlatformReport, "platform" | "ok" | "rules"> {
  const ignored = new Set(own.ignore);
  const { use = "ad" } = own;
  const results = rules
    .filter((rule) => (rule.platform ?? platform) === platform && (rule.use ?? use) === use)
    .filter(({ rule, ratios }) => !ignored.has(rule) && (!ratios || hasRatio(film, ratios)))
    .map((rule): RuleResult => {
      const { platform: _, ratios: __, level, asOf, source, rule: name, ...limit } = rule;
      const isOld = now - Date.parse(asOf) > yearMs;
      const found = checks[name](film, rule, own);
      if (!found) return { rule: name, status: "skipped", ...limit, asOf, isOld, source };
      const { message, ...measured } = found;
      const status = message === undefined ? "pass" : level === "must" ? "fail" : "warn";
      return { rule: name, status, ...(message && { message }), ...measured, ...limit, asOf, isOld, source };
    });
  return { platform, ok: results.every(({ status }) => status !== "fail"), rules: results };
}
