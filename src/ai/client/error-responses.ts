import { DomainError, type ErrorCode } from "../../errors.ts";
import { parseRetryAfter } from "../../platform/retry-after.ts";
import type { Access } from "./credentials.ts";

/** Whose model it was, as far as an error tells of it. */
export type Asked = Pick<Access, "providerName" | "byDefault">;

/** What may be gone at the next try. */
export class PassingTrouble<Code extends ErrorCode> extends DomainError<Code> {
  /** How long the provider asked to wait before. */
  readonly toldSeconds?: number;

  constructor(code: Code, facts: DomainError<Code>["facts"], toldSeconds?: number) {
    super(code, facts);
    if (toldSeconds !== undefined) this.toldSeconds = toldSeconds;
  }
}

/** An answer that is none: its status, its headers and its body, which stays here. */
export type FailedAnswer = {
  readonly status: number;
  readonly header: (name: string) => string | null | undefined;
  readonly body: string;
};

/** A failed answer in our words. What the provider wrote decides, and goes no further. */
export function failureOf(answer: FailedAnswer, { providerName: provider, byDefault }: Asked): DomainError {
  const said = readBody(answer.body);
  const told = toldSeconds(answer, said);
  const passing = <Code extends ErrorCode>(code: Code, facts: DomainError<Code>["facts"]) =>
    new PassingTrouble(code, facts, told);
  const retryAfterSeconds = Math.min(Math.max(Math.ceil(told ?? 30), 1), 86_400);
  switch (kindOf(answer.status, said)) {
    case "key":
      return new DomainError("provider_key_rejected", { provider });
    case "model":
      return new DomainError("provider_model_unavailable", { provider, byDefault });
    case "content":
      return new DomainError("content_refused", { provider });
    case "size":
      return new DomainError("media_too_large", { provider });
    case "quota":
      return new DomainError("provider_quota_exhausted", { provider });
    case "rate":
      return passing("provider_rate_limited", { provider, retryAfterSeconds });
    case "load":
      return passing("provider_overloaded", { provider, retryAfterSeconds });
    case "broken":
      return passing("provider_error", { reason: `${provider} answered with status ${answer.status}` });
    case "unusable":
      return new DomainError("provider_bad_response", { provider, reason: "it does not have the agreed form" });
    case "request":
      return new DomainError("provider_rejected_request", { provider });
  }
}

type Kind = "key" | "model" | "content" | "size" | "quota" | "rate" | "load" | "broken" | "unusable" | "request";

function kindOf(status: number, { codes, words, retryDelay }: Said): Kind {
  const has = (...some: readonly string[]) => some.some((code) => codes.has(code));
  if (has("moderation_blocked", "content_policy_violation", "content_filter", "safety")) return "content";
  if (has("api_key_invalid", "invalid_api_key", "unauthenticated") || [401, 403].includes(status)) return "key";
  if (status >= 200 && status < 300) return "unusable";
  if (status === 429 || has("rate_limit_exceeded", "resource_exhausted", ...usedUp)) {
    return has(...usedUp) || depleted.test(words) || (perDay.test(words) && !retryDelay) ? "quota" : "rate";
  }
  if (status === 402) return "quota";
  if (status === 413 || tooLarge.test(words)) return "size";
  if (status === 404 || has("model_not_found") || retired.test(words)) return "model";
  if (has("unavailable", "overloaded", "overloaded_error") || [503, 529].includes(status)) return "load";
  // 408 and 499 tell of the provider's own clock
  if (status >= 500 || status < 400 || [408, 499].includes(status)) return "broken";
  return refused.test(words) ? "content" : "request";
}

const usedUp = ["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"];
const depleted = /credits are depleted|billing (account )?(is )?(not active|disabled|inactive)/;
const perDay = /perday/;
const tooLarge = /payload size exceeds|request(_| body is )too[_ ]large/;
const retired = /\bmodels?\b.{0,250}(no longer available|has been (deprecated|retired|shut ?down))/s;
const refused = /rejected (by|as a result of) (the|our) safety system|safety_violations/;

type Said = {
  /** Every code, type, status and reason in it, in small letters: providers disagree on which of them says what. */
  readonly codes: ReadonlySet<string>;
  /** The whole body in small letters. */
  readonly words: string;
  /** Google's, in seconds. */
  readonly retryDelay?: number;
};

type Detail = { readonly reason?: unknown; readonly retryDelay?: unknown };

function readBody(body: string): Said {
  const words = body.slice(0, 64 * 1024).toLowerCase();
  const error = errorIn(body);
  const details: readonly Detail[] = Array.isArray(error.details) ? error.details.filter(Boolean) : [];
  const codes = [error.code, error.type, error.status, ...details.map(({ reason }) => reason)];
  const delay = details.map(({ retryDelay }) => Number.parseFloat(String(retryDelay))).find(Number.isFinite);
  const named = codes.filter((code) => typeof code === "string").map((code) => code.toLowerCase());
  return { codes: new Set(named), words, ...(delay !== undefined && { retryDelay: delay }) };
}

/** `{ error }`, or the same in an array, as Google's front end wraps it at times. */
function errorIn(body: string): Record<string, unknown> {
  try {
    const parsed = [JSON.parse(body)].flat()[0];
    const error = parsed?.error;
    return error && typeof error === "object" ? error : {};
  } catch {
    return {};
  }
}

/** The header's seconds or date, else Google's own delay in the body. */
const toldSeconds = ({ header }: FailedAnswer, { retryDelay }: Said): number | undefined =>
  parseRetryAfter(header("retry-after")) ?? retryDelay;
