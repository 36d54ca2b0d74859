import type { TextMeasurer } from "../../../../engine/ports.ts";
import { captionPlace } from "../../../../engine/timeline/captions/overlays.ts";
import { captionTextStyle } from "../../../../engine/timeline/captions/text-style.ts";
import { lineText } from "../../../../engine/timeline/captions/track.ts";
import type { Box, TextContent } from "../../../../engine/timeline/overlay.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import type { TaskOptions } from "../../../../platform/limits/concurrency-limit.ts";
import { pagesOn, type VideoCaptions } from "../../../captions/video.ts";
import { applyRules, type Warning, type WarningDetail } from "../warnings.ts";
import type { Attempt } from "./target-layouts.ts";
import { textRules, zoneExcess } from "./text-warnings.ts";

type CaptionedFrame = { readonly captions?: VideoCaptions | undefined; readonly canvas: Canvas };

type MeasureOptions = TaskOptions & { readonly attempt: Attempt };

/** Warns of the letters and colors of captions, independent of the frame. */
export async function captionStyleWarnings(
  textMeasurer: Pick<TextMeasurer, "measure">,
  { captions: film, canvas }: CaptionedFrame,
  { attempt, ...options }: MeasureOptions,
): Promise<readonly Warning[]> {
  if (!film) return [];
  const look = captionTextStyle(film.captions, canvas);
  const text = pagesOn(canvas, film).flatMap(({ lines }) => lines.map(lineText));
  const content: TextContent = {
    kind: "text",
    // each character once: a film has thousands of words
    text: [...new Set(text.join(""))].join(""),
    style: { ...look, fontColor: look.color, align: "center", letterSpacing: 0, fontSize: 20, lineHeight: 1 },
    anchor: { at: "center", x: 0, y: 0 },
  };
  const measured = await attempt(() => textMeasurer.measure(content, 0, options), "captions.fontAssetId");
  if (!measured) return [];
  const still = { opacity: 1, rotationDegrees: 0, animateIn: "none", animateOut: "none" } as const;
  const overlay = { ...still, range: { start: 0, end: 1 }, content };
  const warnings = applyRules(textRules, { texts: [{ ...measured, path: "captions", overlay, content }] });
  return warnings.map((warning) => ({ ...warning, path: fields.get(warning.path) ?? "captions" }));
}

/** Maps fields of a text to fields of captions. */
const fields = new Map([["captions.fontColor", "captions.colors"]]);

/** Only captions that the request positions by a number may lie outside. */
export function captionsOutsideSafeZone({ captions: film, canvas }: CaptionedFrame): readonly WarningDetail[] {
  if (!film?.captions.style.keepsSafeZone || typeof film.captions.style.position !== "object") return [];
  const { fontSize, lineHeight } = captionTextStyle(film.captions, canvas);
  const { box, edge } = captionPlace(film.captions.style, canvas);
  const lines = Math.max(0, ...pagesOn(canvas, film).map((page) => page.lines.length));
  if (lines === 0 || typeof edge !== "object") return [];
  const height = lines * fontSize * lineHeight;
  const y = Math.max(box.y, Math.min(box.y + box.height - height, edge.centerY - height / 2));
  const block: Box = { x: canvas.width / 2, y, width: 0, height };
  const amounts = zoneExcess(canvas, block);
  if (!amounts) return [];
  const message = `The captions leave the safe zone, which apps do not cover with buttons and captions, by ${amounts}.`;
  return [{ path: "captions.position", message }];
}
