import type { ErrorCode } from "../../errors.ts";

/** The errors of a request that describes a video. */
export const videoErrors: readonly ErrorCode[] = [
  "nothing_to_export",
  "scene_video_missing",
  "asset_missing",
  "asset_wrong_type",
  "font_unusable",
  "mask_cycle",
  "layers_too_large",
  "too_many_videos",
  "source_unreadable",
  "url_not_allowed",
  "url_unreachable",
];

/** The errors of a request that starts an export. */
export const exportErrors: readonly ErrorCode[] = [
  ...videoErrors,
  "background_not_possible",
  "gif_too_long",
  "limit_reached",
  "rate_limited",
];
