import type { ApplyGlobalResponse } from "hono/client";
import { hc } from "hono/client";
import type { createApp } from "./app.ts";
import type { ErrorBody, ErrorStatus } from "./http/response/error-response.ts";

/** Every route, and the errors that any of them may answer. */
export type Api = ApplyGlobalResponse<ReturnType<typeof createApp>, { [Status in ErrorStatus]: { json: ErrorBody } }>;

export type { ErrorBody };

export type ConnectOptions = {
  /** An access token or an API token. */
  readonly token?: string;
  /** In place of the global one, such as `app.request` in a test. */
  readonly fetch?: (url: string, init?: RequestInit) => Response | Promise<Response>;
};

/** The service at `url` as functions, typed by its own routes. */
export const connect = (url: string, { token, fetch }: ConnectOptions = {}) =>
  hc<Api>(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    // safe because hc calls it with these two and nothing else
    ...(fetch && { fetch: fetch as typeof globalThis.fetch }),
  });

export type Client = ReturnType<typeof connect>;
