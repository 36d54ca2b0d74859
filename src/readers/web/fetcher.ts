import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { addAbortSignal, pipeline, Readable, type Transform } from "node:stream";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Fetcher, HttpAnswer, HttpRequest } from "../../domain/files/fetcher.ts";
import type { FileStore, ReceivedFile } from "../../engine/ports.ts";
import { DomainError } from "../../errors.ts";
import { parseRetryAfter } from "../../platform/async.ts";
import { concurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import {
  hostOf,
  type PinnedUrl,
  parseAllowedUrl,
  pinUrl,
  portOf,
  type SsrfGuard,
  systemResolver,
} from "./ssrf-guard.ts";

const downloadTimeoutMilliseconds = 60_000;
const postTimeoutMilliseconds = 10_000;
const maxRedirects = 5;

/** One user has at most 4 downloads at a time. A slow server holds its slot for a minute. */
const slots = { concurrency: 32, perOwner: 4, maxQueuedPerOwner: 20, maxQueued: 500, retryAfterSeconds: 5 };

type FetcherOptions = Omit<SsrfGuard, "resolve"> & Partial<SsrfGuard> & { readonly files: FileStore };

type DownloadOptions = Parameters<Fetcher["download"]>[1];

/** SSRF-guarded HTTP client with DNS pinning: each URL, also of a redirect, is validated before its request. */
export function ssrfGuardedFetcher({ files, resolve = systemResolver, ...rest }: FetcherOptions): Fetcher {
  const guard = { ...rest, resolve };
  const limit = concurrencyLimit(slots);
  return {
    checkUrl: (url, { path }) => void parseAllowedUrl(url, path, guard),

    download(url, options) {
      const receiveInTime = () =>
        withDeadline(options, options.timeoutMs ?? downloadTimeoutMilliseconds, async (signal) => {
          const download = { ...options, signal };
          return await receive(files, await follow(url, download, guard), download);
        });
      return limit(receiveInTime, options);
    },

    resolveHost: (url, options) =>
      withDeadline(options, postTimeoutMilliseconds, async (signal) => {
        await pinUntilAborted(url, options.path, guard, signal);
      }),

    post: (url, message, options) =>
      withDeadline(options, postTimeoutMilliseconds, async (signal) => {
        const pinned = await pinUntilAborted(url, options.path, guard, signal);
        const response = await request(pinned, options.path, signal, message);
        response.destroy();
        const retryAfterSeconds = parseRetryAfter(response.headers["retry-after"]);
        // safe because a client's IncomingMessage always has a status
        return { status: response.statusCode!, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
      }),

    send: (url, message, options) =>
      withDeadline(options, options.timeoutMs, async (signal) => {
        const { path, isTrusted = false } = options;
        const port = isTrusted && URL.canParse(url) ? portOf(new URL(url)) : undefined;
        const allowed = port === undefined ? guard : { ...guard, allowPrivateNetwork: true, extraPorts: [port] };
        const pinned = await pinUntilAborted(url, path, allowed, signal);
        return await answerOf(await request(pinned, path, signal, message), path, signal);
      }),
  };
}

/** Aborts the signal of `work` at the deadline and then throws url_unreachable. */
async function withDeadline<T>(
  { path, signal }: { readonly path: string; readonly signal?: AbortSignal },
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(milliseconds);
  try {
    return await work(signal ? AbortSignal.any([signal, deadline]) : deadline);
  } catch (error) {
    signal?.throwIfAborted();
    throw deadline.aborted ? unreachable(path, "it took too long", error) : error;
  }
}

/** A DNS lookup cannot be cancelled: on abort this rejects immediately and ignores the late result. */
async function pinUntilAborted(url: string, path: string, guard: SsrfGuard, signal: AbortSignal): Promise<PinnedUrl> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([pinUrl(url, path, guard), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

const unreachable = (path: string, reason: string, cause?: unknown) =>
  new DomainError("url_unreachable", { path, reason }, { cause });

/** Follows redirects itself, because each target must pass the SSRF guard. */
async function follow(firstUrl: string, { path, signal }: DownloadOptions, guard: SsrfGuard): Promise<IncomingMessage> {
  let url = firstUrl;
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const pinned = await pinUrl(url, path, guard);
    const response = await request(pinned, path, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 200 && statusCode < 300) return response;

    response.destroy();
    if (!redirectStatuses.has(statusCode)) throw unreachable(path, `its server answered ${statusCode}`);
    if (!headers.location || !URL.canParse(headers.location, pinned.url)) {
      throw unreachable(path, "its redirect has no valid location");
    }
    url = new URL(headers.location, pinned.url).href;
  }
  throw unreachable(path, `it was redirected more than ${maxRedirects} times`);
}

/** Error bodies and XML lists are shorter. */
const maxTextBytes = 256 * 1024;

async function answerOf(response: IncomingMessage, path: string, signal: AbortSignal): Promise<HttpAnswer> {
  addAbortSignal(signal, response);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= maxTextBytes) break;
    }
  } catch (cause) {
    throw unreachable(path, "its server closed the connection early", cause);
  } finally {
    response.destroy();
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) if (value !== undefined) headers.set(name, `${value}`);
  // safe because a client's IncomingMessage always has a status
  return { status: response.statusCode!, headers, text: Buffer.concat(chunks).toString("utf8") };
}

