import type { Overlay } from "../../../timeline/overlay.ts";
import type { Source } from "../../../timeline/source.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import type { Clip } from "../../../timeline/track.ts";
import type { AspectRatio } from "../schema.ts";
import type { VideoTarget } from "../targets.ts";
import type { Warning } from "../warnings.ts";
import { captionsOutsideSafeZone } from "./caption-look.ts";
import { captionRules } from "./caption-warnings.ts";
import { applyRules, type Rules, type WarningDetail } from "./rules.ts";
import type { TargetLayout } from "./target-layouts.ts";
import { overlappingTexts } from "./text-overlaps.ts";
import { frameTextRules } from "./text-warnings.ts";

const rules: Rules<TargetLayout> = {
  ...frameTextRules,
  text_outside_safe_zone: (layout) => [
    ...frameTextRules.text_outside_safe_zone(layout),
    ...captionsOutsideSafeZone(layout),
  ],
  text_overlap: overlappingTexts,
  source_upscaled: upscaledSources,
  ...captionRules,
};

/** The frame-dependent warnings of all targets. Warnings with the same code and path are merged into one. */
export function frameWarnings(layouts: readonly TargetLayout[]): readonly Warning[] {
  const warnings = layouts.flatMap((layout) =>
    applyRules(rules, layout).map((warning) => ({ ...warning, target: layout.target })),
  );
  const groups = Map.groupBy(warnings, ({ code, path }) => `${code} ${path}`);
  return [...groups.values()].map(merge);
}

type TargetWarning = Warning & { readonly target: VideoTarget };

function merge(warnings: readonly TargetWarning[]): Warning {
  const { path, code, message } = warnings[0]!; // safe because groups are not empty
  const targets = aspectRatiosOf(warnings);
  if (targets.length === 0) return { path, code, message };
  const byMessage = [...Map.groupBy(warnings, (warning) => warning.message)];
  const sentences = byMessage.map(([sentence, same]) => `In ${aspectRatiosOf(same).join(", ")}: ${sentence}`);
  return { path, code, message: sentences.join(" "), targets };
}

const aspectRatiosOf = (warnings: readonly TargetWarning[]): readonly AspectRatio[] =>
  warnings.flatMap(({ target }) => (target === "" ? [] : [target]));

/** Per axis. */
const maxUpscale = 2;

function upscaledSources({ clips, overlays, canvas }: TargetLayout): readonly WarningDetail[] {
  const scales = [
    ...clips.map((clip, index) => ({ path: `clips.${index}`, scale: clipScale(clip, canvas) })),
    ...overlays.map(({ path, overlay }) => ({ path, scale: overlay ? imageScale(overlay) : 1 })),
  ];
  return scales
    .filter(({ scale }) => scale > maxUpscale)
    .map(({ path, scale }) => ({
      path,
      message: `Its source is shown ${scale.toFixed(1)} times as large as it is and looks soft: use a larger one.`,
    }));
}

const clipScale = ({ source, fit }: Clip, canvas: Canvas) => scaleTo(source, canvas, fit === "cover" ? fit : "contain");

function imageScale({ content, rotationDegrees, within }: Overlay): number {
  if (content.kind !== "image") return 1;
  const { source, box, fit } = content;
  return scaleTo(source, box, fit) * (within ? shrinkInto(within, box, rotationDegrees) : 1);
}

/** The factor, 1 at most, by which a rotated box must shrink to fit into `within`. */
function shrinkInto(within: Canvas, { width, height }: Canvas, degrees: number): number {
  const radians = (degrees * Math.PI) / 180;
  const cos = Math.abs(Math.cos(radians));
  const sin = Math.abs(Math.sin(radians));
  const bounds = { width: width * cos + height * sin, height: width * sin + height * cos };
  return Math.min(1, within.width / bounds.width, within.height / bounds.height);
}

type Fit = "contain" | "cover" | "stretch";

/** How many times larger than its own pixels a source is shown; of `stretch` the larger of both axes. */
function scaleTo({ facts: { width, height } }: Source, size: Canvas, fit: Fit): number {
  if (!width || !height) return 1;
  const scales = [size.width / width, size.height / height];
  return fit === "contain" ? Math.min(...scales) : Math.max(...scales);
}
