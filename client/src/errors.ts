import type { ErrorFacts, Issue, Quota, ErrorCode as ServiceErrorCode } from "../../src/errors.ts";
import type { Batch, ErrorBody, ExportJob, Film } from "./api.ts";

export type { Issue, Quota };

/**
 * The code of a failed request. `internal` is an error of the service; `unknown_response` is a response from elsewhere,
 * such as the page of a proxy.
 */
export type ErrorCode = ServiceErrorCode | "internal" | "unknown_response";

/** The parts of the service and their state. */
type Checks = NonNullable<ErrorBody["checks"]>;

/** The details of a response, which depend on the facts of its error as in the service's `bodyDetails`. */
type DetailsFrom<Facts> = "issues" extends keyof Facts
  ? Issue[]
  : "required" extends keyof Facts
    ? { required: string[]; granted: string[] }
    : "models" extends keyof Facts
      ? { model: string; models: string[] }
      : "quota" extends keyof Facts
        ? Facts extends { quota: Quota }
          ? Quota
          : Quota | undefined
        : "checks" extends keyof Facts
          ? { checks: Checks } | undefined
          : "path" extends keyof Facts
            ? Issue[]
            : undefined;

/** The details of the error with this code. */
export type ErrorDetails<Code extends ErrorCode> = Code extends ServiceErrorCode
  ? DetailsFrom<ErrorFacts<Code>>
  : Code extends "unknown_response"
    ? { body: string }
    : undefined;

type Facts<Code extends ErrorCode> = {
  readonly code: Code;
  readonly message: string;
  readonly status: number;
  readonly details: ErrorDetails<Code>;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
};

// shared by all copies of the package in a program
const apiErrorBrand = Symbol.for("reelwright.ApiError");
const exportErrorBrand = Symbol.for("reelwright.ExportFailedError");
const filmErrorBrand = Symbol.for("reelwright.FilmFailedError");
const batchErrorBrand = Symbol.for("reelwright.BatchFailedError");

const hasBrand = (value: unknown, brand: symbol) => typeof value === "object" && value !== null && brand in value;

/** An error response. `instanceof` narrows to a union in which `code` selects the type of `details`. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "ApiError";
  readonly [apiErrorBrand] = true;
  readonly code: Code;
  /** The HTTP status. */
  readonly status: number;
  readonly details: ErrorDetails<Code>;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** When to retry, if the response says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(facts: Facts<Code>) {
    super(facts.message);
    this.code = facts.code;
    this.status = facts.status;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  static override [Symbol.hasInstance](value: unknown): value is AnyApiError {
    return hasBrand(value, apiErrorBrand);
  }
}

export type AnyApiError = { [Code in ErrorCode]: ApiError<Code> }[ErrorCode];

type JobFailure = Pick<ExportJob, "status"> & { readonly error?: string; readonly code?: ErrorCode };

/** An export that ended without a video. */
export class ExportFailedError extends Error {
  override readonly name = "ExportFailedError";
  readonly [exportErrorBrand] = true;
  /** The code of the error; undefined for a cancelled export. */
  readonly code: ErrorCode | undefined;
  readonly job: ExportJob;

  constructor(job: ExportJob) {
    const { status, error, code }: JobFailure = job;
    super(error ?? (status === "cancelled" ? "The export was cancelled." : "The export failed."));
    this.code = code;
    this.job = job;
  }

  static override [Symbol.hasInstance](value: unknown): value is ExportFailedError {
    return hasBrand(value, exportErrorBrand);
  }
}

/** A film that has failed for good, or was cancelled. */
export class FilmFailedError extends Error {
  override readonly name = "FilmFailedError";
  readonly [filmErrorBrand] = true;
  /** The code of the error; undefined for a cancelled film. */
  readonly code: string | undefined;
  readonly film: Film;

  constructor(film: Film) {
    const { status, error, code }: Pick<Film, "status"> & { readonly error?: string; readonly code?: string } = film;
    super(error ?? (status === "cancelled" ? "The film was cancelled." : "The film failed."));
    this.code = code;
    this.film = film;
  }

  static override [Symbol.hasInstance](value: unknown): value is FilmFailedError {
    return hasBrand(value, filmErrorBrand);
  }
}

/** A batch that has made no film, or was cancelled. */
export class BatchFailedError extends Error {
  override readonly name = "BatchFailedError";
  readonly [batchErrorBrand] = true;
  readonly batch: Batch;

  constructor(batch: Batch) {
    super(
      batch.status === "cancelled" ? "The batch was cancelled." : (batch.waitingReason ?? "No film could be made."),
    );
    this.batch = batch;
  }

  static override [Symbol.hasInstance](value: unknown): value is BatchFailedError {
    return hasBrand(value, batchErrorBrand);
  }
}

/** Reads an error response. */
export async function readError(response: Response): Promise<AnyApiError> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const retryAfterSeconds = secondsIn(response.headers.get("retry-after"));
  const body = errorBodyIn(text);
  if (!body) {
    const message = `The response with status ${status} is not from the service: check the address.`;
    return new ApiError({
      code: "unknown_response",
      message,
      status,
      details: { body: text.slice(0, 2000) },
      retryAfterSeconds,
    });
  }
  const { error: message, code, requestId } = body;
  // safe because the service selects the details by the same code
  return new ApiError({ code, message, status, details: detailsIn(body), requestId, retryAfterSeconds } as Facts<
    typeof code
  >) as AnyApiError;
}

function errorBodyIn(text: string): ErrorBody | undefined {
  try {
    const body: Partial<ErrorBody> | null = JSON.parse(text);
    const isError = typeof body?.code === "string" && typeof body.error === "string";
    return isError ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

function detailsIn({ details, required, granted, checks }: ErrorBody): unknown {
  if (required) return { required, granted };
  return checks ? { checks } : details;
}

/** Parses seconds, which the service sends, or a date, which a proxy may send. */
function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