const request = (pinned: PinnedUrl, path: string, signal: AbortSignal, message?: SentMessage) =>
  requestPinned(pinned, signal, message).catch((cause) => {
    throw unreachable(path, "its server could not be reached", cause);
  });

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function receive(files: FileStore, response: IncomingMessage, download: DownloadOptions): Promise<ReceivedFile> {
  const { maxBytes } = download;
  try {
    if (declaredBytes(response) > maxBytes) throw new DomainError("payload_too_large", { maxBytes });
    return await files.receive(Readable.from(decodedChunks(response, download), { objectMode: false }), maxBytes);
  } finally {
    response.destroy();
  }
}

const declaredBytes = ({ headers }: IncomingMessage) => Number(headers["content-length"] ?? Number.NaN);

/** The body after content decoding, so that the size limit also stops a decompression bomb. */
async function* decodedChunks(
  response: IncomingMessage,
  { path, signal }: DownloadOptions,
): AsyncGenerator<Uint8Array> {
  const body = decode(response, path);
  addAbortSignal(signal, body);
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      sizeBytes += chunk.byteLength;
      yield chunk;
    }
  } catch (cause) {
    throw unreachable(path, "its server closed the connection early", cause);
  }
  const isTruncated = body === response && sizeBytes < declaredBytes(response);
  if (isTruncated) throw unreachable(path, "its server sent less than it declared");
}

/** Some servers compress despite `accept-encoding: identity`. */
function decode(response: IncomingMessage, path: string): Readable {
  const encoding = response.headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity") return response;
  const decoder = decoders.get(encoding)?.();
  if (!decoder) throw unreachable(path, "its content encoding is not supported");
  // pipeline destroys the decoder on error, so the reader of the decoder sees the error
  return pipeline(response, decoder, () => {});
}

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

type SentMessage = Omit<HttpRequest, "method"> & Partial<Pick<HttpRequest, "method">>;

/** The address is pinned: DNS rebinding has no effect. By default POST if there is a message. Follows no redirects. */
function requestPinned(
  { url, address }: PinnedUrl,
  signal: AbortSignal,
  message?: SentMessage,
): Promise<IncomingMessage> {
  const host = hostOf(url);
  const options = {
    host: address.address,
    family: address.family,
    port: portOf(url),
    method: message?.method ?? (message ? "POST" : "GET"),
    path: `${url.pathname}${url.search}`,
    headers: { ...message?.headers, ...fixedHeaders, host: url.host },
    // TLS verifies the certificate against the host name, not the address
    ...(isIP(host) ? {} : { servername: host }),
    agent: false as const,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestHttps(options) : requestHttp(options);
    // a 101 response closes the request without a "response" or "error" event
    const onClose = () => reject(new Error("The connection closed without a response."));
    request.once("response", resolve).once("error", reject).once("close", onClose);
    const body = message?.body;
    if (!(body instanceof ReadableStream)) return void request.end(body);
    // a receiver may answer, and close, before it has read all; the answer then counts
    pipeline(streamOf(body), request, (error) => error && reject(error));
  });
}

// safe because both types describe the same stream: Bun's type in node:stream only has more methods
const streamOf = (body: ReadableStream<Uint8Array>) => Readable.fromWeb(body as unknown as NodeWebStream);

const fixedHeaders = { accept: "*/*", "accept-encoding": "identity", "user-agent": "reelwright" };
