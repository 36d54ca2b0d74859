import { Readable } from "node:stream";
import type { ProviderCall } from "../../domain/ai/provider-calls.ts";
import type { ReceivedFile } from "../../engine/ports.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import type { ModelCredentials } from "./credentials.ts";
import { badResponse, toProviderError } from "./errors.ts";
import { decodeBase64 } from "./json-client.ts";
import { limitedFetch } from "./limited-fetch.ts";
import { type Backoff, exponentialBackoff, type RetryPolicy, withRetry } from "./retry.ts";
import type { ModelPorts } from "./rows.ts";

/** More than any generated video or sound. */
const maxResultBytes = 500_000_000;
const maxDownloads = 4;
const downloadTimeoutMs = 10 * 60_000;
const defaultBackoff = exponentialBackoff({ firstMs: 500, maxMs: 5_000 });

type ResultOptions = {
  readonly credentials: ModelCredentials;
  readonly ports: Pick<ModelPorts, "fetcher" | "files">;
  readonly call: Pick<ProviderCall, "taskOptions">;
  readonly signal: AbortSignal;
  readonly backoff?: Backoff;
  readonly maxBytes?: number;
};

/** A result as providers return it: its URL or its bytes. */
export type Result = { readonly url: string } | { readonly base64: string } | { readonly bytes: Uint8Array };

/**
 * Receives a result as a file. Its URL comes from an answer: it is read without the key, and through the guard unless a
 * setting replaces the provider's origin by that URL's. A broken download is retried, because it costs nothing.
 */
export async function receiveResult(result: Result, options: ResultOptions): Promise<ReceivedFile> {
  const { credentials, ports, signal, backoff = defaultBackoff, maxBytes = maxResultBytes } = options;
  if (!("url" in result)) {
    const bytes = "bytes" in result ? result.bytes : decodeBase64(result.base64);
    if (!bytes) throw badResponse(credentials, "its result is not base64");
    return ports.files.receive(Readable.from([bytes]), maxBytes);
  }
  const policy: RetryPolicy = (error, attempt) =>
    isPassing(error) && attempt < maxDownloads ? backoff(attempt - 1) : undefined;
  return withRetry(() => download(result.url, { ...options, maxBytes }), signal, policy).catch((error) => {
    signal.throwIfAborted();
    throw resultError(error, credentials);
  });
}

type Download = ResultOptions & { readonly maxBytes: number };

function download(text: string, options: Download): Promise<ReceivedFile> {
  const { credentials, ports, call, signal, maxBytes } = options;
  const url = URL.parse(text);
  if (url?.protocol === "data:") throw badResponse(credentials, "its result is no address");
  if (url && credentials.replacedOrigins && url.origin === new URL(credentials.baseUrl).origin) {
    return receiveFrom(url, options);
  }
  const limits = { path: "url", maxBytes, timeoutMs: downloadTimeoutMs };
  return ports.fetcher.download(text, { ...limits, owner: call.taskOptions.owner, signal });
}

async function receiveFrom(url: URL, { ports, signal, maxBytes }: Download): Promise<ReceivedFile> {
  const response = await limitedFetch({ maxBytes })(url, { signal });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new DomainError("url_unreachable", { path: "url", reason: `its server answered ${response.status}` });
  }
  if (Number(response.headers.get("content-length")) > maxBytes) {
    await response.body.cancel();
    throw new DomainError("payload_too_large", { maxBytes });
  }
  // safe because both types describe the same stream
  return ports.files.receive(Readable.fromWeb(response.body as never), maxBytes);
}

const isPassing = (error: unknown) => !isDomainError(error) || ["url_unreachable", "busy"].includes(error.code);

/** The errors of a download, which the caller could not prevent: the result is paid for. */
function resultError(error: unknown, credentials: ModelCredentials): DomainError {
  if (!isDomainError(error)) return toProviderError(error, credentials);
  switch (error.code) {
    case "url_not_allowed":
      return badResponse(credentials, "its result is at an address that is not allowed");
    case "payload_too_large":
      return badResponse(credentials, "it is too large");
    case "url_unreachable":
      return new DomainError("provider_error", {
        reason: `${credentials.providerName} did not serve its result`,
        // the result is charged for
        unanswered: true,
      });
    default:
      return error;
  }
}

type FetchOptions = Omit<ResultOptions, "signal"> & { readonly signal?: AbortSignal | undefined };

/** A result as a response, for packages that download results themselves. */
export async function fetchResult(url: string, options: FetchOptions): Promise<Response> {
  const { signal = new AbortController().signal } = options;
  const received = await receiveResult({ url }, { ...options, signal });
  try {
    return new Response(await Bun.file(received.path).bytes());
  } finally {
    await options.ports.files.discard(received);
  }
}
