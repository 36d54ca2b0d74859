import { type MeasuredText, type TextMeasurer, textsAtRest } from "../../../../engine/ports.ts";
import type { Overlay, TextContent } from "../../../../engine/timeline/overlay.ts";
import { isShownOn, reframe } from "../../../../engine/timeline/reframe.ts";
import { type FrameRate, frameRateOf } from "../../../../engine/timeline/time.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import type { Clip } from "../../../../engine/timeline/track.ts";
import type { TaskOptions } from "../../../../platform/limits/concurrency-limit.ts";
import { type VideoCaptions, videoCaptions } from "../../../captions/video.ts";
import { defaultFps, defaultResolution } from "../../../works/editor-state.ts";
import type { PlacedOverlay } from "../place-overlays.ts";
import { textOverlay } from "../placement/overlays.ts";
import type { ExportLayout } from "../resolve.ts";
import { targetCanvas, type VideoTarget } from "../targets.ts";

/** A measured text overlay; `content` belongs to `overlay`. */
export type VisibleText = MeasuredText & {
  readonly path: string;
  readonly overlay: Overlay;
  readonly content: TextContent;
};

/** The layout of one target, on its own canvas. */
export type TargetLayout = {
  readonly target: VideoTarget;
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  readonly clips: readonly Clip[];
  readonly overlays: readonly PlacedOverlay[];
  readonly texts: readonly VisibleText[];
  readonly captions?: VideoCaptions | undefined;
};

/** Measures a text with the font of the field `path`; undefined if that fails. */
export type Attempt = <T>(measure: () => Promise<T>, path: string) => Promise<T | undefined>;

export type MeasureOptions = TaskOptions & { readonly attempt: Attempt };

/** Measures the visible texts of each target. A text that cannot be measured for the first one is left out of all. */
export async function measureTargets(
  textMeasurer: TextMeasurer,
  layout: ExportLayout,
  targets: readonly VideoTarget[],
  options: MeasureOptions,
): Promise<readonly TargetLayout[]> {
  const { rate } = layout.timeline;
  const framed = targets.map((target) => {
    const canvas = targetCanvas(target, layout.timeline.canvas);
    return { target, canvas, overlays: reframeOverlays(layout, canvas) };
  });
  const shown = framed.flatMap(({ overlays }) => overlays.flatMap((overlay) => visibleTexts(overlay, rate)));
  await textMeasurer.prepare(shown, options);
  const measured: TargetLayout[] = [];
  for (const { target, canvas, overlays } of framed) {
    const isMeasurable = ({ path }: PlacedOverlay) => measured[0]?.texts.some((text) => text.path === path) ?? true;
    const texts = await measureTexts(textMeasurer, overlays.filter(isMeasurable), { ...options, rate });
    const captions = videoCaptions(layout.timeline);
    measured.push({ target, canvas, rate: layout.timeline.rate, clips: layout.clips, overlays, texts, captions });
  }
  return measured;
}

function reframeOverlays({ timeline, overlays }: ExportLayout, canvas: Canvas): readonly PlacedOverlay[] {
  const shown = overlays.flatMap(({ overlay, ...placed }) =>
    overlay && isShownOn(overlay, canvas) ? [{ ...placed, overlay }] : [],
  );
  const framed = reframe({ ...timeline, overlays: shown.map(({ overlay }) => overlay) }, canvas);
  // safe because each overlay that the canvas shows stays in its place
  return framed.overlays.map((overlay, index) => ({ ...shown[index]!, overlay }));
}

async function measureTexts(
  textMeasurer: TextMeasurer,
  overlays: readonly PlacedOverlay[],
  { attempt, rate, ...options }: MeasureOptions & { readonly rate: FrameRate },
): Promise<readonly VisibleText[]> {
  const texts: VisibleText[] = [];
  for (const { path, overlay, content, rotationDegrees } of overlays.flatMap((each) => visibleTexts(each, rate))) {
    const measure = () => textMeasurer.measure(content, rotationDegrees, options);
    const measured = await attempt(measure, `${path}.fontAssetId`);
    if (measured) texts.push({ ...measured, path, overlay, content });
  }
  return texts;
}

/** The texts of an overlay as they rest, with those of the layers in it. */
function visibleTexts({ path, overlay }: PlacedOverlay, rate: FrameRate) {
  if (!overlay || (overlay.content.kind !== "text" && overlay.content.kind !== "group")) return [];
  return textsAtRest(overlay, rate)
    .filter(({ opacity }) => opacity > 0)
    .map(({ content, rotationDegrees }) => ({ path, overlay, content, rotationDegrees }));
}

/** At least one character of each bundled font that common texts use. */
const sampleText = "Aé漢あ한😀";
const commonWeights = [400, 700];

/** Loads the fonts of common texts in advance, so that the first request does not wait for them. */
export async function loadCommonFonts(textMeasurer: Pick<TextMeasurer, "measure">): Promise<void> {
  const bounds = { canvas: defaultResolution, rate: frameRateOf(defaultFps), frames: 1 };
  for (const fontWeight of commonWeights) {
    const overlay = textOverlay({ text: sampleText, position: 0, end: 1, fontWeight }, undefined, bounds);
    if (overlay?.content.kind === "text") await textMeasurer.measure(overlay.content, 0, { owner: "service" });
  }
}
