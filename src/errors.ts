import { fieldLabel, formatIssue, parseFieldPath } from "./platform/field-sentences.ts";

/** One invalid field of a request; `path` is written as `clips.0.end`, `message` is a sentence that names the field. */
export type Issue = { readonly path: string; readonly message: string };

type NoFacts = Record<never, never>;
type AtPath = { readonly path: string };
type RetryAfter = { readonly retryAfterSeconds: number };
/** A provider's display name. */
type Provider = { readonly provider: string };
/** `endedOn` is the day on which the provider removed it, if that is the cause. */
type UnavailableModel = { model: string; models: readonly string[]; byDefault: boolean; endedOn?: string };

const summarize = (issues: readonly Issue[]) => {
  const [first, ...more] = issues;
  if (!first) return "The request is not valid.";
  return more.length > 0 ? `${first.message} (and ${more.length} more)` : first.message;
};

/** The parts of the service and their state. */
export type Checks = Readonly<Record<string, "ok" | "failing">>;

const failingIn = (checks: Checks) => Object.keys(checks).filter((name) => checks[name] === "failing");

type Bound = { readonly used: number; readonly allowed: number };

/** A limit of one user: the amount used and the amount allowed. */
export type Quota = Bound & { readonly limit: keyof typeof quotaSentences };

const inUnits = (bytes: number): string => {
  const [unit, size] = bytes < 1024 ** 2 ? ["KB", 1024] : bytes < 1024 ** 3 ? ["MB", 1024 ** 2] : ["GB", 1024 ** 3];
  return `${Math.round((10 * bytes) / size) / 10} ${unit}`;
};

const rowSentence =
  (what: string) =>
  ({ allowed }: Bound) =>
    `You may have ${allowed} ${what}: delete one first.`;

const quotaSentences = {
  storage_bytes: ({ used, allowed }: Bound) =>
    `Your files and documents use ${inUnits(used)} of the allowed ${inUnits(allowed)}: delete some of them first.`,
  waiting_exports: ({ allowed }: Bound) =>
    `You may have ${allowed} waiting exports: remove one, or wait until one of them starts.`,
  exports_per_day: ({ allowed }: Bound) => `You may request ${allowed} exports a day.`,
  projects: rowSentence("projects"),
  works: rowSentence("works in a project"),
  templates: rowSentence("templates in a project"),
  looks: rowSentence("looks in a project"),
  destinations: rowSentence("destinations in a project"),
  tokens: rowSentence("API tokens that have not expired"),
  reviews: rowSentence("review links of a work that have not expired"),
  comments: ({ allowed }: Bound) => `A review link may have ${allowed} comments: ask for another link.`,
};

export const quotaLimits = Object.keys(quotaSentences);

const quotaSentence = (quota: Quota): string => quotaSentences[quota.limit](quota);

/** A budget that a call could exceed; amounts are formatted as in answers. */
export type PassedBudget = {
  readonly scope: "film" | "batch" | "project" | "user";
  readonly limit: string;
  /** Unconfirmed payments count as spent. */
  readonly spent: string;
  readonly reserved: string;
  /** The maximum cost of the call. */
  readonly estimate: string;
  readonly currency: string;
};

const inSeconds = (count: number) => (count === 1 ? "1 second" : `${count} seconds`);

