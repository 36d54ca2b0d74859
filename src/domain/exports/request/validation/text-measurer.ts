import type { TextMeasurer } from "../../../../engine/ports.ts";
import { frameRateOf } from "../../../../engine/timeline/time.ts";
import { defaultFps, defaultResolution } from "../../../works/editor-state.ts";
import { textOverlay } from "../overlays.ts";

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
