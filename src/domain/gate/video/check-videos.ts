import type { Inspector, MeasuredVideo, RenderedVideos, TextMeasurer, VideoMeter } from "../../../engine/ports.ts";
import type { MediaFacts } from "../../../engine/timeline/source.ts";
import { toSeconds } from "../../../engine/timeline/time.ts";
import { DomainError, type Issue } from "../../../errors.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { toTenths } from "../../../platform/values.ts";
import { formatOf } from "../../exports/request/output.ts";
import { targetsOf, targetTimeline } from "../../exports/request/targets.ts";
import { ignoreErrors } from "../../exports/request/validation/find-warnings.ts";
import { measureTargets, type TargetLayout } from "../../exports/request/validation/target-layouts.ts";
import type { Warning } from "../../exports/request/warnings.ts";
import type { AspectRatio } from "../../shared/schemas.ts";
import { checkFor } from "../check.ts";
import { bitrateOf } from "../file-checks.ts";
import type { FilmFacts } from "../film-facts.ts";
import { type Platform, platformNames, platformsFor } from "../platforms.ts";
import type { GateReport, RuleResult, VideoReport } from "../report.ts";
import { type CheckedExport, factsOf, labelPath, regionsOf } from "./facts.ts";

export type CheckVideosPorts = {
  readonly textMeasurer: TextMeasurer;
  readonly inspector: Pick<Inspector, "inspect">;
  readonly videoMeter: VideoMeter;
};

type Video = RenderedVideos["videos"][number];

/** Measures the rendered videos of an export, and checks them against the rules of its platforms and its own. */
export async function checkVideos(
  ports: CheckVideosPorts,
  checked: CheckedExport,
  videos: readonly Video[],
  options: Required<TaskOptions>,
): Promise<GateReport> {
  const { rules = {}, platforms } = checked.request;
  const measuring = { ...options, attempt: ignoreErrors };
  const layouts = await measureTargets(ports.textMeasurer, checked.layout, targetsOf(checked.request), measuring);
  const now = Date.now();
  const films: { readonly layout: TargetLayout; readonly facts: FilmFacts }[] = [];
  for (const [index, unlabelled] of layouts.entries()) {
    const layout = await withLabel(ports, checked, unlabelled, options);
    const facts = await factsOf(checked, layout, rules);
    // safe because every target was rendered
    const rendered = { ...videos[index]!, length: lengthOf(checked) };
    const video = await measure(ports, rendered, regionsOf(facts.texts, layout, layout.canvas), options);
    films.push({ layout, facts: { ...facts, video } });
  }
  const reports = films.flatMap(({ layout, facts }) =>
    platformsOf(layout, layouts, platforms).map((platform) => ({
      ...targetOf(layout),
      ...checkFor(platform, facts, { own: rules, now }),
    })),
  );
  return {
    ok: reports.every(({ ok }) => ok),
    checkedAt: now,
    videos: films.map(({ layout, facts }) => ({ ...targetOf(layout), ...videoReport(facts.video) })),
    reports,
  };
}

/** The label of AI is laid out for each target, and is not a text of the request. */
async function withLabel(
  { textMeasurer }: CheckVideosPorts,
  { layout: { timeline } }: CheckedExport,
  target: TargetLayout,
  options: TaskOptions,
): Promise<TargetLayout> {
  // laid out for this canvas, the label last
  const overlay = timeline.disclosure && targetTimeline(target.target, timeline).overlays.at(-1);
  if (overlay?.content.kind !== "text") return target;
  const { content } = overlay;
  const measured = await textMeasurer.measure(content, overlay.rotationDegrees, options);
  return { ...target, texts: [...target.texts, { ...measured, path: labelPath, overlay, content }] };
}

const targetOf = ({ target }: TargetLayout) => (target === "" ? {} : { target });

/** A platform checks the videos made for its frame; if there are none, all. */
function platformsOf(
  layout: TargetLayout,
  all: readonly TargetLayout[],
  asked: readonly Platform[] | undefined,
): readonly Platform[] {
  const own = platformsFor(layout.canvas);
  if (!asked) return own;
  const hasOther = (platform: Platform) => all.some(({ canvas }) => platformsFor(canvas).includes(platform));
  return asked.filter((platform) => own.includes(platform) || !hasOther(platform));
}

type Length = Pick<MediaFacts, "durationSeconds" | "picture">;

/** What an inspection of a GIF as an image does not find. */
function lengthOf({ request, layout: { timeline } }: CheckedExport): Length {
  if (formatOf(request) !== "gif") return {};
  const { track, rate } = timeline;
  const colors = { hasAlpha: true, matrix: "rgb", fullRange: true, transfer: "sdr" } as const;
  const picture = { codec: "gif", frameRate: rate.num / rate.den, ...colors };
  return { durationSeconds: toSeconds(track.frames, rate), picture };
}

async function measure(
  { inspector, videoMeter }: CheckVideosPorts,
  { path, sizeBytes, length }: Video & { readonly length: Length },
  regions: ReturnType<typeof regionsOf>,
  options: Required<TaskOptions>,
): Promise<MeasuredVideo> {
  const facts = { ...(await inspector.inspect(path, options)), ...length };
  return { facts, sizeBytes, ...(await videoMeter.measure({ path, facts, regions }, options)) };
}

function videoReport(video: MeasuredVideo): Omit<VideoReport, "target"> {
  const { facts, sizeBytes, loudness } = video;
  const { width = 0, height = 0, durationSeconds = 0, picture } = facts;
  return {
    ...{ width, height, seconds: durationSeconds, size: sizeBytes, bitrate: Math.round(bitrateOf(video)) },
    codec: picture?.codec ?? "",
    ...(picture?.frameRate !== undefined && { fps: picture.frameRate }),
    ...(loudness && {
      loudness: { integrated: toTenths(loudness.integrated), truePeak: toTenths(loudness.truePeak) },
    }),
  };
}

type Broken = Issue & { readonly isFailed: boolean; readonly targets: readonly AspectRatio[] };

/** The broken rules, each once with all affected platforms. */
function brokenRules({ reports }: GateReport): readonly Broken[] {
  const broken = reports.flatMap(({ target, platform, rules }) =>
    rules.flatMap((result) => (isBroken(result) ? [{ target, platform, result }] : [])),
  );
  const same = Map.groupBy(broken, ({ target, result: { rule, status, message } }) =>
    JSON.stringify([target, rule, status, message]),
  );
  return [...same.values()].map((group) => {
    const [{ target, result }] = group as [(typeof group)[number], ...typeof group];
    const names = group.map(({ platform }) => platformNames[platform]);
    return {
      path: "platforms",
      message: `For ${names.join(", ")}: ${result.message}`,
      isFailed: result.status === "fail",
      // safe because targets of exports are aspect ratios
      targets: target === undefined ? [] : [target as AspectRatio],
    };
  });
}

const isBroken = ({ status }: RuleResult): boolean => status === "fail" || status === "warn";

/** Limits the size of a stored export. */
const maxWarnings = 100;

export const gateWarnings = (report: GateReport): readonly Warning[] =>
  brokenRules(report)
    .slice(0, maxWarnings)
    .map(({ path, message, targets }) => ({
      ...{ path, code: "rule_broken" as const, message },
      ...(targets.length > 0 && { targets }),
    }));

/** Throws gate_failed for a video that must not be published. */
export function requirePassed(report: GateReport): void {
  if (report.ok) return;
  const issues = brokenRules(report).filter(({ isFailed }) => isFailed);
  throw new DomainError("gate_failed", {
    issues: issues.slice(0, maxWarnings).map(({ path, message }) => ({ path, message })),
  });
}
