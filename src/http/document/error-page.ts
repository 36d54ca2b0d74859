import { STATUS_CODES } from "node:http";
import { DomainError, type ErrorCode, type ErrorFacts } from "../../errors.ts";
import { internalSentence } from "../response/error-response.ts";
import { type AnyErrorCode, httpErrors, statusOf } from "../response/error-status.ts";

const introduction = `# Errors

Every error is JSON. \`error\` is one sentence for a person, \`code\` is stable and for programs, and \`requestId\` finds the request in the log of the service:

\`\`\`json
{
  "error": "Width must be an even number.",
  "code": "validation_error",
  "details": [{ "path": "options.width", "message": "Width must be an even number." }],
  "requestId": "0192f0a1-7c5e-7d8a-9d41-3f1c2b6a5e90"
}
\`\`\`

The client of the package \`reelwright\` throws them as \`ApiError\`, whose \`code\` selects the type of \`details\`. Warnings of an export are not errors: \`POST /api/export/validate\` lists them separately.

Repeat a request with status 429 or 503 after the seconds in \`Retry-After\`. A request that failed with 500 or 502, or whose connection broke, may have taken effect: repeat it with the same \`Idempotency-Key\`.`;

/** Lists every error with its status, an example sentence, its cause and a remedy. */
export function errorPage(): string {
  // safe because the table has these keys
  const codes = Object.keys(httpErrors) as AnyErrorCode[];
  const byStatus = Map.groupBy(codes, (code): number => statusOf(code));
  const groups = [...byStatus].sort(([one], [other]) => one - other);
  return [introduction, ...groups.map(([status, found]) => group(status, found))].join("\n\n").concat("\n");
}

const group = (status: number, codes: readonly AnyErrorCode[]): string =>
  [`## ${status} ${STATUS_CODES[status]}`, ...codes.map(entry)].join("\n\n");

const entry = (code: AnyErrorCode): string => {
  const sentence = code === "internal" ? internalSentence : exampleSentence(code);
  return [`### ${code}`, `> ${sentence}`, httpErrors[code][1], errorRemedies[code]].join("\n\n");
};

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
  mask_cycle: { path: "layers.0.mask.layer", id: "title" },
  layers_too_large: { path: "layers.3", what: "the layer sky", seconds: 2.5, megapixels: 41.5, allowed: 33.2 },
  too_many_videos: { path: "layers.9", what: "the layer guest 10", seconds: 2.5, count: 10, allowed: 9 },
  background_not_possible: { path: "options.background", format: "mp4", formats: ["webm", "mov", "gif", "png"] },
  gif_too_long: { path: "options.format", seconds: 42, allowed: 30 },
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

const exampleSentence = (code: ErrorCode): string =>
  // safe because the other errors need no facts
  new DomainError(code, code in exampleFacts ? exampleFacts[code as CodesWithFacts] : ({} as never)).message;

