import { AISDKError, APICallError } from "@ai-sdk/provider";
import type { NoObjectGeneratedError, NoSpeechGeneratedError, RetryError } from "ai";
import { DomainError, isDomainError } from "../../errors.ts";
import { type CalledModel, providerErrorOf, TransientError } from "./error-responses.ts";
import { NetworkError, ResponseTooLargeError } from "./limited-fetch.ts";

type SdkErrors = {
  readonly NoImageGeneratedError: Error;
  readonly NoObjectGeneratedError: NoObjectGeneratedError;
  readonly NoSpeechGeneratedError: NoSpeechGeneratedError;
  readonly NoTranscriptGeneratedError: Error;
  readonly RetryError: RetryError;
};

/** Recognizes an error of the package `ai` by its name: the package takes 9 MB and is loaded at the first request. */
export const isSdkError = <Name extends keyof SdkErrors>(error: unknown, name: Name): error is SdkErrors[Name] =>
  AISDKError.isInstance(error) && error.name === `AI_${name}`;

/**
 * Maps an error of the AI SDK or of our own clients to a DomainError. Discards the original text, because it may
 * contain keys, prompts and media. Throws `error` itself if no provider caused it: that is a bug of this service.
 */
export function toProviderError(error: unknown, called: CalledModel): DomainError {
  const causes = causesOf(error);
  const known = causes.find(isDomainError);
  if (known) return known;
  if (causes.some((cause) => cause instanceof ResponseTooLargeError)) return badResponse(called, "it is too large");
  const broken = causes.find((cause) => cause instanceof NetworkError);
  if (broken) return connectionLost(called, broken.mayHaveArrived);
  for (const cause of causes) {
    if (APICallError.isInstance(cause)) return apiCallError(cause, called);
    if (isSdkError(cause, "NoObjectGeneratedError")) return invalidOutputError(cause.finishReason, called);
  }
  if (causes.some(AISDKError.isInstance)) return unexpectedFormat(called);
  if (isAbort(error)) return connectionLost(called);
  throw error;
}

/** Maps the error response of one of our own clients; reads its body. */
export async function readErrorResponse(response: Response, called: CalledModel): Promise<DomainError> {
  try {
    const { status, headers } = response;
    return providerErrorOf({ status, body: await response.text(), header: (name) => headers.get(name) }, called);
  } catch (error) {
    return toProviderError(error, called);
  }
}

/** The error of an unusable response with a success status. `reason` completes "returned no usable response: …". */
export const badResponse = (
  { providerName: provider }: CalledModel,
  reason: string,
): DomainError<"provider_bad_response"> => new DomainError("provider_bad_response", { provider, reason });

export const unexpectedFormat = (called: CalledModel) => badResponse(called, "it does not match the expected format");

export const contentRefused = ({ providerName: provider }: CalledModel): DomainError<"content_refused"> =>
  new DomainError("content_refused", { provider });

/** A model that answered with words instead of the result: it did the work, and charges for it. */
class RefusedInWords extends DomainError<"content_refused"> {}

export const refusedInWords = ({ providerName: provider }: CalledModel): DomainError<"content_refused"> =>
  new RefusedInWords("content_refused", { provider });

/** The failure of a call that its provider has answered, for its booking. */
export const failed = (failure: DomainError) => ({ failure, isCharged: failure instanceof RefusedInWords });

/** Reads an answer, or the reason why it is unusable: with its usage, this is the outcome of the call. */
export function answered<Result>(read: () => Result): { readonly result: Result } | ReturnType<typeof failed> {
  try {
    return { result: read() };
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return failed(error);
  }
}

/** The error of an output that does not match its schema. `finishReason` is the AI SDK's. */
export function invalidOutputError(finishReason: string | undefined, called: CalledModel): DomainError {
  if (finishReason === "content-filter") return contentRefused(called);
  if (finishReason === "length") return badResponse(called, "it is incomplete");
  return badResponse(called, "it does not match the requested format");
}

const connectionLost = ({ providerName }: CalledModel, unanswered = true) =>
  new TransientError("provider_error", { reason: `the connection to ${providerName} broke`, unanswered });

/** The error and its chain of causes, the outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next && !chain.includes(next) && chain.length < 10; ) {
    chain.push(next);
    next = isSdkError(next, "RetryError") ? next.lastError : (next as { cause?: unknown }).cause;
  }
  return chain;
}

function apiCallError({ statusCode, responseHeaders, responseBody }: APICallError, called: CalledModel): DomainError {
  if (statusCode === undefined) return connectionLost(called);
  const header = (name: string) => responseHeaders?.[name];
  if (typeof responseBody === "string")
    return providerErrorOf({ status: statusCode, header, body: responseBody }, called);
  // for an unusable response with status 200 the SDK invents a status and, against its type, parses the body
  return providerErrorOf({ status: 200, header, body: JSON.stringify(responseBody ?? "") }, called);
}

const isAbort = (error: unknown) => error instanceof Error && ["AbortError", "TimeoutError"].includes(error.name);
