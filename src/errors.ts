/** Where in a request something is wrong, as `clips.0.end`, and what. */
export type Issue = { readonly path: string; readonly message: string };

type At = { readonly path: string };
type Retry = { readonly retryAfterSeconds: number };
/** A provider's name, for people. */
type Provider = { readonly provider: string };

const summary = (issues: readonly Issue[]) => {
  const [first, ...more] = issues;
  if (!first) return "The request is not valid.";
  const named = first.path ? `${first.path}: ${first.message}` : first.message;
  return more.length > 0 ? `${named} (and ${more.length} more)` : named;
};

const secondsIn = (count: number) => (count === 1 ? "1 second" : `${count} seconds`);

/** Every failure a caller can meet, one a line: its code, its facts, its public sentence. */
const sentences = {
  validation_error: (d: { issues: readonly Issue[]; sentence?: string }) => d.sentence ?? summary(d.issues),
  id_mismatch: (d: At) => `${d.path} differs from the id in the path.`,
  unauthenticated: (_: Record<never, never>) => "Authentication required",
  invalid_token: (_: Record<never, never>) => "Invalid or expired token",
  invalid_credentials: (_: Record<never, never>) => "Wrong e-mail or password",
  insufficient_scope: (_: { required: readonly string[]; granted: readonly string[] }) => "Insufficient permissions",
  not_found: (_: Record<never, never>) => "Not found",
  method_not_allowed: (d: { allow: readonly string[] }) => `This path takes ${d.allow.join(", ")} only.`,
  email_taken: (_: Record<never, never>) => "This e-mail address is already registered",
  precondition_failed: (_: Record<never, never>) =>
    "It has changed since you read it: read it again and repeat the change.",
  payload_too_large: (d: { maxBytes: number }) =>
    `The body is larger than the ${d.maxBytes} bytes that are taken here.`,
  unsupported_media_type: (d: { reason: string }) => d.reason,
  range_not_satisfiable: (d: { sizeBytes: number }) => `The range lies outside the file's ${d.sizeBytes} bytes.`,
  not_ready: (_: Record<never, never>) => "The film is not finished: wait until its status is done.",
  no_duration: (_: Record<never, never>) => "The work has no length: set videoDuration, or give its scenes durations.",
  nothing_to_export: (_: Record<never, never>) =>
    "There are no clips: name some in the request, or save some in the work's editor.",
  scene_video_missing: (d: At & { sceneIndex: number }) =>
    `Scene ${d.sceneIndex} has neither a video nor an image: upload one to the work's media first.`,
  asset_missing: (d: At & { what: string }) => `${d.what} does not exist in this project.`,
  asset_wrong_type: (d: At & { what: string; expected: string }) => `${d.what} is not ${d.expected}.`,
  font_unusable: (d: At & { what: string }) => `${d.what} cannot be used as a font.`,
  source_unreadable: (d: At & { what: string }) => `${d.what} cannot be decoded: upload it again in another format.`,
  url_not_allowed: (d: At & { reason: string }) => `The address is not allowed: ${d.reason}.`,
  url_unreachable: (d: At & { reason: string }) => `The address could not be read: ${d.reason}.`,
  scene_missing: (d: { sceneIndex: number }) => `The work has no scene ${d.sceneIndex}: write its scenario first.`,
  idempotency_mismatch: (_: Record<never, never>) =>
    "This Idempotency-Key was used for another request: send the same request again, or take a new key.",
  request_in_progress: (d: Retry & { sceneIndex?: number }) =>
    d.sceneIndex === undefined
      ? "The first request with this Idempotency-Key is still running: wait for its answer."
      : `Something is being made for scene ${d.sceneIndex} already: wait for it to end.`,
  unknown_provider: (d: { known: readonly string[] }) =>
    `There is no provider of this name: choose one of ${d.known.join(", ")}.`,
  unsupported_capability: (d: Provider & { what: string; instead: readonly string[] }) =>
    `${d.provider} makes no ${d.what} here: choose one of ${d.instead.join(", ")}.`,
  provider_key_required: (d: Provider) => `${d.provider} needs a key of yours: send it in the header x-api-key.`,
  provider_key_rejected: (d: Provider) => `${d.provider} did not accept the key, or the key may not do this.`,
  provider_model_unavailable: (d: Provider & { byDefault: boolean }) =>
    `${d.provider} does not offer this model any more, or not to this key: name another in the header x-model-id.`,
  content_refused: (d: Provider) => `${d.provider} declined for reasons of content: change the words or the picture.`,
  provider_rejected_request: (d: Provider) =>
    `${d.provider} did not take the request: try other words, another size, or another model.`,
  media_too_large: (d: Provider) => `The file is larger than ${d.provider} takes: send a shorter or smaller one.`,
  provider_rate_limited: (d: Provider & Retry) =>
    `${d.provider} takes no more requests from this key now: try again in ${secondsIn(d.retryAfterSeconds)}.`,
  provider_quota_exhausted: (d: Provider) =>
    `The account behind this key has used up what it may use at ${d.provider}.`,
  provider_error: (d: { reason: string }) => `The provider failed: ${d.reason}.`,
  provider_bad_response: (d: Provider & { reason: string }) => `${d.provider} gave no usable answer: ${d.reason}.`,
  provider_overloaded: (d: Provider & Retry) =>
    `${d.provider} is overloaded: try again in ${secondsIn(d.retryAfterSeconds)}.`,
  provider_timeout: (d: { seconds: number }) => `The provider did not finish within ${secondsIn(d.seconds)}.`,
  rate_limited: (d: Retry) => `Too many requests: try again in ${secondsIn(d.retryAfterSeconds)}.`,
  busy: (d: Retry) => `Too much is running already: try again in ${secondsIn(d.retryAfterSeconds)}.`,
  storage_full: (_: Record<never, never>) => "The service's disk is full: free some space, then send it again.",
  unavailable: (_: Record<never, never>) => "The service cannot reach its database right now.",
};

export type ErrorCode = keyof typeof sentences;
export type ErrorFacts<C extends ErrorCode> = Parameters<(typeof sentences)[C]>[0];

/** A failure that the caller can act on. Knows no transport: http/error-response.ts gives it a status. */
export class DomainError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "DomainError";

  constructor(
    readonly code: C,
    readonly facts: ErrorFacts<C>,
    options?: ErrorOptions,
  ) {
    // safe because C picks the same row twice: the sentence and the facts it takes
    super((sentences[code] as (facts: ErrorFacts<C>) => string)(facts), options);
  }
}

export const isDomainError = (error: unknown): error is DomainError => error instanceof DomainError;

/** One field is wrong: the short way to say so. */
export const invalid = (path: string, message: string): DomainError<"validation_error"> =>
  new DomainError("validation_error", { issues: [{ path, message }] });
