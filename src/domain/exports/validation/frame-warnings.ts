import type { Overlay } from "../../../timeline/overlay.ts";
import { reframe } from "../../../timeline/reframe.ts";
import type { Source } from "../../../timeline/source.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import type { Clip } from "../../../timeline/track.ts";
import type { AspectRatio } from "../schema.ts";
import { targetCanvas, type VideoTarget } from "../targets.ts";
import { applyRules, type ExportLayout, type PlacedOverlay, type Warning, type WarningDetail } from "../warnings.ts";
import { frameTextRules, type VisibleText } from "./text-warnings.ts";

/** The layout of one target, on its own canvas. */
type TargetLayout = {
  readonly canvas: Canvas;
  readonly clips: readonly Clip[];
  readonly overlays: readonly PlacedOverlay[];
  readonly texts: readonly VisibleText[];
};

/** Warnings that depend on the frame. */
const rules = {
  ...frameTextRules,
  source_upscaled: upscaledSources,
} satisfies Record<string, (layout: TargetLayout) => readonly WarningDetail[]>;

type MeasuredLayout = ExportLayout & { readonly texts: readonly VisibleText[] };

/** The frame-dependent warnings of all targets. Warnings with the same code and path are merged into one. */
export function frameWarnings(layout: MeasuredLayout, targets: readonly VideoTarget[]): readonly Warning[] {
  const warnings = targets.flatMap((target) =>
    applyRules(rules, layoutFor(layout, target)).map((warning) => ({ ...warning, target })),
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

function layoutFor({ timeline, clips, overlays, texts }: MeasuredLayout, target: VideoTarget): TargetLayout {
  const canvas = targetCanvas(target, timeline.canvas);
  const visible = overlays.filter(({ overlay }) => overlay);
  // safe because the timeline's overlays are the visible ones, in their order
  const reframed = reframe(timeline, canvas).overlays.map((overlay, index) => ({ ...visible[index]!, overlay }));
  const byPath = new Map(reframed.map(({ path, overlay }) => [path, overlay]));
  return {
    canvas,
    clips,
    overlays: reframed,
    texts: texts.map((text) => reframeText(text, byPath.get(text.path))),
  };
}

/** Derives the ink from that of the requested frame: reframing only moves a text's anchor and scales it. */
function reframeText(text: VisibleText, overlay: Overlay | undefined): VisibleText {
  if (overlay?.content.kind !== "text") return text;
  const { ink } = text;
  const { content } = overlay;
  const { anchor, scale = 1 } = content;
  const from = text.content.anchor;
  const reframedInk = ink && {
    x: anchor.x + (ink.x - from.x) * scale,
    y: anchor.y + (ink.y - from.y) * scale,
    width: ink.width * scale,
    height: ink.height * scale,
  };
  return { ...text, overlay, content, ink: reframedInk };
}

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
