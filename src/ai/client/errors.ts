import { AISDKError, APICallError, NoObjectGeneratedError, RetryError } from "ai";
import { DomainError, isDomainError } from "../../errors.ts";
import { type Asked, failureOf, PassingTrouble } from "./error-responses.ts";
import { BrokenWire, OversizedAnswer } from "./limited-fetch.ts";

/**
 * What went wrong at a provider, in our words: none of its own, for they may hold keys, prompts and whole films. Throws
 * `error` itself when it tells of no provider: that is a fault of ours.
 */
export function asProviderError(error: unknown, asked: Asked): DomainError {
  const chain = causesOf(error);
  const known = chain.find(isDomainError);
  if (known) return known;
  if (chain.some((cause) => cause instanceof OversizedAnswer)) return unusable(asked, "it is too large");
  if (chain.some((cause) => cause instanceof BrokenWire)) return disconnected(asked);
  for (const cause of chain) {
    if (APICallError.isInstance(cause)) return failedCall(cause, asked);
    if (NoObjectGeneratedError.isInstance(cause)) return unfit(cause.finishReason, asked);
  }
  if (chain.some(AISDKError.isInstance)) return unusable(asked, "it does not have the agreed form");
  if (isAbort(error)) return disconnected(asked);
  throw error;
}

/** The same for a client of our own. Reads the answer's body. */
export async function failedResponse(response: Response, asked: Asked): Promise<DomainError> {
  try {
    const { status, headers } = response;
    return failureOf({ status, body: await response.text(), header: (name) => headers.get(name) }, asked);
  } catch (error) {
    return asProviderError(error, asked);
  }
}

/** An answer of status 200 that says nothing of use; `reason` goes on after "gave no usable answer". */
export const unusable = ({ providerName: provider }: Asked, reason: string): DomainError<"provider_bad_response"> =>
  new DomainError("provider_bad_response", { provider, reason });

export const refusal = ({ providerName: provider }: Asked): DomainError<"content_refused"> =>
  new DomainError("content_refused", { provider });

/** What an answer that has not the asked form is, by why the model stopped. */
export function unfit(finishReason: string | undefined, asked: Asked): DomainError {
  if (finishReason === "content-filter") return refusal(asked);
  if (finishReason === "length") return unusable(asked, "it broke off before its end");
  return unusable(asked, "it does not have the asked form");
}

const disconnected = ({ providerName }: Asked) =>
  new PassingTrouble("provider_error", { reason: `the connection to ${providerName} broke` });

/** The error and what is behind it, the outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next && !chain.includes(next) && chain.length < 10; ) {
    chain.push(next);
    next = RetryError.isInstance(next) ? next.lastError : (next as { cause?: unknown }).cause;
  }
  return chain;
}

function failedCall({ statusCode, responseHeaders, responseBody }: APICallError, asked: Asked): DomainError {
  if (statusCode === undefined) return disconnected(asked);
  const header = (name: string) => responseHeaders?.[name];
  if (typeof responseBody === "string") return failureOf({ status: statusCode, header, body: responseBody }, asked);
  // of a 200 that it cannot use, the SDK makes up a status, and the body is parsed against its type
  return failureOf({ status: 200, header, body: JSON.stringify(responseBody ?? "") }, asked);
}

const isAbort = (error: unknown) => error instanceof Error && ["AbortError", "TimeoutError"].includes(error.name);
