import type { ErrorCode } from "../../errors.ts";

/** The errors of a request that calls a model. */
export const modelErrors: readonly ErrorCode[] = [
  "unknown_provider",
  "unsupported_capability",
  "provider_key_required",
  "provider_key_rejected",
  "provider_model_unavailable",
  "content_refused",
  "provider_rejected_request",
  "media_too_large",
  "provider_rate_limited",
  "provider_quota_exhausted",
  "provider_error",
  "provider_bad_response",
  "provider_overloaded",
  "provider_timeout",
  "budget_exceeded",
  "price_unknown",
];

/** The errors of a file that a request names. */
export const fileErrors = ["asset_missing", "asset_wrong_type", "source_unreadable"] as const;

export const urlErrors = ["url_not_allowed", "url_unreachable"] as const;
