import { type Context, Hono, type MiddlewareHandler } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import type { AppEnv, DeferredRequest } from "./app-env.ts";
import { errorHandler } from "./response/error-response.ts";

type RouteCall = {
  /** Its body is read only if there is no `json`. */
  readonly request: Request;
  /** A JSON body that was parsed and checked with the request that makes this call. */
  readonly json?: unknown;
  /** Provider headers that the caller did not choose: they select a model, but existing results stay. */
  readonly assumed?: readonly string[];
  readonly deferred?: DeferredRequest;
};

/**
 * Calls a route on behalf of a request in progress: from an MCP tool, or for the request itself without its connection.
 * All checks of the route run in order: scopes, resource, body, idempotency, room. Checks of the connection are not
 * repeated: the caller's identity, its rate limit, the response headers.
 */
export type CallRoute = (c: Context<AppEnv>, call: RouteCall) => Promise<Response>;

type Routes = Pick<Hono<AppEnv>, "routes">;

/** `ofConnection`: the middleware that calls skip. */
export function routeCalls({ routes }: Routes, ofConnection: readonly MiddlewareHandler<AppEnv>[]): CallRoute {
  const app = new Hono<AppEnv>({ router: new TrieRouter() }).onError(errorHandler).use(continueRequest);
  for (const { method, path, handler } of routes) {
    if (!ofConnection.includes(handler)) app.on(method, path, handler);
  }
  return async (from, { request, ...call }) => app.fetch(request, { ...connectionOf(from), ...call, from });
}

/** Bun's server methods, which a spread would lose, for the connection of the calling request. */
const connectionOf = ({ env, req: { raw } }: Context<AppEnv>): AppEnv["Bindings"] => ({
  timeout: (_, seconds) => env?.timeout?.(raw, seconds),
  requestIP: () => env?.requestIP?.(raw) ?? null,
});

/** Copies the id of the calling request, and its caller if known. */
const continueRequest: MiddlewareHandler<AppEnv> = (c, next) => {
  const { from, json } = c.env;
  // safe because every call has it
  for (const name of continued) c.set(name, from!.get(name));
  c.set("jsonBody", json === undefined ? undefined : { value: json });
  return next();
};

const continued = ["requestId", "sessionFromToken", "identify", "reauthenticate"] as const;
