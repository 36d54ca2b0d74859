import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import {
  type Operation,
  type OperationResponse,
  type OperationWarning,
  operationView,
  replacedModelMessage,
  startOperation,
} from "../../domain/operations/operations.ts";
import { type LinkedSignal, linkSignal } from "../../platform/async.ts";
import type { Services } from "../../services.ts";
import { json } from "../answers.ts";
import type { AppEnv, DeferredRequest } from "../app-env.ts";
import type { CallRoute } from "../call-route.ts";
import { describeMiddleware } from "../openapi.ts";
import { costOf } from "../response/cost.ts";
import { Operation as OperationView } from "./views.ts";

/** Signals for requests that run without a connection. */
export type DeferredRequests = {
  /** Aborts with `processStopped`. */
  readonly signal: AbortSignal;
  /** Aborts when the process begins to stop. */
  readonly drainSignal: AbortSignal;
  /** Aborts together with `signal`, for requests that cannot be continued. */
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

/** Sets `stopSignal`, `drainSignal` and `connectionSignal`. */
export const requestSignals = ({ signal, drainSignal, interruptSignal }: DeferredRequests) =>
  createMiddleware<AppEnv>((c, next) => {
    c.set("stopSignal", signal);
    c.set("drainSignal", drainSignal);
    let interrupted: LinkedSignal | undefined;
    c.set("connectionSignal", () => {
      interrupted ??= linkSignal(interruptSignal);
      return AbortSignal.any([c.req.raw.signal, interrupted.signal]);
    });
    return next().finally(() => interrupted?.release());
  });

/** True for `Prefer: respond-async` (RFC 7240), also among other preferences. */
export const prefersAsync = (c: Context) => /(^|[,;\s])respond-async($|[,;\s])/i.test(c.req.header("prefer") ?? "");

/** The header of a response that follows the preference. */
export const preferenceApplied = { "Preference-Applied": "respond-async" };

/** True for `Prefer: wait`: the response is that of the request itself. */
const prefersWait = (c: Context) => /(^|[,;\s])wait($|[=,;\s])/i.test(c.req.header("prefer") ?? "");

const deferrable = new WeakSet<object>();

/** Routes whose long requests continue without the connection unless the client prefers to wait. */
const deferredByDefault = new WeakSet<object>();

/**
 * Handles `Prefer: respond-async` for routes with `respondAsync`: calls the route independently of the connection.
 * Checks answer directly; once the handler starts, the client gets 202 and the operation.
 */
export const deferRequests = (callRoute: CallRoute, deferred: DeferredRequests) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const isDeferrable = matchedRoutes(c).some(
      (r) => deferrable.has(r.handler) && (prefersAsync(c) || (deferredByDefault.has(r.handler) && !prefersWait(c))),
    );
    if (!isDeferrable) return next();
    const { request, accepted, end } = deferredRequest(c, deferred.signal);
    const response = callRoute(c, { request: c.req.raw, deferred: request }).finally(end);
    deferred.track(response);
    const first = await Promise.race([response, accepted]);
    return first instanceof Response ? first : acceptedResponse(c, first);
  });

/** A request that follows its client until it is accepted, then only `cancel` and the stop of the process. */
function deferredRequest(c: Context<AppEnv>, stopSignal: AbortSignal) {
  const cancelled = new AbortController();
  const cancel = () => cancelled.abort();
  const { signal: clientSignal } = c.req.raw;
  clientSignal.addEventListener("abort", cancel);
  const { promise: accepted, resolve } = Promise.withResolvers<Operation>();
  const stopped = linkSignal(stopSignal);
  let endOperation = async () => {};
  const request: DeferredRequest = {
    signal: AbortSignal.any([cancelled.signal, stopped.signal]),
    stopSignal,
    cancel,
    accept(operation) {
      clientSignal.removeEventListener("abort", cancel);
      resolve(operation);
    },
    whenAnswered(run) {
      endOperation = run;
    },
  };
  const end = () => endOperation().finally(stopped.release);
  return { request, accepted, end };
}

const acceptedResponse = (c: Context<AppEnv>, operation: Operation) =>
  c.json(operationView(operation), 202, {
    ...(prefersAsync(c) && preferenceApplied),
    Location: `/api/operations/${operation.id}`,
  });

const acceptedOperation = json(OperationView, "The request is valid and runs: read the operation at the Location.", [
  "Location",
  "Preference-Applied",
]);

const description =
  "`respond-async`: the response is 202 with an operation as soon as the request is checked. The operation at the " +
  "Location holds the response later. The request continues without the connection.";

const longDescription =
  "`wait`: the response is that of the request, however long it takes. By default a request that must fetch files is " +
  "answered with 202 and an operation, which holds the response later.";

/** Warnings from response headers, which the client of an operation does not get. */
const warningsOf = ({ headers }: Response): readonly OperationWarning[] =>
  ["x-model-id", "x-image-model-id"]
    .flatMap((name) => headers.get(name) ?? [])
    .map((model) => ({ code: "model_replaced", message: replacedModelMessage(model) }));

type AsyncOptions = {
  /** Makes an operation of requests that are long, unless the client prefers to wait. */
  readonly whenLong?: (c: Context<AppEnv>) => boolean;
};

/** Lets a client order the response of a long request, which gives up its turn. Runs just before the handler. */
export function respondAsync(services: Pick<Services, "operations" | "leases">, { whenLong }: AsyncOptions = {}) {
  const middleware = createMiddleware<AppEnv>(async (c, next) => {
    const { deferred } = c.env ?? {};
    c.var.leaveUserSlot();
    if (!deferred) return next();
    if (whenLong && !prefersAsync(c) && !whenLong(c)) {
      await next();
      // the headers of the response are those of the waiting request
      c.env?.from?.set("revision", c.get("revision"));
      return;
    }
    if (c.var.modelError) throw c.var.modelError;
    const { operation, end } = await startOperation(services, c.var.caller, c.var.requiredScopes, deferred.cancel);
    deferred.accept(operation);
    let response: OperationResponse | undefined;
    try {
      await next();
      // after a stop, the response only reports the abort
      if (!deferred.stopSignal.aborted) {
        const cost = costOf(c);
        const warnings = warningsOf(c.res);
        const facts = { ...(cost !== undefined && { cost }), ...(warnings.length > 0 && { warnings }) };
        response = { status: c.res.status, body: await c.res.clone().text(), ...facts };
      }
    } finally {
      // only after the response is stored under its Idempotency-Key: a client that reads it may repeat the request
      deferred.whenAnswered(() => end(response));
    }
  });
  deferrable.add(middleware);
  if (whenLong) deferredByDefault.add(middleware);
  const schema = { type: "string" as const };
  return describeMiddleware(middleware, {
    parameters: [{ in: "header", name: "Prefer", description: whenLong ? longDescription : description, schema }],
    responses: { 202: acceptedOperation },
    errors: ["rate_limited"],
  });
}
