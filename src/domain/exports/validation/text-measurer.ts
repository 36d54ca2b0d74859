import type { Box, TextPicture } from "../../../timeline/overlay.ts";
import { frameRateOf } from "../../../timeline/time.ts";
import { defaultFps, defaultResolution } from "../../works/editor-state.ts";
import { textOverlay } from "../overlays.ts";

export type MeasuredText = {
  /** The upright box around the glyphs and their stroke, turned as the text is. Undefined when nothing is drawn. */
  readonly ink?: Box | undefined;
  /** Characters that no font here has a glyph for, each once. */
  readonly missing: readonly string[];
};

/** Lays texts out exactly as an export does, without drawing them. */
export type TextMeasurer = {
  /** Throws font_unusable. */
  measure(picture: TextPicture, rotationDegrees: number): Promise<MeasuredText>;
};

/** Letters of each font that any text may need. */
const letters = "Aé漢あ한😀";
const usualWeights = [400, 700];

/** Has the fonts of usual texts loaded, so that the first text does not wait for them. */
export async function loadUsualFonts(textMeasurer: TextMeasurer): Promise<void> {
  const stage = { canvas: defaultResolution, rate: frameRateOf(defaultFps), frames: 1 };
  for (const fontWeight of usualWeights) {
    const overlay = textOverlay({ text: letters, position: 0, end: 1, fontWeight }, undefined, stage);
    if (overlay?.picture.kind === "text") await textMeasurer.measure(overlay.picture, 0);
  }
}
