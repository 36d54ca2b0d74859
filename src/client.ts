import type { ApplyGlobalResponse } from "hono/client";
import { hc } from "hono/client";
import type { createApp } from "./app.ts";
import type { ErrorBody, ErrorStatus } from "./http/response/error-response.ts";

/** All routes, and the error responses that any of them may return. */
export type Api = ApplyGlobalResponse<ReturnType<typeof createApp>, { [Status in ErrorStatus]: { json: ErrorBody } }>;

export type { ErrorBody };

export type ConnectOptions = {
  /** An access token or an API token. */
  readonly token?: string;
  /** Replaces the global `fetch`, for example by `app.request` in a test. */
  readonly fetch?: (url: string, init?: RequestInit) => Response | Promise<Response>;
};

/** A typed hono/client for the service at `url`. */
export const connect = (url: string, { token, fetch }: ConnectOptions = {}) =>
  hc<Api>(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    // safe because hc calls it with a URL and an init only
    ...(fetch && { fetch: fetch as typeof globalThis.fetch }),
  });

export type Client = ReturnType<typeof connect>;
