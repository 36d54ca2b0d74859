import type { Box, TextPicture } from "../timeline/overlay.ts";

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
