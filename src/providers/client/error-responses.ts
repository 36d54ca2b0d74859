import { DomainError, type ErrorCode } from "../../errors.ts";
import { parseRetryAfter } from "../../platform/async.ts";
import type { ModelCredentials } from "./credentials.ts";

/** The called model, as far as error messages name it. */
export type CalledModel = Pick<ModelCredentials, "providerName" | "modelId" | "byDefault" | "offeredModels">;

/** A failure that may not recur at the next attempt. */
export class TransientError<Code extends ErrorCode> extends DomainError<Code> {
  /** The pause that the provider requested. */
  readonly retryAfterSeconds?: number;

  constructor(code: Code, facts: DomainError<Code>["facts"], retryAfterSeconds?: number) {
    super(code, facts);
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A response with an error status, or without the expected body. The body must not leave this module. */
type FailedResponse = {
  readonly status: number;
  readonly header: (name: string) => string | null | undefined;
  readonly body: string;
};

const defaultRetryAfterSeconds = 30;
const maxRetryAfterSeconds = 86_400;

/** Maps a failed response to a DomainError. The provider's text only selects the code; it is never passed on. */
export function providerErrorOf(response: FailedResponse, called: CalledModel): DomainError {
  const { providerName: provider } = called;
  const body = parseErrorBody(response.body);
  const requestedSeconds = requestedDelaySeconds(response, body);
  const transient = <Code extends ErrorCode>(code: Code, facts: DomainError<Code>["facts"]) =>
    new TransientError(code, facts, requestedSeconds);
  const seconds = Math.ceil(requestedSeconds ?? defaultRetryAfterSeconds);
  const retryAfterSeconds = Math.min(Math.max(seconds, 1), maxRetryAfterSeconds);
  switch (classify(response.status, body)) {
    case "key":
      return new DomainError("provider_key_rejected", { provider });
    case "model":
      return modelUnavailable(called);
    case "content":
      return new DomainError("content_refused", { provider });
    case "size":
      return new DomainError("media_too_large", { provider });
    case "quota":
      return new DomainError("provider_quota_exhausted", { provider });
    case "rate":
      return transient("provider_rate_limited", { provider, retryAfterSeconds });
    case "load":
      return transient("provider_overloaded", { provider, retryAfterSeconds });
    case "server":
      return transient("provider_error", { reason: `${provider} answered with status ${response.status}` });
    case "format":
      return new DomainError("provider_bad_response", { provider, reason: "it does not match the expected format" });
    case "request":
      return new DomainError("provider_rejected_request", { provider });
  }
}

function modelUnavailable({ providerName: provider, modelId: model, byDefault, offeredModels }: CalledModel) {
  const models = offeredModels.filter((id) => id !== model);
  return new DomainError("provider_model_unavailable", { provider, model, models, byDefault });
}

type FailureKind = "key" | "model" | "content" | "size" | "quota" | "rate" | "load" | "server" | "format" | "request";

function classify(status: number, { codes, text, retryDelaySeconds }: ErrorBody): FailureKind {
  const has = (...candidates: readonly string[]) => candidates.some((code) => codes.has(code));
  if (has(...contentCodes) || (status >= 400 && status < 500 && guidelinesText.test(text))) return "content";
  // some providers refuse a key whose account is empty
  if (has(...emptyAccountCodes) || (status >= 400 && status < 500 && emptyAccountText.test(text))) return "quota";
  if (has("api_key_invalid", "invalid_api_key", "unauthenticated") || [401, 403].includes(status)) return "key";
  if (status === 400 && rejectedKeyText.test(text)) return "key";
  if (status >= 200 && status < 300) return "format";
  if (status === 429 || has("rate_limit_exceeded", "resource_exhausted", ...quotaCodes)) {
    const isDailyLimit = dailyLimitText.test(text) && !retryDelaySeconds;
    return has(...quotaCodes) || billingText.test(text) || isDailyLimit ? "quota" : "rate";
  }
  if (status === 402) return "quota";
  if (status === 413 || sizeText.test(text)) return "size";
  if (status === 404 || has("model_not_found", "modelnotfound") || retiredModelText.test(text)) return "model";
  if (has("unavailable", "overloaded", "overloaded_error", "system_busy") || [503, 529].includes(status)) return "load";
  // 408 and 499 are the provider's own timeouts
  if (status >= 500 || status < 400 || [408, 499].includes(status)) return "server";
  return safetyText.test(text) ? "content" : "request";
}

const contentCodes = [
  ...["moderation_blocked", "content_policy_violation", "content_filter", "safety"],
  ...["datainspectionfailed", "content_against_policy", "content_moderated", "bad_prompt"],
];
/** xAI's refusal of content, which has the status of a key without rights. */
const guidelinesText = /content violates usage guidelines/;
const emptyAccountCodes = ["quota_exceeded", "billing_error", "arrearage"];
const emptyAccountText =
  /exhausted balance|insufficient (credit|balance)|not have enough credits|credit balance is too low/;
const quotaCodes = ["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"];
const billingText = /credits are depleted|billing (account )?(is )?(not active|disabled|inactive)/;
const dailyLimitText = /perday/;
const sizeText = /payload size exceeds|request(_| body is )too[_ ]large/;
const retiredModelText = /\bmodels?\b.{0,250}(no longer available|has been (deprecated|retired|shut ?down))/s;
const rejectedKeyText = /^\[error 400\] invalid or missing api key/;
const safetyText = /rejected (by|as a result of) (the|our) safety system|safety_violations/;

type ErrorBody = {
  /** All codes, types, statuses and reasons in lower case, because providers use these fields differently. */
  readonly codes: ReadonlySet<string>;
  /** The start of the body in lower case. */
  readonly text: string;
  /** The delay in Google's RetryInfo. */
  readonly retryDelaySeconds?: number;
};

type Detail = { readonly reason?: unknown; readonly retryDelay?: unknown };
type Fields = Readonly<Record<string, unknown>>;

function parseErrorBody(body: string): ErrorBody {
  const text = body.slice(0, 64 * 1024).toLowerCase();
  const root = rootOf(body);
  const error = fieldsOf(root.error);
  const details: readonly Detail[] = Array.isArray(error.details) ? error.details.filter(Boolean) : [];
  const sections = [error, root, ...[root.detail].flat().map(fieldsOf)];
  const named = sections.flatMap(({ code, type, status }) => [code, type, status]);
  const values = [...named, ...details.map(({ reason }) => reason)];
  const codes = values.filter((code) => typeof code === "string").map((code) => code.toLowerCase());
  const delay = details.map(({ retryDelay }) => Number.parseFloat(String(retryDelay))).find(Number.isFinite);
  return { codes: new Set(codes), text, ...(delay !== undefined && { retryDelaySeconds: delay }) };
}

/** The body as an object. Google's front end sometimes wraps it in an array. */
function rootOf(body: string): Fields {
  try {
    return fieldsOf([JSON.parse(body)].flat()[0]);
  } catch {
    return {};
  }
}

const fieldsOf = (value: unknown): Fields => (value && typeof value === "object" ? (value as Fields) : {});

/** The delay in the Retry-After header, else Google's delay in the body. */
const requestedDelaySeconds = ({ header }: FailedResponse, { retryDelaySeconds }: ErrorBody): number | undefined =>
  parseRetryAfter(header("retry-after")) ?? retryDelaySeconds;
