import type { TaskOptions } from "../../../../platform/task-options.ts";
import type { Box, TextContent } from "../../../../engine/timeline/overlay.ts";
import { frameRateOf } from "../../../../engine/timeline/time.ts";
import { defaultFps, defaultResolution } from "../../../works/editor-state.ts";
import { textOverlay } from "../overlays.ts";

export type MeasuredText = {
  /** The axis-aligned box around the rotated glyphs and their stroke. Undefined if nothing is drawn. */
  readonly ink?: Box | undefined;
  /** Characters without a glyph in any available font, each once. */
  readonly missing: readonly string[];
};

export type TextToMeasure = { readonly content: TextContent; readonly rotationDegrees: number };

/** Lays out texts exactly as an export does, without drawing them. */
export type TextMeasurer = {
  /** Throws font_unusable. */
  measure(text: TextContent, rotationDegrees: number, options: TaskOptions): Promise<MeasuredText>;
  /** Measures texts together, so that `measure` knows them. Those that cannot be measured are left to it. */
  prepare(texts: readonly TextToMeasure[], options: TaskOptions): Promise<void>;
};

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
