import type { AspectRatio } from "../../shared/schemas.ts";

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
  "sound_left_out",
  "script_unused",
  "fps_far_from_source",
  "text_low_contrast",
  "glyph_missing",
  "text_too_wide",
  "text_cut",
  "text_outside_safe_zone",
  "text_overlap",
  "css_ignored",
  "animation_endless",
  "lottie_feature_ignored",
  "motion_too_short",
  "motion_cut",
  "text_read_time",
  "flashing",
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
  "format_changes_fps",
  "captions_not_embedded",
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** A problem that does not prevent the export. */
export type Warning = {
  /** A field of the request. */
  readonly path: string;
  readonly code: WarningCode;
  /** Addressed to the author of the request. */
  readonly message: string;
  /** The affected targets; absent if it does not depend on the frame. */
  readonly targets?: readonly AspectRatio[];
};

export type WarningDetail = Pick<Warning, "path" | "message">;

/** One rule per warning code. A rule gives one detail for each affected position. */
export type Rules<Input> = Readonly<Partial<Record<WarningCode, (input: Input) => readonly WarningDetail[]>>>;

/** The warnings of a table of rules, each with the code of its rule. */
export const applyRules = <Input>(rules: Rules<Input>, input: Input): readonly Warning[] =>
  Object.entries(rules).flatMap(([code, rule]) =>
    // safe because the table's keys are codes
    rule(input).map(({ path, message }) => ({ path, code: code as WarningCode, message })),
  );
