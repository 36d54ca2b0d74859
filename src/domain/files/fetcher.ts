import type { ReceivedFile } from "../../engine/ports.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";

export type HttpMessage = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** A request with any body; a stream needs its length in the headers. */
export type HttpRequest = {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array>;
};

/** The text is the beginning of the body. */
export type HttpAnswer = { readonly status: number; readonly headers: Headers; readonly text: string };

type SendOptions = {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** For an address that the operator has set, which may be of the own network. */
  readonly isTrusted?: boolean;
};

type DownloadOptions = {
  readonly path: string;
  readonly maxBytes: number;
  /** A minute by default. */
  readonly timeoutMs?: number;
};

/** Requests to URLs that callers supply, never into our own network. `path` is the field of the URL. */
export type Fetcher = {
  /** Checks a URL without any network access, so the address of its host is not checked. Throws url_not_allowed. */
  checkUrl(url: string, options: { readonly path: string }): void;
  /** Throws url_not_allowed, url_unreachable or payload_too_large, and busy if too many downloads of the owner wait. */
  download(url: string, options: DownloadOptions & Required<TaskOptions>): Promise<ReceivedFile>;
  /** Resolves the host of a URL and checks its addresses, as `post` does before it sends. Throws the same errors. */
  resolveHost(url: string, options: { readonly path: string }): Promise<void>;
  /**
   * Sends a body to an external http(s) URL without following redirects. Returns the status and the delay of a
   * Retry-After header. Throws url_not_allowed, or url_unreachable without a response within ten seconds.
   */
  post(
    url: string,
    message: HttpMessage,
    options: { readonly path: string; readonly signal: AbortSignal },
  ): Promise<{ readonly status: number; readonly retryAfterSeconds?: number }>;
  /**
   * Sends a request without following redirects. Throws url_not_allowed, or url_unreachable without an answer in time,
   * as when the connection ends.
   */
  send(url: string, request: HttpRequest, options: SendOptions): Promise<HttpAnswer>;
};
