import type { ReceivedFile } from "./files.ts";

/** Reads what a caller named from the outside world, and nothing inside. */
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
};