/** All errors that callers can receive: the code, the facts and the public sentence of each. */
const sentences = {
  validation_error: (d: { issues: readonly Issue[]; sentence?: string }) => d.sentence ?? summarize(d.issues),
  id_mismatch: (d: AtPath) => `${fieldLabel(parseFieldPath(d.path))} differs from the one in the address.`,
  unauthenticated: (_: NoFacts) => "Authentication required",
  invalid_token: (_: NoFacts) => "Invalid or expired token",
  invalid_credentials: (d: { sentence?: string }) => d.sentence ?? "Wrong e-mail or password",
  insufficient_scope: (_: { required: readonly string[]; granted: readonly string[] }) => "Insufficient permissions",
  cross_site_request: (_: NoFacts) =>
    "A login by cookie is accepted only from this service's own pages, with the header x-reelwright-page.",
  not_found: (_: NoFacts) => "Not found",
  link_expired: (_: NoFacts) => "This link has expired: ask for a new one.",
  method_not_allowed: (d: { allow: readonly string[] }) => `This path supports only ${d.allow.join(", ")}.`,
  email_taken: (_: NoFacts) => "This e-mail address is already registered",
  precondition_failed: (_: NoFacts) =>
    "The resource has changed since you read it: read it again, then repeat the change.",
  payload_too_large: (d: { maxBytes: number }) => `The body is larger than the limit of ${d.maxBytes} bytes.`,
  unsupported_media_type: (d: { reason: string }) => d.reason,
  range_not_satisfiable: (d: { sizeBytes: number }) => `The range is outside the file's ${d.sizeBytes} bytes.`,
  not_ready: ({ what = "export" }: { what?: "export" | "film" | "batch" }) =>
    what === "batch"
      ? "The batch has not ended: wait until it has, then download its films."
      : `The ${what} is not finished: wait until its status is done.`,
  gate_failed: (d: { issues: readonly Issue[] }) =>
    `The video breaks a rule and cannot be downloaded. ${summarize(d.issues)}`,
  not_waiting: (_: NoFacts) => "The film is not waiting for this: read it to see what it waits for.",
  waited_too_long: (_: NoFacts) => "The film has waited for 30 days: order it again.",
  no_duration: (_: NoFacts) => "The work has no duration: set videoDuration, or give its scenes durations.",
  nothing_to_export: (_: NoFacts) =>
    "There are no clips, and no scene of the work has media: add clips to the request, or add a video or an image to a scene.",
  scene_video_missing: (d: AtPath & { sceneIndex: number }) =>
    `Scene ${d.sceneIndex} has neither a video nor an image: upload one to the work's media first.`,
  asset_missing: (d: AtPath & { what: string }) => `${d.what} does not exist in this project.`,
  asset_wrong_type: (d: AtPath & { what: string; expected: string }) => `${d.what} is not ${d.expected}.`,
  font_unusable: (d: AtPath & { what: string }) => `${d.what} cannot be used as a font.`,
  mask_cycle: (d: AtPath & { id: string }) => `The layer ${d.id} is masked by itself, or by a layer that it masks.`,
  /** `megapixels` of all layers on the frame, and of the allowed ones; `frames`: moving layers on all frames. */
  layers_too_large: (
    d: AtPath & { what: string } & (
        | { seconds: number; megapixels: number; allowed: number }
        | { count: number; of: "frames" | "layers"; allowed: number }
      ),
  ) =>
    "seconds" in d
      ? `The layers at ${d.seconds} s have ${d.megapixels} million pixels together, and ${d.allowed} are allowed: make ${d.what} smaller, or show fewer at once.`
      : `The ${d.of === "frames" ? "moving layers take" : "layers are"} ${d.count.toLocaleString("en-US")} ${d.of === "frames" ? "drawn frames" : "with those that mask others"}, and ${d.allowed.toLocaleString("en-US")} are allowed: ${d.what} takes most.`,
  too_many_videos: (d: AtPath & { what: string; seconds: number; count: number; allowed: number }) =>
    `At ${d.seconds} s ${d.count} videos are visible at once as layers, and ${d.allowed} are allowed: let ${d.what} begin later, or show fewer.`,
  /** `formats` have a transparent background. */
  background_not_possible: (d: AtPath & { format: string; formats: readonly string[] }) =>
    `The format ${d.format} has no transparency: choose ${d.formats.slice(0, -1).join(", ")} or ${d.formats.at(-1)}, or another background.`,
  gif_too_long: (d: AtPath & { seconds: number; allowed: number }) =>
    `A GIF may have ${d.allowed} seconds, and this film has ${Number(d.seconds.toFixed(3))}: make it shorter, or choose webm or mp4.`,
  /** `isDamaged`: the stored bytes are no longer those that were stored. */
  source_unreadable: (d: AtPath & { what: string; isDamaged?: boolean }) =>
    d.isDamaged
      ? `${d.what} is damaged or missing in the service's storage: upload it or make it again.`
      : `${d.what} cannot be decoded: upload it again in another format.`,
  url_not_allowed: (d: AtPath & { reason: string }) => `The address is not allowed: ${d.reason}.`,
  url_unreachable: (d: AtPath & { reason: string }) => `The address could not be read: ${d.reason}.`,
  scene_missing: (d: { sceneIndex: number; sceneCount: number }) =>
    `The work has no scene ${d.sceneIndex}: ${scenesInWords(d.sceneCount)}.`,
  idempotency_mismatch: (_: NoFacts) =>
    "This Idempotency-Key was used for another request: repeat that request, or use a new key.",
  request_in_progress: (d: RetryAfter & { sceneIndex?: number }) =>
    d.sceneIndex === undefined
      ? "The first request with this Idempotency-Key is still running: wait for its response."
      : `A generation for scene ${d.sceneIndex} is already running: wait until it ends.`,
  unknown_provider: (d: { known: readonly string[] }) =>
    `There is no provider with this name: choose one of ${d.known.join(", ")}. If a list already shows it as chosen, choose another one first.`,
  unsupported_capability: (d: Provider & { what: string; instead: readonly string[] }) =>
    `${d.provider} cannot make ${d.what} here: choose one of ${d.instead.join(", ")}.`,
  provider_key_required: (d: Provider & { header: string; otherHeader?: string }) => {
    const other = d.otherHeader ? `, and the other provider's key as ${d.otherHeader}` : "";
    return `${d.provider} needs your own API key: enter it in your editor's keys, or send it as ${d.header}${other}.`;
  },
  provider_key_rejected: (d: Provider) => `${d.provider} rejected the key, or the key lacks the permission.`,
  provider_model_unavailable: (d: Provider & UnavailableModel) => {
    const advice = d.models.length > 0 ? `choose one of ${d.models.join(", ")}` : "choose another provider";
    return d.endedOn === undefined
      ? `${d.provider} does not offer the model ${d.model} to this key: ${advice}.`
      : `${d.provider} removed the model ${d.model} on ${d.endedOn}: ${advice}.`;
  },
  content_refused: (d: Provider) => `${d.provider} refused the content: change the text or the image.`,
  provider_rejected_request: (d: Provider) =>
    `${d.provider} rejected the request: try other words, another size, or another model.`,
  media_too_large: (d: Provider) => `The file is too large for ${d.provider}: send a shorter or smaller one.`,
  provider_rate_limited: (d: Provider & RetryAfter) =>
    `${d.provider} limits requests with this key: try again in ${inSeconds(d.retryAfterSeconds)}.`,
  provider_quota_exhausted: (d: Provider) => `The account behind this key has used up its quota at ${d.provider}.`,
  /** `unanswered`: it may have been paid; `isGone`: the result is lost for good. */
  provider_error: (d: { reason: string; unanswered?: boolean; isGone?: boolean }) =>
    `The provider failed: ${d.reason}.`,
  provider_bad_response: (d: Provider & { reason: string }) =>
    `${d.provider} returned no usable response: ${d.reason}.`,
  provider_overloaded: (d: Provider & RetryAfter) =>
    `${d.provider} is overloaded: try again in ${inSeconds(d.retryAfterSeconds)}.`,
  provider_timeout: (d: { seconds: number }) => `The provider did not finish within ${inSeconds(d.seconds)}.`,
  budget_exceeded: ({ budget }: { budget: PassedBudget }) =>
    `This can cost up to ${budget.estimate} ${budget.currency}, but the budget of the ${budget.scope} has less left: raise it, or choose a cheaper model.`,
  price_unknown: (d: { model: string }) =>
    `The price of ${d.model} is unknown, but a budget is set: choose another model, or add its price to the service.`,
  limit_reached: (d: { quota: Quota } & Partial<RetryAfter>) => quotaSentence(d.quota),
  rate_limited: (d: RetryAfter & { quota?: Quota }) =>
    d.quota
      ? `${quotaSentence(d.quota)} Try again in ${inSeconds(d.retryAfterSeconds)}.`
      : `Too many requests: try again in ${inSeconds(d.retryAfterSeconds)}.`,
  busy: (d: RetryAfter) => `The service is busy: try again in ${inSeconds(d.retryAfterSeconds)}.`,
  storage_full: (_: NoFacts) => "The service's disk is full: free some space, then repeat the request.",
  unavailable: (d: { checks?: Checks; part?: "file storage"; retryAfterSeconds?: number }) =>
    d.checks === undefined || d.checks.database === "failing"
      ? `The service cannot reach its ${d.part ?? "database"} right now.`
      : `The service is not ready: ${failingIn(d.checks).join(" and ")} failed.`,
};

