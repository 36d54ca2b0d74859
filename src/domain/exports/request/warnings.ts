import type { AspectRatio } from "./schema.ts";

export const warningCodes = [
  "transition_ignored",
  "source_too_short",
  "gap",
  "image_stands_still",
  "overlay_past_end",
  "duplicate_id",
  "scenes_changed",
  "audio_missing",
  "voice_missing",
  "voice_too_long",
  "silent_result",
  "script_unused",
  "fps_far_from_source",
  "text_low_contrast",
  "glyph_missing",
  "text_too_wide",
  "text_cut",
  "text_outside_safe_zone",
  "text_overlap",
  "focus_unknown",
  "focus_measuring",
  "source_upscaled",
  "caption_too_fast",
  "caption_overflow",
  "brief_not_shown",
  "caption_left_out",
  "brand_color_off",
  "brand_logo_missing",
  "brand_part_missing",
  "contrast_low",
  "disclosure_missing",
  "model_replaced",
  "placeholder_missing",
  "product_differs",
  "rule_broken",
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** Something that does not prevent the export. */
export type Warning = {
  /** A field of the request. */
  readonly path: string;
  readonly code: WarningCode;
  /** For the author of the request. */
  readonly message: string;
  /** The targets whose frames it concerns; absent if it does not depend on the frame. */
  readonly targets?: readonly AspectRatio[];
};
