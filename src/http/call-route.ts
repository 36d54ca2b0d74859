import { type Context, Hono, type MiddlewareHandler } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import type { AppEnv, DeferredRequest } from "./app-env.ts";
import { errorHandler } from "./response/error-response.ts";

type RouteCall = {
  /** Its body is read only if there is no `json`. */
  readonly request: Request;
  /** A JSON body that was parsed and checked with the request that makes this call. */
  readonly json?: unknown;
  /** Its headers of providers that the caller has not named: they choose a model, and make nothing again. */
  readonly assumed?: readonly string[];
  readonly deferred?: DeferredRequest;
};

/**
 * Calls a route for a request that the app is answering: a tool of MCP, or the request itself apart from its connection.
 * The route's own checks all run, in its order: scopes, resource, body, idempotency, room. What belongs to the connection
 * was done for the request that makes the call: who the caller is, a point of its limit, the headers of the response.
 */
export type CallRoute = (c: Context<AppEnv>, call: RouteCall) => Promise<Response>;

type Routes = Pick<Hono<AppEnv>, "routes">;

/** `ofConnection`: the middleware that a call leaves out. */
export function routeCalls({ routes }: Routes, ofConnection: readonly MiddlewareHandler<AppEnv>[]): CallRoute {
  const app = new Hono<AppEnv>({ router: new TrieRouter() }).onError(errorHandler).use(continueRequest);
  for (const { method, path, handler } of routes) {
    if (!ofConnection.includes(handler)) app.on(method, path, handler);
  }
  return async (from, { request, ...call }) => app.fetch(request, { ...connectionOf(from), ...call, from });
}

/** The methods of Bun's server, which a spread would lose, for the connection of the request that makes the call. */
const connectionOf = ({ env, req: { raw } }: Context<AppEnv>): AppEnv["Bindings"] => ({
  timeout: (_, seconds) => env?.timeout?.(raw, seconds),
  requestIP: () => env?.requestIP?.(raw) ?? null,
});

/** Takes over what the request that makes the call has: its id, and its caller if that is known. */
const continueRequest: MiddlewareHandler<AppEnv> = (c, next) => {
  const { from, json } = c.env;
  // safe because every call has it
  for (const name of continued) c.set(name, from!.get(name));
  c.set("jsonBody", json === undefined ? undefined : { value: json });
  return next();
};

const continued = ["requestId", "sessionFromToken", "identify", "reauthenticate"] as const;
