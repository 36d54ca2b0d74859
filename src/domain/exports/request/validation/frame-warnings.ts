import { animationSeconds, type Box, type Overlay } from "../../../../engine/timeline/overlay.ts";
import type { Source } from "../../../../engine/timeline/source.ts";
import { type FrameRate, intersection, toSeconds } from "../../../../engine/timeline/time.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import type { Clip } from "../../../../engine/timeline/track.ts";
import { yieldIfBusy } from "../../../../platform/cpu.ts";
import type { AspectRatio } from "../../../shared/schemas.ts";

import type { VideoTarget } from "../targets.ts";
import { applyRules, type Rules, type Warning, type WarningDetail } from "../warnings.ts";
import { captionsOutsideSafeZone } from "./caption-style.ts";
import { captionRules } from "./caption-warnings.ts";
import type { TargetLayout, VisibleText } from "./target-layouts.ts";
import { frameTextRules, minAlpha } from "./text-warnings.ts";

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

/**
 * The frame-dependent warnings of all targets. Merges warnings with the same code and path. Yields to other requests
 * between targets.
 */
export async function frameWarnings(layouts: readonly TargetLayout[]): Promise<readonly Warning[]> {
  const warnings: TargetWarning[] = [];
  for (const layout of layouts) {
    await yieldIfBusy();
    warnings.push(...applyRules(rules, layout).map((warning) => ({ ...warning, target: layout.target })));
  }
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

/** The limit for each axis. */
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
      message: `Its source is shown ${scale.toFixed(1)} times as large as it is and appears soft: use a larger one.`,
    }));
}

const clipScale = ({ source, fit }: Clip, canvas: Canvas) => scaleTo(source, canvas, fit === "cover" ? fit : "contain");

function imageScale({ content, rotationDegrees, within }: Overlay): number {
  if (content.kind !== "image" && content.kind !== "video") return 1;
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

/** The scale factor from a source's pixels to its displayed size; for `stretch` that of the larger axis. */
function scaleTo({ facts: { width, height } }: Source, size: Canvas, fit: Fit): number {
  if (!width || !height) return 1;
  const scales = [size.width / width, size.height / height];
  return fit === "contain" ? Math.min(...scales) : Math.max(...scales);
}

type Overlap = {
  readonly text: VisibleText;
  readonly other: VisibleText;
  readonly width: number;
  readonly height: number;
};

/** Finds texts drawn over each other while both are visible, each pair once, at the longer text. */
export function overlappingTexts({
  texts,
  rate,
}: {
  readonly texts: readonly VisibleText[];
  readonly rate: FrameRate;
}): readonly WarningDetail[] {
  const overlaps = pairsTogether(texts.filter(isRead)).flatMap(([one, two]) => overlapOf(one, two, rate) ?? []);
  return [...Map.groupBy(overlaps, ({ text }) => text.path)].map(([path, found]) => {
    const named = found.slice(0, maxNamed).map(({ other, width, height }) => {
      const quoted = [...other.content.text.replaceAll(/\s+/g, " ")].slice(0, maxQuoted).join("");
      return `${JSON.stringify(quoted)} by ${Math.ceil(width)} × ${Math.ceil(height)} pixels`;
    });
    const more = found.length > named.length ? `, and into ${found.length - named.length} more` : "";
    const message = `The text runs into ${named.join(", ")}${more}: shorten it, set a smaller fontSize, or move one of them.`;
    return { path, message };
  });
}

/** More texts are not a composition of words, and each is compared with all others. */
const maxAtOnce = 50;

/** Pairs of texts that are visible together, in order: each with the first 50 that are visible as it begins. */
function pairsTogether(texts: readonly VisibleText[]): readonly (readonly [VisibleText, VisibleText])[] {
  const order = new Map(texts.map((text, at) => [text, at]));
  const inOrder = (one: VisibleText, two: VisibleText) => order.get(one)! - order.get(two)!;
  let seen: readonly VisibleText[] = [];
  const pairs = texts
    .toSorted((one, two) => one.overlay.range.start - two.overlay.range.start)
    .flatMap((text) => {
      seen = seen.filter(({ overlay }) => overlay.range.end > text.overlay.range.start).slice(0, maxAtOnce);
      const found = seen.map((other) => [other, text].toSorted(inOrder) as [VisibleText, VisibleText]);
      seen = [...seen, text];
      return found;
    });
  return pairs.toSorted(([a, b], [c, d]) => inOrder(a, c) || inOrder(b, d));
}

const maxNamed = 3;
const maxQuoted = 40;

/** Faint texts and signs without letters are decoration, and a rotated text is smaller than its box. */
const isRead = ({ ink, overlay, content: { text, style } }: VisibleText): boolean =>
  ink !== undefined &&
  overlay.rotationDegrees % 90 === 0 &&
  overlay.opacity * style.fontColor.alpha >= minAlpha &&
  /[\p{L}\p{N}]/u.test(text);

/** Ascenders and descenders of close lines overlap by less than this share of the font size. */
const minShare = 0.15;

/** Words on a text that is this many times larger are placed there on purpose. */
const groundRatio = 3;

function overlapOf(one: VisibleText, two: VisibleText, rate: FrameRate): Overlap | undefined {
  // equal texts at one position are a shadow or an outline
  if (one.content.text === two.content.text) return undefined;
  const together = intersection(one.overlay.range, two.overlay.range);
  // one text may fade in while the other fades out
  if (!together || toSeconds(together.end - together.start, rate) <= animationSeconds) return undefined;
  const [small = 0, large = 0] = [one, two].map(({ content }) => sizeOf(content)).sort((a, b) => a - b);
  const { width, height } = common(inkOf(one), inkOf(two));
  if (large >= groundRatio * small || Math.min(width, height) < minShare * small) return undefined;
  const isLonger = one.content.text.length >= two.content.text.length;
  return { text: isLonger ? one : two, other: isLonger ? two : one, width, height };
}

const sizeOf = ({ style, scale = 1 }: VisibleText["content"]): number => style.fontSize * scale;

/** The drawn area of a text; `within` moves it, in another frame. */
function inkOf({ ink, overlay: { within } }: VisibleText): Box {
  const drawn = ink!; // safe because only drawn texts are compared
  if (!within) return drawn;
  const scale = Math.min(1, within.width / drawn.width, within.height / drawn.height);
  const [width, height] = [drawn.width * scale, drawn.height * scale];
  const clamp = (at: number, from: number, room: number) => Math.max(from, Math.min(at, from + room));
  return {
    x: clamp(drawn.x + (drawn.width - width) / 2, within.x, within.width - width),
    y: clamp(drawn.y + (drawn.height - height) / 2, within.y, within.height - height),
    width,
    height,
  };
}

const common = (a: Box, b: Box) => ({
  width: Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x),
  height: Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y),
});
