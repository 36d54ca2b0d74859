import { DomainError, type ErrorCode, type ErrorFacts } from "../../../errors.ts";

type NoFacts = Record<never, never>;

const provider = "OpenAI";
const retryAfterSeconds = 20;

/** The codes of errors whose sentence needs facts. */
type CodesWithFacts = { [Code in ErrorCode]: NoFacts extends ErrorFacts<Code> ? never : Code }[ErrorCode];

const exampleFacts: { readonly [Code in CodesWithFacts]: ErrorFacts<Code> } = {
  validation_error: { issues: [{ path: "options.width", message: "Width must be an even number." }] },
  id_mismatch: { path: "id" },
  insufficient_scope: { required: ["works:write"], granted: ["works:read"] },
  method_not_allowed: { allow: ["GET", "HEAD", "OPTIONS"] },
  budget_exceeded: {
    budget: {
      scope: "project",
      limit: "20.00",
      spent: "19.40",
      reserved: "0.50",
      estimate: "0.40",
      currency: "USD",
    },
  },
  price_unknown: { model: "gpt-0" },
  limit_reached: { quota: { limit: "waiting_exports", used: 20, allowed: 20 } },
  payload_too_large: { maxBytes: 4_194_304 },
  unsupported_media_type: { reason: "PDF files are not accepted. Send an MP4, MOV or WebM video." },
  range_not_satisfiable: { sizeBytes: 20_139 },
  gate_failed: {
    issues: [{ path: "platforms", message: "For TikTok: The video takes 61 seconds: at most 60 seconds is allowed." }],
  },
  scene_video_missing: { path: "clips.2.sceneIndex", sceneIndex: 2 },
  asset_missing: { path: "images.0.assetId", what: "The image" },
  asset_wrong_type: { path: "images.0.assetId", what: "The asset", expected: "an image" },
  font_unusable: { path: "texts.0.fontAssetId", what: "The asset" },
  source_unreadable: { path: "clips.0", what: "The video of scene 0" },
  url_not_allowed: { path: "url", reason: "it leads to a private network" },
  url_unreachable: { path: "url", reason: "it answered with status 404" },
  scene_missing: { sceneIndex: 7, sceneCount: 6 },
  request_in_progress: { retryAfterSeconds },
  unknown_provider: { known: ["gemini", "openai", "local"] },
  unsupported_capability: { provider, what: "videos", instead: ["gemini", "local"] },
  provider_key_required: { provider, header: "x-api-key" },
  provider_key_rejected: { provider },
  provider_model_unavailable: { provider, model: "gpt-0", models: ["gpt-5"], byDefault: false },
  content_refused: { provider },
  provider_rejected_request: { provider },
  media_too_large: { provider },
  provider_rate_limited: { provider, retryAfterSeconds },
  provider_quota_exhausted: { provider },
  provider_error: { reason: "it answered with status 500" },
  provider_bad_response: { provider, reason: "it is not JSON" },
  provider_overloaded: { provider, retryAfterSeconds },
  provider_timeout: { seconds: 300 },
  rate_limited: { retryAfterSeconds },
  busy: { retryAfterSeconds },
};

export const exampleSentence = (code: ErrorCode): string =>
  // safe because the other errors need no facts
  new DomainError(code, code in exampleFacts ? exampleFacts[code as CodesWithFacts] : ({} as never)).message;