export type ErrorCode = keyof typeof sentences;
export type ErrorFacts<C extends ErrorCode> = Parameters<(typeof sentences)[C]>[0];

/** Scene indexes start at 0. */
function scenesInWords(count: number): string {
  if (count === 0) return "write its scenario first";
  return count === 1 ? "it has only scene 0" : `it has scenes 0 to ${count - 1}`;
}

/** An error that callers receive. Independent of HTTP: http/response/error-response.ts maps its code to a status. */
export class DomainError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "DomainError";

  constructor(
    readonly code: C,
    readonly facts: ErrorFacts<C>,
    options?: ErrorOptions,
  ) {
    // safe because C selects the same row twice: the sentence and its facts
    super((sentences[code] as (facts: ErrorFacts<C>) => string)(facts), options);
  }
}

export const isDomainError = (error: unknown): error is DomainError => error instanceof DomainError;

/** True if the database or the storage did not respond. This is temporary; a write may still take effect. */
export const isUnavailable = (error: unknown): boolean => isDomainError(error) && error.code === "unavailable";

/** True for errors of this service that say nothing about the request. */
export const isTemporary = (error: unknown): boolean =>
  isUnavailable(error) || (isDomainError(error) && error.code === "busy");

/** True if the database did not respond: other queries of the same request would only wait as well. */
export const isDatabaseAway = (error: unknown): boolean =>
  isUnavailable(error) && !("part" in (error as DomainError<"unavailable">).facts);

/** A validation error of one field; `message` is a sentence, or follows the field's name: "Must be …", "Is …". */
export const invalid = (path: string, message: string): DomainError<"validation_error"> =>
  new DomainError("validation_error", { issues: [{ path, message: formatIssue(parseFieldPath(path), message) }] });
