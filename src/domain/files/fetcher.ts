import type { ReceivedFile } from "./file-store.ts";

export type Message = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** Reaches what a caller named in the outside world, and nothing inside. */
export type Fetcher = {
  /** Throws url_not_allowed for what a URL says of itself. Asks no other server: where its host lies is not known yet. */
  check(url: string, options: { readonly path: string }): void;
  /**
   * Streams an external http(s) URL to a private file under the rules of the guarded fetch.
   * Throws url_not_allowed, url_unreachable or payload_too_large; `path` is the request field named in them.
   */
  download(
    url: string,
    options: { readonly path: string; readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<ReceivedFile>;
  /** Throws what `post` to this URL would before it sends anything. */
  lookUp(url: string, options: { readonly path: string }): Promise<void>;
  /**
   * Sends a body to an external http(s) URL under the same rules, and answers the status, a redirect's too, and the pause
   * that was asked for. Throws url_not_allowed, or url_unreachable when nothing was answered within ten seconds.
   */
  post(
    url: string,
    message: Message,
    options: { readonly path: string; readonly signal: AbortSignal },
  ): Promise<{ readonly status: number; readonly retryAfterSeconds?: number }>;
};