/** What callers can do about each error. */
const errorRemedies: { readonly [Code in AnyErrorCode]: string } = {
  validation_error: "Change the fields that `details` lists: each has its path and a sentence that says what is valid.",
  id_mismatch: "Leave the id out of the body, or send the id of the path.",
  unauthenticated: "Send the header `Authorization: Bearer <token>` with an access token or an API token.",
  invalid_token: "Refresh the access token at `POST /api/auth/refresh`, or log in again; make a new API token.",
  invalid_credentials: "Correct the e-mail or the password. After too many attempts the answer is `rate_limited`.",
  insufficient_scope: "Use a token with the scopes in `required`; `granted` lists the scopes of this one.",
  cross_site_request: "Send a token in the header Authorization; pages of this service send `x-reelwright-page: 1`.",
  not_found: "Check the id and the credential: another user's resource looks like one that does not exist.",
  link_expired: "Ask the person who sent the link for a new one.",
  method_not_allowed: "Use a method from the header Allow.",
  email_taken: "Log in with this e-mail, or register another one.",
  budget_exceeded: "Raise the budget, wait for the next month, or choose a cheaper model; `details` has the amounts.",
  price_unknown: "Choose a model from `GET /api/prices`, or ask the operator to add its price in PRICES_FILE.",
  limit_reached: "Delete what you no longer need; `details` has the limit, the amount used and the amount allowed.",
  not_ready: "Wait: read the export, or follow its events, until its status is `done`.",
  not_waiting: "Read the film: `waitingFor` says what it waits for, and `waitingReason` says what to do.",
  waited_too_long: "Order the film again: finished parts are in its work, and results of equal steps are reused.",
  precondition_failed: "Read the resource, repeat the change on it, and send its new ETag in If-Match.",
  payload_too_large:
    "Send less: at most 4 MiB of JSON, 16 KiB without a credential; the operation says how large a file may be.",
  unsupported_media_type: "Send the type that the sentence names; the type of a file is read from its bytes.",
  range_not_satisfiable: "Request a range inside the file; its size is in Content-Range.",
  gate_failed:
    "Read `details`, or the whole report at `/api/exports/:id/check`; change the video, or name the rule in `rules.ignore`.",
  no_duration: "Set `videoDuration` of the work, or give its scenes durations.",
  nothing_to_export: "Send `clips`, or upload or generate media for a scene.",
  scene_video_missing: "Upload or generate a video or an image for the scene, or leave its clip out.",
  asset_missing: "Name a file of the same project that still exists; `details` has the path of the field.",
  asset_wrong_type: "Name an asset of the type that the sentence asks for.",
  font_unusable: "Upload the font as TTF, OTF or WOFF2, or name one that is bundled.",
  mask_cycle: "Mask the layer by one that it does not mask itself; `details` has the path of the field.",
  layers_too_large: "Make the layer smaller that the sentence names, or show fewer layers at once.",
  too_many_videos: "Show at most nine videos at once as layers; clips do not count.",
  background_not_possible: "Choose one of the formats that the sentence names, or a color as `options.background`.",
  gif_too_long: "Make the film shorter, or choose a video format.",
  source_unreadable: "Convert the file to a common format, such as MP4 with H.264, and upload it again.",
  url_not_allowed: "Use a public http or https address on port 80 or 443, or upload the file.",
  url_unreachable: "Check that the address answers without a login, or upload the file.",
  scene_missing: "Write the scenario first, or name an existing scene; scenes count from 0.",
  idempotency_mismatch: "Use a new key for a new request; repeat a request with the same body.",
  request_in_progress: "Wait as long as Retry-After says, then repeat the request to get its response.",
  unknown_provider: "Name a provider from `GET /api/providers`.",
  unsupported_capability: "Name a provider that offers this category in `GET /api/providers`.",
  provider_key_required: "Send your key for the provider in the header that the sentence names.",
  provider_key_rejected: "Check the key and its permissions at the provider.",
  provider_model_unavailable: "Name a model from `details.models`, or leave the header out.",
  content_refused: "Change the text or the image: the provider decides what it accepts.",
  provider_rejected_request: "Change the words, the size or the model.",
  media_too_large: "Send a shorter or a smaller file.",
  provider_rate_limited: "Repeat the request after the seconds in Retry-After.",
  provider_quota_exhausted: "Raise the quota at the provider, or use another key.",
  provider_error: "Repeat the request, with an Idempotency-Key if it is billed; or use another provider.",
  provider_bad_response: "Repeat the request, or use another model.",
  provider_overloaded: "Repeat the request after the seconds in Retry-After, or use another provider.",
  provider_timeout: "Repeat the request; ask for a shorter video, or send `Prefer: respond-async`.",
  rate_limited: "Repeat the request after the seconds in Retry-After.",
  busy: "Repeat the request after the seconds in Retry-After.",
  unavailable: "Repeat the request after the seconds in Retry-After; `GET /api/ready` says which part fails.",
  storage_full: "The operator frees space on the disk; then repeat the request.",
  internal: "Report the `requestId`: the log of the service has the cause under it.",
};
