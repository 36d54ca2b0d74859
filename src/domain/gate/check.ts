import { formatQuantity } from "../shared/issue-messages.ts";
import { fileChecks, hasRatio } from "./file-checks.ts";
import type { FilmFacts } from "./film-facts.ts";
import { type Check, grown, inPixels, inSeconds, naming, overlaps } from "./finding.ts";
import { maxSearchedCharacters } from "./phrases.ts";
import type { Platform } from "./platforms.ts";
import type { PlatformReport, RuleResult } from "./report.ts";
import type { RuleName } from "./rule-names.ts";
import { rules } from "./rules.ts";
import type { GateRules } from "./schema.ts";
import { textChecks } from "./text-checks.ts";

const flashes =
  (kind: "flashes" | "redFlashes"): Check =>
  ({ video }, { max = 3 }) => {
    const { perSecond: measured, at } = video[kind];
    if (measured <= max) return { measured };
    const [flashes, name] = kind === "flashes" ? ["flashes", "flashes"] : ["flashes red", "flashes of red"];
    const message = `The picture ${flashes} ${measured} times in one second: more than ${max} ${name} can cause seizures.`;
    return { measured, message, ...(at !== undefined && { at: [{ start: at, end: at + 1 }] }) };
  };

const stretches =
  (kind: "black" | "frozen", what: string): Check =>
  ({ video }, { max = 0 }) => {
    const lengths = video[kind].map(({ start, end }) => end - start);
    const measured = Number(Math.max(0, ...lengths).toFixed(2));
    const at = video[kind].filter(({ start, end }) => end - start > max);
    const [first] = at;
    if (!first) return { measured };
    const message = `${what} for ${inSeconds(first.end - first.start)} from ${inSeconds(first.start)} on: at most ${inSeconds(max)} is asked for.`;
    return { measured, at, message };
  };

/** Shorter moments are transitions. */
const lowShare = 0.25;

const contrast: Check = ({ texts, video }, { min = 3 }) => {
  const measured = texts.flatMap(({ path, ownContrast, start, end }, index) => {
    const ground = video.grounds[index];
    const text = { path, at: { start, end } };
    if (ownContrast !== undefined) return [{ ...text, contrast: ownContrast, isLow: ownContrast < min }];
    return ground ? [{ ...text, contrast: ground.contrast, isLow: ground.lowShare > lowShare }] : [];
  });
  if (measured.length === 0) return undefined;
  const low = measured.filter(({ isLow }) => isLow);
  const lowest = Number(Math.min(...(low.length > 0 ? low : measured).map((one) => one.contrast)).toFixed(2));
  if (low.length === 0) return { measured: lowest };
  const message = `${naming(low)} is hard to read: its contrast to what is behind it is ${lowest} to 1, and falls below ${min} to 1.`;
  return { measured: lowest, message, at: low.map(({ at }) => at) };
};

/** Checks of measurements on the frames. */
const pictureChecks = {
  contrast,
  flashes: flashes("flashes"),
  red_flashes: flashes("redFlashes"),
  black: stretches("black", "The picture is black"),
  frozen: stretches("frozen", "The picture does not move"),
} satisfies Partial<Record<RuleName, Check>>;

const palette: Check = ({ offColors }) => {
  if (!offColors) return undefined;
  const [first] = offColors;
  if (!first) return { measured: 0 };
  const more = offColors.length > 1 ? ` (and ${offColors.length - 1} more)` : "";
  return {
    measured: offColors.length,
    message: `${first.path} is ${first.color}, which is not in the palette${more}.`,
  };
};

const logoSpace: Check = ({ logos, images, texts, captions }, rule, { logo }) => {
  if (!logos) return undefined;
  const share = logo?.space ?? rule.min ?? 0;
  if (logos.length === 0) return { message: "The logo is not shown." };
  const others = [...texts, ...images, ...(captions?.pages ?? [])];
  for (const { box, start, end } of logos) {
    const space = share * Math.min(box.width, box.height);
    const zone = grown(box, space);
    const near = others.find((other) => other.start < end && other.end > start && overlaps(zone, other.box));
    if (near)
      return {
        message: `${near.path} comes closer to the logo than ${inPixels(space)}.`,
        at: [{ start: Math.max(start, near.start), end: Math.min(end, near.end) }],
      };
  }
  return {};
};

const listed = (phrases: readonly string[]): string => phrases.map((phrase) => JSON.stringify(phrase)).join(", ");

const mustSay: Check = ({ said }, _, { mustSay: phrases = [] }) => {
  if (phrases.length === 0) return undefined;
  const missing = phrases.filter((phrase) => !said.has(phrase));
  return {
    measured: missing.length,
    message: missing.length > 0 ? `The video neither shows nor says ${listed(missing)}.` : undefined,
  };
};

const notSearched = `Only the first ${formatQuantity(maxSearchedCharacters, "characters")} of what the video shows and says were searched.`;

const mustNotSay: Check = ({ said, isSearchedWhole }, _, { mustNotSay: phrases = [] }) => {
  if (phrases.length === 0) return undefined;
  const found = phrases.filter((phrase) => said.has(phrase));
  const rest = isSearchedWhole ? undefined : notSearched;
  return { measured: found.length, message: found.length > 0 ? `The video shows or says ${listed(found)}.` : rest };
};

const brandChecks = {
  palette,
  logo_space: logoSpace,
  must_say: mustSay,
  must_not_say: mustNotSay,
} satisfies Partial<Record<RuleName, Check>>;

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
