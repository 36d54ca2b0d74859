import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Logger } from "pino";
import {
  type Checks,
  DomainError,
  type Issue,
  invalid,
  isDomainError,
  type PassedBudget,
  type Quota,
} from "../../errors.ts";
import { isOutOfFiles } from "../../platform/files.ts";
import type { AppEnv } from "../app-env.ts";
import { type AnyErrorCode, statusOf } from "./error-status.ts";
import { describeError } from "./log.ts";

export type ErrorStatus = ReturnType<typeof statusOf>;

export type ErrorBody = {
  /** One sentence that a person can act on. */
  error: string;
  code: AnyErrorCode;
  /**
   * An object only for provider_model_unavailable (the requested model and the provider's others) and for a limit of
   * the user (used and allowed).
   */
  details?: Issue[] | { model: string; models: string[]; endedOn?: string } | Quota | PassedBudget;
  required?: string[];
  granted?: string[];
  /** Only for unavailable, at /api/ready. */
  checks?: Checks;
  requestId: string;
};

export const internalSentence = "Something broke on our side.";

/** Omits the cause: messages of unexpected errors may contain SQL, paths or keys. */
const internalError = (requestId: string): ErrorBody => ({
  error: internalSentence,
  code: "internal",
  requestId,
});

export const errorHandler: ErrorHandler<AppEnv> = (thrown, c) => {
  // Hono throws these for bodies and forms that it cannot read
  const unread = thrown instanceof HTTPException ? invalid("", "The request cannot be read.") : thrown;
  const { requestId } = c.var;
  const isTemporary = c.get("stopSignal")?.aborted || isOutOfFiles(unread);
  const error = isDomainError(unread) || !isTemporary ? unread : interruptedError();
  if (!isDomainError(error)) return c.json(internalError(requestId), 500);
  const { message, code } = error;
  return c.json<ErrorBody>(
    { error: message, code, ...bodyDetails(error), requestId },
    statusFor(error),
    errorHeaders(error),
  );
};

/** The request is retried by another process or after a restart; or too many files are open here. */
const interruptedError = () => new DomainError("busy", { retryAfterSeconds: 1 });

/** An unavailable model is the caller's error only if the caller chose it; a default model is the service's error. */
function statusFor({ code, facts }: DomainError): ErrorStatus {
  return "byDefault" in facts && facts.byDefault ? 502 : statusOf(code);
}

function bodyDetails(error: DomainError): Partial<ErrorBody> {
  const { facts, message } = error;
  if ("issues" in facts) return { details: [...facts.issues] };
  if ("required" in facts) return { required: [...facts.required], granted: [...facts.granted] };
  if ("models" in facts) {
    const { model, models, endedOn } = facts;
    return { details: { model, models: [...models], ...(endedOn !== undefined && { endedOn }) } };
  }
  if ("budget" in facts) return { details: { ...facts.budget } };
  if ("quota" in facts && facts.quota) return { details: { ...facts.quota } };
  if ("checks" in facts && facts.checks) return { checks: facts.checks };
  if ("path" in facts) return { details: [{ path: facts.path, message }] };
  return {};
}

const challenge = 'Bearer realm="reelwright"';

function errorHeaders(error: DomainError): Record<string, string> {
  const { code, facts } = error;
  if (code === "invalid_token") return { "WWW-Authenticate": `${challenge}, error="invalid_token"` };
  if (statusOf(code) === 401) return { "WWW-Authenticate": challenge };
  if ("allow" in facts) return { Allow: facts.allow.join(", ") };
  if ("retryAfterSeconds" in facts && facts.retryAfterSeconds !== undefined)
    return { "Retry-After": `${facts.retryAfterSeconds}` };
  if ("sizeBytes" in facts) return { "Content-Range": `bytes */${facts.sizeBytes}` };
  return {};
}

/** Handles errors outside the app, for `Bun.serve`: for example, a stored file that disappeared while it was sent. */
export const serverErrorHandler =
  (log: Logger) =>
  (error: unknown): Response => {
    const requestId = crypto.randomUUID();
    log.error({ requestId, error: describeError(error) }, "response failed");
    return Response.json(internalError(requestId), { status: 500, headers: { "x-request-id": requestId } });
  };
