import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import {
  type Operation,
  type OperationResponse,
  operationView,
  startOperation,
} from "../../domain/operations/operations.ts";
import type { Services } from "../../domain/services.ts";
import { type LinkedSignal, linkSignal } from "../../platform/linked-signal.ts";
import { json } from "../answers.ts";
import type { AppEnv, DeferredRequest } from "../app-env.ts";
import { describeMiddleware } from "../openapi.ts";
import { preferenceApplied, prefersAsync } from "../request/prefer.ts";
import { Operation as OperationView } from "../schemas/responses/operations.ts";

/** Runs a request through the whole app. */
export type Dispatch = (request: Request, env: AppEnv["Bindings"]) => Response | Promise<Response>;

/** The requests that run without a connection. */
export type DeferredRequests = {
  /** Aborts with `processStopped`. */
  readonly signal: AbortSignal;
  /** Aborts when the process begins to stop. */
  readonly drainSignal: AbortSignal;
  /** Aborts together with `signal`, for requests that nothing continues. */
  readonly interruptSignal: AbortSignal;
  track(response: Promise<Response>): void;
};

const never = new AbortController().signal;

export const noDeferredRequests: DeferredRequests = {
  signal: never,
  drainSignal: never,
  interruptSignal: never,
  track: () => {},
};

const deferrable = new WeakSet<object>();

/**
 * Handles `Prefer: respond-async` for routes with `respondAsync`: runs the request a second time inside the app, apart
 * from its connection. Every check answers directly; once the handler starts, the client gets 202 and the operation.
 */
export const deferRequests = (dispatch: Dispatch, deferred: DeferredRequests) =>
  createMiddleware<AppEnv>(async (c, next) => {
    c.set("stopSignal", deferred.signal);
    c.set("drainSignal", deferred.drainSignal);
    let interrupted: LinkedSignal | undefined;
    c.set("connectionSignal", () => {
      interrupted ??= linkSignal(deferred.interruptSignal);
      return AbortSignal.any([c.req.raw.signal, interrupted.signal]);
    });
    const isDeferrable = !c.env?.deferred && prefersAsync(c) && matchedRoutes(c).some((r) => deferrable.has(r.handler));
    if (!isDeferrable) return next().finally(() => interrupted?.release());
    const { request, accepted, release } = deferredRequest(c, deferred.signal);
    const env = { ...connectionOf(c), deferred: request };
    const response = Promise.resolve(dispatch(c.req.raw, env)).finally(release);
    deferred.track(response);
    const first = await Promise.race([response, accepted]);
    return first instanceof Response ? first : acceptedResponse(c, first);
  });

/** A request that follows its client until it is accepted, and then only `cancel` and the stop of the process. */
function deferredRequest(c: Context<AppEnv>, stopSignal: AbortSignal) {
  const cancelled = new AbortController();
  const cancel = () => cancelled.abort();
  const { signal: clientSignal } = c.req.raw;
  clientSignal.addEventListener("abort", cancel);
  const { promise: accepted, resolve } = Promise.withResolvers<Operation>();
  const stopped = linkSignal(stopSignal);
  const request: DeferredRequest = {
    requestId: c.var.requestId,
    signal: AbortSignal.any([cancelled.signal, stopped.signal]),
    stopSignal,
    cancel,
    accept(operation) {
      clientSignal.removeEventListener("abort", cancel);
      resolve(operation);
    },
  };
  return { request, accepted, release: stopped.release };
}

/** The methods of Bun's server, which a spread would lose. */
const connectionOf = ({ env }: Context<AppEnv>): AppEnv["Bindings"] => ({
  timeout: (request, seconds) => env?.timeout?.(request, seconds),
  requestIP: (request) => env?.requestIP?.(request) ?? null,
});

const acceptedResponse = (c: Context<AppEnv>, operation: Operation) =>
  c.json(operationView(operation), 202, { ...preferenceApplied, Location: `/api/operations/${operation.id}` });

const acceptedOperation = json(
  OperationView,
  "The request is checked and goes on: read the operation at the Location.",
  ["Location", "Preference-Applied"],
);

const description =
  "`respond-async`: the response is 202 with an operation as soon as the request is checked. The operation at the " +
  "Location holds the response later. The request goes on without the connection.";

/** Lets a client order the response of a long request, which leaves its turn. Runs just before the handler. */
export function respondAsync(services: Pick<Services, "operations">) {
  const middleware = createMiddleware<AppEnv>(async (c, next) => {
    const { deferred } = c.env ?? {};
    c.var.leaveTurn();
    if (!deferred) return next();
    const { operation, end } = await startOperation(services, c.var.caller, c.var.requiredScopes, deferred.cancel);
    deferred.accept(operation);
    let response: OperationResponse | undefined;
    try {
      await next();
      // after a stop, the response is only about the abort
      if (!deferred.stopSignal.aborted) response = { status: c.res.status, body: await c.res.clone().text() };
    } finally {
      await end(response);
    }
  });
  deferrable.add(middleware);
  const schema = { type: "string" as const };
  return describeMiddleware(middleware, {
    parameters: [{ in: "header", name: "Prefer", description, schema }],
    responses: { 202: acceptedOperation },
    errors: ["rate_limited"],
  });
}
