import type { ProviderCall } from "../../domain/ai/provider-calls.ts";
import { DomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse, readErrorResponse, toProviderError } from "../client/errors.ts";
import { asFetch, limitedFetch } from "../client/limited-fetch.ts";
import { fetchResult } from "../client/results.ts";
import { exponentialBackoff, type RetryPolicy, withRetry } from "../client/retry.ts";
import type { ModelPorts } from "../client/rows.ts";

export type ProviderFetchOptions = {
  readonly credentials: ModelCredentials;
  readonly ports: Pick<ModelPorts, "fetcher" | "files">;
  readonly call: Pick<ProviderCall, "taskOptions">;
  readonly maxBytes: number;
  /** True if answers must be JSON: some packages take others for the end of a job. */
  readonly expectsJson?: boolean;
  /** True for reads that no other code repeats. */
  readonly repeatsReads?: boolean;
  /** Error statuses that are no errors, such as that of an unfinished job. */
  readonly passes?: (status: number, body: string) => boolean;
  /** Corrects the request of a package. */
  readonly rewrite?: (url: URL, init: RequestInit) => { readonly url: URL; readonly init: RequestInit };
};

const readTimeoutMs = 60_000;
const maxReads = 6;
const readBackoff = exponentialBackoff({ firstMs: 250, maxMs: 4_000 });

/**
 * A fetch for packages that do not know our rules: only the provider's own origins get the key, any other address is
 * read without it through the guard, each creation is sent once, and a failure is thrown as a DomainError.
 */
export function providerFetch(options: ProviderFetchOptions): typeof fetch {
  const { credentials, maxBytes, repeatsReads } = options;
  return asFetch(async (input, given) => {
    const original = addressFor(credentials, new URL(String(input)));
    const { url, init } = options.rewrite?.(original, given) ?? { url: original, init: given };
    const isRead = (init.method ?? "GET") === "GET";
    if (!isOwn(credentials, url)) return fetchResult(url.href, { ...options, signal: init.signal ?? undefined });
    const once = async (): Promise<Response> => {
      const signal = isRead ? withTimeout(init.signal, readTimeoutMs) : init.signal;
      const response = await limitedFetch({ maxBytes })(url, { ...init, ...(signal && { signal }) });
      // for packages that download a result themselves
      if (response.ok && isMedia(response)) return new Response(await response.bytes(), response);
      // read here: a package may take an interrupted answer for the failure of a job
      return checked(response, await response.text(), options);
    };
    const signal = init.signal ?? new AbortController().signal;
    if (!isRead || !repeatsReads) return once();
    return withRetry(once, signal, readAgain(credentials, signal)).catch((error) => {
      if (signal.aborted || !isPassing(error, credentials)) throw error;
      // its work may be charged for
      const reason = `${credentials.providerName} does not say what became of the request`;
      throw new DomainError("provider_error", { reason, unanswered: true }, { cause: error });
    });
  });
}

/** An address of the provider, or the one that a setting replaces it by. */
export function addressFor({ baseUrl, replacedOrigins }: ModelCredentials, url: URL): URL {
  if (!replacedOrigins?.includes(url.origin)) return url;
  const base = new URL(baseUrl);
  return new URL(url.pathname + url.search, base.origin);
}

/** True for the origins that may get the key. */
export const isOwn = ({ baseUrl, otherOrigins = [] }: ModelCredentials, { origin }: URL): boolean =>
  [new URL(baseUrl).origin, ...otherOrigins].includes(origin);

const isMedia = ({ headers }: Response) =>
  /^(image|audio|video)\/|octet-stream/.test(headers.get("content-type") ?? "");

const withTimeout = (signal: AbortSignal | null | undefined, milliseconds: number) =>
  AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(milliseconds)]);

/** Returns the response, or throws the error that it describes. */
async function checked(response: Response, body: string, options: ProviderFetchOptions): Promise<Response> {
  const { credentials, passes, expectsJson } = options;
  const { status, statusText, headers } = response;
  const again = new Response(body, { status, statusText, headers });
  if (!response.ok && !passes?.(status, body)) throw await readErrorResponse(again, credentials);
  if (response.ok && expectsJson && body && !isJson(body)) throw badResponse(credentials, "it is not JSON");
  return again;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A paid result is not given up because one read fails. */
const readAgain =
  (credentials: ModelCredentials, signal: AbortSignal): RetryPolicy =>
  (error, attempt) => {
    if (signal.aborted || attempt >= maxReads) return undefined;
    return isPassing(error, credentials) ? readBackoff(attempt - 1) : undefined;
  };

const isPassing = (error: unknown, credentials: ModelCredentials): boolean =>
  ["provider_error", "provider_overloaded", "provider_rate_limited"].includes(toProviderError(error, credentials).code);
